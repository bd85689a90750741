import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { ApiFault } from './api-fault.ts';
import type { ClusterAccess } from './cluster-access.ts';

const STATUS_LIMIT_BYTES = 64 * 1024;
const REASON_LIMIT_CHARS = 500;

export interface ApiGet {
  access: ClusterAccess;
  /** Such as `/api/v1/namespaces/a/pods`. */
  path: string;
  query: Record<string, string>;
  /** Longest wait for the head of an answer; its body takes as long as the signal lets it. */
  answerMs: number;
  signal: AbortSignal;
}

/** The answer as a stream. @throws ApiFault when it is none of 200 */
export async function apiStream(get: ApiGet): Promise<IncomingMessage> {
  const { access, path, query, answerMs, signal } = get;
  const { server, options } = access;
  const url = new URL(server);
  url.pathname = `${server.pathname.replace(/\/$/, '')}${path}`;
  url.search = new URLSearchParams(query).toString();
  const request = url.protocol === 'http:' ? httpRequest : httpsRequest;
  const fault = (message: string, cause?: unknown): ApiFault =>
    new ApiFault(`${url.host}: ${message}`, undefined, cause);
  const headers = { ...options.headers, accept: 'application/json' };
  const call = request(url, { ...options, headers, signal });
  const timer = setTimeout(() => call.destroy(fault(`no answer in ${answerMs} ms`)), answerMs);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    call.on('response', resolve);
    call.on('error', (error) => {
      const { code } = error as NodeJS.ErrnoException;
      // Where several addresses were tried the error has no text of its own.
      reject(error instanceof ApiFault ? error : fault(error.message || String(code), error));
    });
    call.end();
  }).finally(() => clearTimeout(timer));
  if (response.statusCode === 200) return response;
  throw new ApiFault(
    `${url.host}: ${response.statusCode}: ${await reasonOf(response)}`,
    response.statusCode,
  );
}

/** The answer as JSON. @throws ApiFault when it is none of 200, too long, cut, or no JSON */
export async function apiJson(get: ApiGet, limitBytes: number): Promise<unknown> {
  const response = await apiStream(get);
  const { host } = get.access.server;
  let text: string;
  try {
    text = await bodyOf(response, limitBytes);
  } catch (error) {
    const what = error instanceof RangeError ? error.message : 'its answer was cut off';
    throw new ApiFault(`${host}: ${what}`, undefined, error);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new ApiFault(`${host}: its answer is no JSON`, undefined, error);
  }
}

/** `message` of the Status that comes with a refusal. */
async function reasonOf(response: IncomingMessage): Promise<string> {
  const fallback = response.statusMessage ?? '';
  try {
    const status = JSON.parse(await bodyOf(response, STATUS_LIMIT_BYTES)) as { message?: unknown };
    const { message = fallback } = status;
    return String(message).slice(0, REASON_LIMIT_CHARS);
  } catch {
    return fallback;
  }
}

async function bodyOf(response: IncomingMessage, limitBytes: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response as AsyncIterable<Uint8Array>) {
    bytes += piece.byteLength;
    if (bytes > limitBytes) throw new RangeError(`an answer of more than ${limitBytes} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}
