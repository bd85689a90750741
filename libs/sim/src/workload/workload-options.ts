import type { SeededRandom } from '@baton/kv';

/** What a generated workload is like, whatever its kind. */
export interface WorkloadOptions {
  requests: number;
  /** On average; arrivals are a Poisson process. */
  requestsPerSec: number;
  /** Equal seeds give equal workloads. */
  seed: number;
}

/** A length around a mean, at least 1: most are shorter, a few much longer. */
export function someTokens(random: SeededRandom, mean: number): number {
  return Math.max(1, Math.round(random.exponential(mean)));
}

/** A number below `count`; small ones are drawn most, as by Zipf's law. */
export function somePopular(random: SeededRandom, count: number): number {
  return Math.min(count - 1, Math.floor((count + 1) ** random.share()) - 1);
}
