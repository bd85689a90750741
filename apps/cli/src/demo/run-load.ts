import { setTimeout as sleep } from 'node:timers/promises';
import { field } from '../json-fields.ts';
import type { Conversation } from './demo-load.ts';

/** Requests under way: as many as are computed at a time where there are two cores. */
const IN_FLIGHT = 2;
const OUTPUT_TOKENS = 4;
const REQUEST_MS = 120_000;

export interface LoadTarget {
  gatewayUrl: string;
  model: string;
  /** After an answer, so that the conductor knows what was computed. */
  thinkMs: number;
}

export interface LoadResult {
  /** Of requests that were answered, ms. */
  firstTokenMs: number[];
  /** What was said to those that were not. */
  refusals: string[];
  tookMs: number;
}

/**
 * Sends the first questions of all conversations, then the second ones, and so on: two at a time, and none before its
 * conversation has had the answer to the one before. Answers are not looked at: the next prompt brings its own.
 *
 * @param answered called after each request with how many have been answered or refused
 */
export async function runLoad(
  target: LoadTarget,
  load: readonly Conversation[],
  signal: AbortSignal,
  answered: (requests: number) => void,
): Promise<LoadResult> {
  const result: LoadResult = { firstTokenMs: [], refusals: [], tookMs: 0 };
  const startedMs = performance.now();
  const turns = Math.max(...load.map(({ length }) => length));
  const questions = Array.from({ length: turns }, (_, turn) =>
    load.flatMap((conversation, number) => {
      const prompt = conversation[turn];
      return prompt === undefined ? [] : [{ number, prompt }];
    }),
  ).flat();
  /** Of each conversation the end of its last question. */
  const ends = new Map<number, Promise<void>>();
  const put = async (
    prompt: readonly number[],
    before: Promise<void> | undefined,
  ): Promise<void> => {
    await before;
    const answer = await ask(target, prompt, signal);
    if (typeof answer === 'number') result.firstTokenMs.push(answer);
    else result.refusals.push(answer);
    answered(result.firstTokenMs.length + result.refusals.length);
    await sleep(target.thinkMs, undefined, { signal });
  };
  const askInTurn = async (): Promise<void> => {
    for (let next = questions.shift(); next !== undefined; next = questions.shift()) {
      const end = put(next.prompt, ends.get(next.number));
      ends.set(next.number, end);
      await end;
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, askInTurn));
  return { ...result, tookMs: performance.now() - startedMs };
}

/** The time to the first token, or why there is none. Throws when the signal is aborted. */
async function ask(
  { gatewayUrl, model }: LoadTarget,
  prompt: readonly number[],
  signal: AbortSignal,
): Promise<number | string> {
  const body = { model, prompt, max_tokens: OUTPUT_TOKENS, temperature: 0, stream: true };
  const startedMs = performance.now();
  try {
    const response = await fetch(`${gatewayUrl}/v1/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS)]),
    });
    if (!response.ok) return refusal(await response.json().catch(() => undefined), response.status);
    let firstMs: number | undefined;
    let text = '';
    for await (const bytes of response.body ?? []) {
      firstMs ??= performance.now() - startedMs;
      text += Buffer.from(bytes as Uint8Array).toString('latin1');
    }
    if (firstMs !== undefined && isWhole(text)) return firstMs;
    return 'the answer broke off';
  } catch (error) {
    signal.throwIfAborted();
    return error instanceof Error ? error.message : String(error);
  }
}

/** A stream that fails says so before its end. */
function isWhole(events: string): boolean {
  return events.trimEnd().endsWith('data: [DONE]') && !/^data: \{"error"/m.test(events);
}

function refusal(body: unknown, status: number): string {
  const message = field(field(body, 'error'), 'message');
  return typeof message === 'string' ? message : `status ${status}`;
}
