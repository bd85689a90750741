import {
  isUnderWay,
  type FleetView,
  type TransferView,
  type WorkerView,
} from '../top/fleet-view.ts';
import { formatBytes, formatCount, formatMs, formatRate } from './quantities.ts';
import { requestHeader, requestLine, type RequestRecord } from './request-line.ts';
import { clip, padEnd, padStart, printable, type Paint } from './terminal-text.ts';

export interface TopFrame {
  gatewayUrl: string;
  upMs: number;
  fleet: FleetView;
  /** By worker, measured between two looks. */
  rates: ReadonlyMap<string, { inBytesPerSec: number; outBytesPerSec: number }>;
  /** Newest first. */
  requests: readonly RequestRecord[];
  /** Why the fleet cannot be seen at the moment. */
  trouble?: string | undefined;
}

export interface FrameSize {
  columns: number;
  rows: number;
}

const barCells = 8;
const shownTransfers = 6;
const unlimitedRequests = 10;

/** The whole view as lines; with a size, not more rows and columns than that. */
export function renderTop(frame: TopFrame, paint: Paint, size: FrameSize | undefined): string[] {
  const upper = [
    ...headLines(frame, paint),
    '',
    ...workerTable(frame, paint),
    '',
    ...transferLines(frame.fleet.transfers, paint),
    '',
  ];
  const room = size === undefined ? unlimitedRequests : Math.max(0, size.rows - upper.length - 1);
  const lower = requestLines(frame.requests.slice(0, room), paint);
  const lines = [...upper, ...lower];
  if (size === undefined) return lines.map((line) => line.trimEnd());
  return lines.slice(0, size.rows).map((line) => clip(line.trimEnd(), size.columns));
}

function headLines({ gatewayUrl, upMs, fleet, rates, trouble }: TopFrame, paint: Paint): string[] {
  const models = [
    ...new Set(fleet.workers.map(({ model }) => model).filter((model) => model !== '')),
  ];
  const title = [
    paint.bold('Baton'),
    printable(models.join(', ')),
    gatewayUrl,
    `up ${formatMs(upMs)}`,
  ];
  const ready = (role: string): number =>
    fleet.workers.filter((worker) => worker.role === role && worker.state === 'ready').length;
  const movingNow = [...rates.values()].reduce((sum, rate) => sum + rate.inBytesPerSec, 0);
  const facts = [
    `${ready('prefill')} prefill, ${ready('decode')} decode ready`,
    `${fleet.livePlans} ${fleet.livePlans === 1 ? 'request' : 'requests'} under way`,
    `${formatBytes(fleet.movedBytes)} moved, now ${formatRate(movingNow)}`,
  ];
  return [
    title.filter((part) => part !== '').join(' · '),
    trouble === undefined ? facts.join(' · ') : paint.red(printable(trouble)),
  ];
}

type Cell = [text: string, width: number, align: 'left' | 'right'];

function workerTable(frame: TopFrame, paint: Paint): string[] {
  const { workers } = frame.fleet;
  if (workers.length === 0) return [paint.yellow('no worker has joined')];
  const idWidth = Math.max(9, ...workers.map(({ id }) => id.length));
  const tierNames = [...new Set(workers.flatMap(({ tiers }) => tiers.map(({ name }) => name)))];
  const head: Cell[] = [
    ['worker', idWidth, 'left'],
    ['role', 7, 'left'],
    ['state', 8, 'left'],
    ['run', 4, 'right'],
    ['wait', 4, 'right'],
    ['to prefill', 10, 'right'],
    ['KV blocks', barCells + 12, 'left'],
    ...tierNames.map((name): Cell => [`${name} segments`, barCells + 12, 'left']),
    ['in', 10, 'right'],
    ['out', 10, 'right'],
    ['pulls', 5, 'right'],
  ];
  return [
    paint.dim(tableRow(head)),
    ...workers.map((worker) => workerRow(worker, frame, head, paint)),
  ];
}

