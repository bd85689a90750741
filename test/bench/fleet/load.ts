import { SeededRandom } from '@baton/kv';

export interface LoadOptions {
  requests: number;
  requestsPerSec: number;
  /** Prompts begin with one of so many. */
  stems: number;
  stemTokens: number;
  /** Most tokens behind it. */
  restTokens: number;
  seed: number;
}

export interface LoadRequest {
  atMs: number;
  prompt: number[];
}

const VOCABULARY = 30_000;

/** Requests with shared beginnings, some of them much more often than others, at random times. */
export function loadOf(options: LoadOptions): LoadRequest[] {
  const { requests, requestsPerSec, stems, stemTokens, restTokens, seed } = options;
  const random = new SeededRandom(seed);
  const tokens = (count: number): number[] =>
    Array.from({ length: count }, () => 300 + random.below(VOCABULARY));
  const beginnings = Array.from({ length: stems }, () => tokens(stemTokens));
  let atMs = 0;
  return Array.from({ length: requests }, () => {
    atMs += (-Math.log(1 - random.share()) / requestsPerSec) * 1_000;
    // The first of ten is as often asked for as the last nine tenths.
    const stem = Math.floor(stems * random.share() ** 3);
    const rest = tokens(1 + random.below(restTokens));
    return { atMs, prompt: [...(beginnings[stem] ?? []), ...rest] };
  });
}
