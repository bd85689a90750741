import { BatonError } from '@baton/kv';
import { request } from 'undici';
import type { EngineAccess } from '../access/engine-access.ts';

/** A page of metrics of an engine with many adapters is some MB. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

export interface EngineQuestion {
  engineUrl: string;
  path: string;
  /** Posted as JSON; without one it is a GET. */
  body?: object | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  timeoutMs: number;
  access?: EngineAccess | undefined;
  signal: AbortSignal;
}

export interface EngineAnswer {
  status: number;
  text: string;
}

/**
 * One question that is no client's request.
 *
 * @throws BatonError engine_unavailable when there is no answer, deadline_exceeded when there is none in time
 */
export async function askEngine(question: EngineQuestion): Promise<EngineAnswer> {
  const { engineUrl, path, body, timeoutMs, access, signal } = question;
  const { headers: own, agent } = access?.of(engineUrl) ?? {};
  const headers = { ...question.headers, ...own };
  const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  try {
    const answer = await request(`${engineUrl}${path}`, {
      signal: limited,
      ...(agent !== undefined && { dispatcher: agent }),
      ...(body === undefined
        ? { headers }
        : {
            method: 'POST' as const,
            headers: { 'content-type': 'application/json', ...headers },
            body: JSON.stringify(body),
          }),
    });
    const pieces: Buffer[] = [];
    let size = 0;
    for await (const piece of answer.body) {
      pieces.push(piece as Buffer);
      size += (piece as Buffer).length;
      if (size > MAX_ANSWER_BYTES) throw new RangeError(`more than ${MAX_ANSWER_BYTES} bytes`);
    }
    return { status: answer.statusCode, text: Buffer.concat(pieces).toString('utf8') };
  } catch (cause) {
    if (signal.aborted) throw new BatonError('request_aborted');
    const { message, code } = cause as Error & { code?: string };
    const [fault, why] = limited.aborted
      ? (['deadline_exceeded', `no answer within ${timeoutMs} ms`] as const)
      : (['engine_unavailable', code ?? message] as const);
    throw new BatonError(fault, `${engineUrl}${path}: ${why}`, { cause });
  }
}

/** The parsed answer; undefined unless it is a success in JSON. */
export function jsonOf({ status, text }: EngineAnswer): unknown {
  if (status < 200 || status > 299) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
