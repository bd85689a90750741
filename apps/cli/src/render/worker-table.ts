import type { WorkerView } from '../top/fleet-view.ts';
import { formatCount, formatRate } from './quantities.ts';
import { padEnd, padStart, printable, visibleWidth, type Paint } from './terminal-text.ts';

/** By worker, measured between two looks. */
export type WorkerRates = ReadonlyMap<string, { inBytesPerSec: number; outBytesPerSec: number }>;

interface Column {
  title: string;
  width: number;
  align: 'left' | 'right';
  cells: string[];
}

const barCells = 8;
const gap = '  ';
/** What a narrow terminal does without, in this order, after the bars. */
const dispensable = ['pulls', 'to prefill', 'KV blocks', 'wait', 'run'];
/** Of a lost worker nothing else is known. */
const identityColumns = 3;

/** One row for each worker with as many columns as fit, and below it why it is not ready. */
export function workerTable(
  workers: readonly WorkerView[],
  rates: WorkerRates,
  paint: Paint,
  maxColumns: number | undefined,
): string[] {
  let columns = columnsOf(workers, rates, paint, true);
  if (!fits(columns, maxColumns)) columns = columnsOf(workers, rates, paint, false);
  for (const title of dispensable) {
    if (fits(columns, maxColumns)) break;
    columns = columns.filter((column) => column.title !== title);
  }
  const reasonIndent = ' '.repeat((columns[0]?.width ?? 0) + gap.length);
  const lines = [paint.dim(columns.map((c) => aligned(c, c.title)).join(gap))];
  for (const [i, worker] of workers.entries()) {
    const isGone = worker.state === 'gone';
    const shown = isGone ? columns.slice(0, identityColumns) : columns;
    const row = shown.map((c) => aligned(c, c.cells[i] ?? '')).join(gap);
    lines.push(isGone ? paint.red(row) : row);
    if (worker.reason !== '') lines.push(reasonIndent + paint.yellow(printable(worker.reason)));
  }
  return lines;
}

function columnsOf(
  workers: readonly WorkerView[],
  rates: WorkerRates,
  paint: Paint,
  bars: boolean,
): Column[] {
  const column = (
    title: string,
    minWidth: number,
    align: Column['align'],
    cell: (worker: WorkerView) => string,
  ): Column => {
    const cells = workers.map(cell);
    const width = Math.max(minWidth, title.length, ...cells.map(visibleWidth));
    return { title, width, align, cells };
  };
  const share = bars
    ? (used: number, capacity: number) => `${bar(used, capacity, paint)}${counts(used, capacity)}`
    : counts;
  const shareWidth = bars ? barCells + 12 : 7;
  const rateWidth = bars ? 10 : 9;
  const tierNames = [...new Set(workers.flatMap(({ tiers }) => tiers.map(({ name }) => name)))];
  return [
    column('worker', 9, 'left', ({ id }) => printable(id)),
    column('role', 7, 'left', ({ role }) => printable(role)),
    column('state', 8, 'left', ({ state }) => stateText(state, paint)),
    column('run', 4, 'right', ({ running }) => formatCount(running)),
    column('wait', 4, 'right', ({ waiting }) => formatCount(waiting)),
    column('to prefill', 10, 'right', (worker) => formatCount(worker.pendingPrefillTokens)),
    column('KV blocks', shareWidth, 'left', (w) => share(w.kvUsedBlocks, w.kvCapacityBlocks)),
    ...tierNames.map((name) =>
      column(bars ? `${name} segments` : name, shareWidth, 'left', ({ tiers }) => {
        const tier = tiers.find((one) => one.name === name);
        return tier === undefined ? '-' : share(tier.segments, tier.capacitySegments);
      }),
    ),
    column('in', rateWidth, 'right', ({ id }) => rateText(rates.get(id)?.inBytesPerSec, paint)),
    column('out', rateWidth, 'right', ({ id }) => rateText(rates.get(id)?.outBytesPerSec, paint)),
    column('pulls', 5, 'right', ({ pullsActive }) => formatCount(pullsActive)),
  ];
}

function fits(columns: readonly Column[], maxColumns: number | undefined): boolean {
  const width = columns.reduce((sum, column) => sum + column.width + gap.length, -gap.length);
  return maxColumns === undefined || width <= maxColumns;
}

function aligned({ align, width }: Column, text: string): string {
  return align === 'left' ? padEnd(text, width) : padStart(text, width);
}

function stateText(state: string, paint: Paint): string {
  const text = printable(state);
  if (state === 'gone') return text;
  return state === 'ready' ? paint.green(text) : paint.yellow(text);
}

function rateText(bytesPerSec: number | undefined, paint: Paint): string {
  if (bytesPerSec === undefined || bytesPerSec <= 0) return '-';
  return paint.cyan(formatRate(bytesPerSec));
}

function counts(used: number, capacity: number): string {
  return `${formatCount(used)}/${formatCount(capacity)}`;
}

/** `███░░░░░ `, nothing without a capacity. */
function bar(used: number, capacity: number, paint: Paint): string {
  if (capacity <= 0) return '';
  const cells = Math.min(barCells, Math.ceil((used / capacity) * barCells));
  const text = '█'.repeat(cells) + '░'.repeat(barCells - cells);
  return `${used >= capacity ? paint.yellow(text) : paint.cyan(text)} `;
}
