import type { ReplayRow } from './replay-run.ts';

/** Figures that are of served requests alone. */
const ofServed = [
  ...(['ttftMeanMs', 'ttftP50Ms', 'ttftP90Ms', 'ttftP99Ms', 'ttftMaxMs'] as const),
  ...(['tbtMeanMs', 'tbtP99Ms', 'tokenHitRatio', 'blockHitRatio'] as const),
];
type OfServed = (typeof ofServed)[number];

/** What stands in a table where there is no figure. */
export const NO_FIGURE = '–';

/** Whether anybody was served; else {@link ofServed} are not known, whatever numbers stand there. */
export function hasServed({
  requests,
  rejected,
}: Pick<ReplayRow, 'requests' | 'rejected'>): boolean {
  return rejected < requests;
}

/** For programs: null where nobody was served of whom a figure could be. */
export function knownFigures<R extends Pick<ReplayRow, 'requests' | 'rejected' | OfServed>>(
  row: R,
): Omit<R, OfServed> & Record<OfServed, number | null> {
  if (hasServed(row)) return row;
  const none = Object.fromEntries(ofServed.map((name) => [name, null])) as Record<OfServed, null>;
  return { ...row, ...none };
}
