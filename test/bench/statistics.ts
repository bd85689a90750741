import { SeededRandom } from '@baton/kv';

/** Median of a non-empty list. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Linear-interpolated quantile, `q` from 0 to 1, of a non-empty list. */
export function quantile(values: readonly number[], q: number): number {
  if (values.length === 0) throw new RangeError('a quantile needs at least one value');
  const sorted = [...values].sort((a, b) => a - b);
  const position = (sorted.length - 1) * q;
  const below = sorted[Math.floor(position)] as number;
  const above = sorted[Math.ceil(position)] as number;
  return below + (above - below) * (position - Math.floor(position));
}

export interface Interval {
  median: number;
  low: number;
  high: number;
}

const RESAMPLES = 2_000;

/** Median with its 95 % confidence interval by the percentile bootstrap; equal inputs give equal intervals. */
export function medianInterval(values: readonly number[], seed = 1): Interval {
  const random = new SeededRandom(seed);
  const medians: number[] = [];
  for (let round = 0; round < RESAMPLES; round++) {
    const sample = values.map(() => random.oneOf(values));
    medians.push(median(sample));
  }
  return { median: median(values), low: quantile(medians, 0.025), high: quantile(medians, 0.975) };
}
