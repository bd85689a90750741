/** Share of a request's gaps, the longest ones, whose mean is its tail TBT. */
const TAIL_SHARE = 0.1;

/** Mean of all gaps between tokens, and of the longest tenth of them, at least one; undefined where there is none. */
export function gapMeans(gapsMs: Float64Array): {
  meanTbtMs: number | undefined;
  tailTbtMs: number | undefined;
} {
  if (gapsMs.length === 0) return { meanTbtMs: undefined, tailTbtMs: undefined };
  gapsMs.sort();
  const mean = (values: Float64Array): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const tail = Math.max(1, Math.round(gapsMs.length * TAIL_SHARE));
  return { meanTbtMs: mean(gapsMs), tailTbtMs: mean(gapsMs.subarray(gapsMs.length - tail)) };
}
