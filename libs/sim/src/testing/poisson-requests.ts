import { SeededRandom } from '@baton/kv';
import type { TraceRequest } from '../trace/trace-line.ts';

/**
 * Requests that come by a Poisson process and have nothing in common; each has 1,000 tokens, one service time of
 * `serviceMs`.
 *
 * @param load share of the time in which one worker is busy with them
 */
export function poissonRequests(
  count: number,
  load: number,
  serviceMs: number,
  seed: number,
): TraceRequest[] {
  const random = new SeededRandom(seed);
  let atMs = 0;
  return Array.from({ length: count }, (_, i) => {
    atMs += random.exponential(serviceMs / load);
    return { atMs, promptTokens: 1_000, outputTokens: 1, blocks: [2 * i, 2 * i + 1] };
  });
}

/** Mean wait in an M/D/1 queue, in service times, by Pollaczek and Khinchine. */
export function expectedWait(load: number): number {
  return load / (2 * (1 - load));
}
