import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { ApiFault } from './api-fault.ts';
import type { ClusterAccess } from './cluster-access.ts';

const STATUS_LIMIT_BYTES = 64 * 1024;
/** From one piece of a body to the next, and until the head of an answer. */
const ANSWER_MS = 30_000;

export interface ApiGet {
  access: ClusterAccess;
  /** Such as `/api/v1/namespaces/a/pods`. */
  path: string;
  query: Record<string, string>;
  signal: AbortSignal;
}

/** The answer as a stream. @throws ApiFault when it is none of 200 */
export async function apiStream({ access, path, query, signal }: ApiGet): Promise<IncomingMessage> {
  const { server, options } = access;
  const url = new URL(server);
  url.pathname = `${server.pathname.replace(/\/$/, '')}${path}`;
  url.search = new URLSearchParams(query).toString();
  const request = url.protocol === 'http:' ? httpRequest : httpsRequest;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { ...options.headers, accept: 'application/json' };
    const call = request(url, { ...options, headers, signal }, resolve);
    const fault = (message: string, cause?: unknown): ApiFault =>
      new ApiFault(`${url.host}: ${message}`, undefined, cause);
    call.setTimeout(ANSWER_MS, () => call.destroy(fault(`no answer in ${ANSWER_MS / 1000} s`)));
    call.on('error', (error) => {
      const { code } = error as NodeJS.ErrnoException;
      // Where several addresses were tried the error has no text of its own.
      reject(error instanceof ApiFault ? error : fault(error.message || String(code), error));
    });
    call.end();
  });
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
    throw new ApiFault(`${host}: its answer was cut off`, undefined, error);
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
    return typeof status.message === 'string' ? status.message : fallback;
  } catch {
    return fallback;
  }
}

async function bodyOf(response: IncomingMessage, limitBytes: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response as AsyncIterable<Uint8Array>) {
    bytes += piece.byteLength;
    if (bytes > limitBytes) throw new RangeError(`a body of more than ${limitBytes} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}
