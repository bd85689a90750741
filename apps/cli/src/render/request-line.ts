import { formatBytes, formatCount, formatMs } from './quantities.ts';
import { padEnd, padStart, printable, type Paint } from './terminal-text.ts';

/** A finished request as the gateway logs it; everything that may be unknown is optional. */
export interface RequestRecord {
  requestId: string;
  traceId?: string | undefined;
  planId?: string | undefined;
  /** Wall clock of the log line, ms since 1970. */
  finishedAtMs: number;
  model?: string | undefined;
  mode?: string | undefined;
  prefillWorker?: string | undefined;
  decodeWorker?: string | undefined;
  promptTokens?: number | undefined;
  reusedTokens?: number | undefined;
  transferredTokens?: number | undefined;
  computedTokens?: number | undefined;
  movedBytes?: number | undefined;
  outputTokens?: number | undefined;
  ttftMs?: number | undefined;
  durationMs?: number | undefined;
  status?: number | undefined;
  outcome?: string | undefined;
  code?: string | undefined;
}

const routeWidth = 25;
const columns = [
  ['prompt', 7],
  ['reused', 7],
  ['moved', 7],
  ['computed', 9],
  ['bytes', 8],
  ['TTFT', 8],
  ['output', 7],
  ['took', 8],
] as const;

/** Heads the lines that `requestLine` makes. */
export function requestHeader(paint: Paint): string {
  const cells = columns.map(([name, width]) => padStart(name, width)).join(' ');
  return paint.dim(`${padEnd('time', 8)}  ${padEnd('prefill → decode', routeWidth)} ${cells}`);
}

/** One request: who served it, what became of its prompt tokens, what moved, how fast. */
export function requestLine(request: RequestRecord, paint: Paint): string {
  const { promptTokens, reusedTokens, transferredTokens, computedTokens } = request;
  const values = [
    count(promptTokens),
    highlight(count(reusedTokens), reusedTokens, paint.green),
    highlight(count(transferredTokens), transferredTokens, paint.cyan),
    count(computedTokens),
    request.movedBytes === undefined ? '-' : formatBytes(request.movedBytes),
    request.ttftMs === undefined ? '-' : formatMs(request.ttftMs),
    count(request.outputTokens),
    request.durationMs === undefined ? '-' : formatMs(request.durationMs),
  ];
  const cells = values.map((value, i) => padStart(value, columns[i]?.[1] ?? 0)).join(' ');
  const route = padEnd(printable(routeOf(request)), routeWidth);
  return `${paint.dim(clockTime(request.finishedAtMs))}  ${route} ${cells}${ending(request, paint)}`;
}

function routeOf({ prefillWorker, decodeWorker }: RequestRecord): string {
  if (prefillWorker === undefined && decodeWorker === undefined) return 'not planned';
  if (prefillWorker === decodeWorker) return `${decodeWorker} alone`;
  return `${prefillWorker ?? '?'} → ${decodeWorker ?? '?'}`;
}

function ending(request: RequestRecord, paint: Paint): string {
  const { outcome, status, code } = request;
  if (outcome === undefined || outcome === 'finished') return '';
  if (outcome === 'aborted') return `  ${paint.yellow('aborted by the client')}`;
  const detail = [status, code].filter((part) => part !== undefined).join(' ');
  return `  ${paint.red(printable(detail === '' ? outcome : `${outcome}: ${detail}`))}`;
}

function highlight(text: string, value: number | undefined, paint: (t: string) => string): string {
  return value !== undefined && value > 0 ? paint(text) : text;
}

function count(value: number | undefined): string {
  return value === undefined ? '-' : formatCount(value);
}

function clockTime(ms: number): string {
  const date = new Date(ms);
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}
