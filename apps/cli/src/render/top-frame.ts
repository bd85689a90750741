import { isUnderWay, type FleetView, type TransferView } from '../top/fleet-view.ts';
import { formatBytes, formatMs, formatRate } from './quantities.ts';
import { requestHeader, requestLine, routeWidthOf, type RequestRecord } from './request-line.ts';
import { clip, padEnd, printable, type Paint } from './terminal-text.ts';
import { workerTable, type WorkerRates } from './worker-table.ts';

export interface TopFrame {
  gatewayUrl: string;
  upMs: number;
  fleet: FleetView;
  rates: WorkerRates;
  /** Newest first. */
  requests: readonly RequestRecord[];
  /** Why the fleet cannot be seen at the moment. */
  trouble?: string | undefined;
}

export interface FrameSize {
  columns: number;
  rows: number;
}

const shownTransfers = 6;
const unlimitedRequests = 10;

/** The whole view as lines; with a size, not more rows and columns than that. */
export function renderTop(frame: TopFrame, paint: Paint, size: FrameSize | undefined): string[] {
  const upper = [
    ...headLines(frame, paint),
    '',
    ...workerLines(frame, paint, size?.columns),
    '',
    ...transferLines(frame.fleet.transfers, paint),
    '',
  ];
  const room = size === undefined ? unlimitedRequests : Math.max(0, size.rows - upper.length - 1);
  const lower = requestLines(frame.requests.slice(0, room), paint, size?.columns);
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

function workerLines({ fleet, rates }: TopFrame, paint: Paint, columns?: number): string[] {
  if (fleet.workers.length === 0) return [paint.yellow('no worker has joined')];
  return workerTable(fleet.workers, rates, paint, columns);
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

function requestLines(
  requests: readonly RequestRecord[],
  paint: Paint,
  maxColumns?: number,
): string[] {
  if (requests.length === 0) return [paint.dim('no request yet')];
  const size = { maxColumns, routeWidth: routeWidthOf(requests) };
  return [
    requestHeader(paint, size),
    ...requests.map((request) => requestLine(request, paint, size)),
  ];
}
