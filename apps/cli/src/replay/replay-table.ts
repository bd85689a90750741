import { formatBytes } from '../render/quantities.ts';
import type { Paint } from '../render/terminal-text.ts';
import { textTable } from '../render/text-table.ts';
import type { ReplayRow } from './replay-run.ts';

/** The figures of all runs, one line each. */
export function replayTable(rows: readonly ReplayRow[], paint: Paint): string[] {
  return textTable(replayTitles, rows.map(replayCells), paint);
}

export const replayTitles = [
  ...['policy', 'queue', 'pulls', '>TTFT mean', '>P50', '>P90', '>P99', '>max', '>≤ 30 s'],
  ...['>in SLO', '>tokens', '>TBT mean', '>P99', '>rejected', '>token hits', '>block hits'],
  ...['>moved', '>load spread'],
];

export function replayCells(row: ReplayRow): string[] {
  return [
    row.policy,
    row.queue,
    row.pulls ? 'on' : 'off',
    ...[row.ttftMeanMs, row.ttftP50Ms, row.ttftP90Ms, row.ttftP99Ms, row.ttftMaxMs].map(time),
    share(row.within30s),
    share(row.requestsWithinSlo),
    share(row.tokensWithinSlo),
    time(row.tbtMeanMs),
    time(row.tbtP99Ms),
    String(row.rejected),
    share(row.tokenHitRatio),
    share(row.blockHitRatio),
    formatBytes(row.bytesMoved),
    row.loadSpread.toFixed(2),
  ];
}

function time(ms: number): string {
  return ms < 1000 ? `${ms.toFixed(ms < 100 ? 1 : 0)} ms` : `${(ms / 1000).toFixed(2)} s`;
}

function share(value: number): string {
  return `${(value * 100).toFixed(2)} %`;
}