function workerRow(
  worker: WorkerView,
  frame: TopFrame,
  head: readonly Cell[],
  paint: Paint,
): string {
  const tierColumns = head.length - 10;
  const tierNames = head.slice(7, 7 + tierColumns).map(([name]) => name.replace(/ segments$/, ''));
  if (worker.state === 'gone') {
    const known = [worker.id, worker.role, 'gone'].map(printable);
    return paint.red(tableRow(known.map((text, i) => [text, head[i]?.[1] ?? 0, 'left'])));
  }
  const rate = frame.rates.get(worker.id);
  const tier = (name: string): string => {
    const found = worker.tiers.find((one) => one.name === name);
    return found === undefined ? '-' : fill(found.segments, found.capacitySegments, paint);
  };
  const texts = [
    printable(worker.id),
    printable(worker.role),
    stateText(worker.state, paint),
    formatCount(worker.running),
    formatCount(worker.waiting),
    formatCount(worker.pendingPrefillTokens),
    fill(worker.kvUsedBlocks, worker.kvCapacityBlocks, paint),
    ...tierNames.map(tier),
    rateText(rate?.inBytesPerSec, paint),
    rateText(rate?.outBytesPerSec, paint),
    formatCount(worker.pullsActive),
  ];
  const cells = texts.map((text, i): Cell => [text, head[i]?.[1] ?? 0, head[i]?.[2] ?? 'left']);
  const reason = worker.reason === '' ? '' : `  ${paint.yellow(printable(worker.reason))}`;
  return tableRow(cells) + reason;
}

function tableRow(cells: readonly Cell[]): string {
  return cells
    .map(([text, width, align]) => (align === 'left' ? padEnd(text, width) : padStart(text, width)))
    .join('  ');
}

function stateText(state: string, paint: Paint): string {
  const text = printable(state);
  return state === 'ready' ? paint.green(text) : paint.yellow(text);
}

function rateText(bytesPerSec: number | undefined, paint: Paint): string {
  if (bytesPerSec === undefined || bytesPerSec <= 0) return '-';
  return paint.cyan(formatRate(bytesPerSec));
}

/** `███░░░░░ 12/256` */
function fill(used: number, capacity: number, paint: Paint): string {
  const counts = `${formatCount(used)}/${formatCount(capacity)}`;
  if (capacity <= 0) return counts;
  const cells = Math.min(barCells, Math.ceil((used / capacity) * barCells));
  const bar = '█'.repeat(cells) + '░'.repeat(barCells - cells);
  return `${used >= capacity ? paint.yellow(bar) : paint.cyan(bar)} ${counts}`;
}

function transferLines(transfers: readonly TransferView[], paint: Paint): string[] {
  const active = transfers.filter(isUnderWay).length;
  const lines = [paint.dim(`transfers, ${active} under way`)];
  for (const transfer of transfers.slice(0, shownTransfers)) {
    const { sourceWorker, destinationWorker, reason, segments, orderedSegments } = transfer;
    const route = padEnd(printable(`${sourceWorker} → ${destinationWorker}`), 25);
    const tailOnly = orderedSegments === 0;
    const size = tailOnly ? 'tail only' : `${segments}/${orderedSegments} segments`;
    const facts = isUnderWay(transfer)
      ? [tailOnly ? size : `${orderedSegments} segments ordered`, paint.cyan('moving')]
      : [
          size,
          formatBytes(transfer.bytes),
          formatMs(transfer.durationMs),
          ...(transfer.bytesPerSec > 0 ? [formatRate(transfer.bytesPerSec)] : []),
          ...(transfer.status === 'done'
            ? []
            : [paint.red(printable(`${transfer.status} ${transfer.code}`))]),
        ];
    lines.push(`  ${route} ${padEnd(printable(reason), 9)} ${facts.join(' · ')}`);
  }
  if (transfers.length > shownTransfers) {
    lines.push(paint.dim(`  and ${transfers.length - shownTransfers} more`));
  }
  return lines;
}

function requestLines(requests: readonly RequestRecord[], paint: Paint): string[] {
  if (requests.length === 0) return [paint.dim('no request yet')];
  return [requestHeader(paint), ...requests.map((request) => requestLine(request, paint))];
}
