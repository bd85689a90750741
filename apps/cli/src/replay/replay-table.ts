import { formatBytes } from '../render/quantities.ts';
import { visibleWidth, type Paint } from '../render/terminal-text.ts';
import { textTable } from '../render/text-table.ts';
import type { ReplayRow } from './replay-run.ts';
import { hasServed, NO_FIGURE } from './served-figures.ts';

interface FigureColumn {
  /** As `textTable` takes it: `>` before what is put to the right. */
  title: string;
  cell: (row: ReplayRow) => string;
}

const runColumns: readonly FigureColumn[] = [
  { title: 'policy', cell: ({ policy }) => policy },
  { title: 'queue', cell: ({ queue }) => queue },
  { title: 'pulls', cell: ({ pulls }) => (pulls ? 'on' : 'off') },
];
const firstTokenColumns: readonly FigureColumn[] = [
  { title: '>TTFT mean', cell: ofServed((row) => time(row.ttftMeanMs)) },
  { title: '>P50', cell: ofServed((row) => time(row.ttftP50Ms)) },
  { title: '>P90', cell: ofServed((row) => time(row.ttftP90Ms)) },
  { title: '>P99', cell: ofServed((row) => time(row.ttftP99Ms)) },
  { title: '>max', cell: ofServed((row) => time(row.ttftMaxMs)) },
  { title: '>≤ 30 s', cell: (row) => share(row.within30s) },
  { title: '>in SLO', cell: (row) => share(row.requestsWithinSlo) },
  { title: '>tokens in', cell: (row) => share(row.tokensWithinSlo) },
];
const otherColumns: readonly FigureColumn[] = [
  { title: '>TBT mean', cell: ofServed((row) => time(row.tbtMeanMs)) },
  { title: '>TBT P99', cell: ofServed((row) => time(row.tbtP99Ms)) },
  { title: '>rejected', cell: ({ rejected }) => String(rejected) },
  { title: '>token hits', cell: ofServed((row) => share(row.tokenHitRatio)) },
  { title: '>block hits', cell: ofServed((row) => share(row.blockHitRatio)) },
  { title: '>moved', cell: ({ bytesMoved }) => formatBytes(bytesMoved) },
  { title: '>load spread', cell: ({ loadSpread }) => loadSpread.toFixed(2) },
];

/** The figures in two halves, each with the names of the runs, for where they do not fit side by side. */
export const figureHalves: readonly (readonly FigureColumn[])[] = [
  [...runColumns, ...firstTokenColumns],
  [...runColumns, ...otherColumns],
];

/**
 * The figures of all runs, one line each.
 *
 * @param columns of the terminal; where they do not suffice there are two tables instead of one
 */
export function replayTable(
  rows: readonly ReplayRow[],
  paint: Paint,
  columns = Number.POSITIVE_INFINITY,
): string[] {
  const table = (figures: readonly FigureColumn[]): string[] =>
    textTable(
      figures.map(({ title }) => title),
      rows.map((row) => figures.map(({ cell }) => cell(row))),
      paint,
    );
  const whole = table([...runColumns, ...firstTokenColumns, ...otherColumns]);
  if (whole.every((line) => visibleWidth(line) <= columns)) return whole;
  const [first = [], second = []] = figureHalves.map(table);
  return [...first, '', ...second];
}

function ofServed(cell: FigureColumn['cell']): FigureColumn['cell'] {
  return (row) => (hasServed(row) ? cell(row) : NO_FIGURE);
}

function time(ms: number): string {
  return ms < 1000 ? `${ms.toFixed(ms < 100 ? 1 : 0)} ms` : `${(ms / 1000).toFixed(2)} s`;
}

function share(value: number): string {
  return `${(value * 100).toFixed(2)} %`;
}
