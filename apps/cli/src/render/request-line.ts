import { formatBytes, formatCount, formatMs } from './quantities.ts';
import { padEnd, padStart, printable, visibleWidth, type Paint } from './terminal-text.ts';

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

/** Of workers as `npm start` names them; others need more. */
const usualRouteWidth = 25;
const maxRouteWidth = 60;
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
type ColumnName = (typeof columns)[number][0];

/** What a narrow terminal does without, in this order. */
const dispensable: readonly ColumnName[] = ['moved', 'bytes', 'prompt', 'computed', 'reused'];
const timeWidth = 8;

export interface RequestLineSize {
  maxColumns?: number | undefined;
  /** Columns that the names of workers take, see {@link routeWidthOf}. */
  routeWidth?: number;
}

/** Columns in which the workers of all these requests have room. */
export function routeWidthOf(requests: readonly RequestRecord[]): number {
  const longest = requests.map((request) => visibleWidth(printable(routeOf(request))));
  return Math.min(maxRouteWidth, Math.max(usualRouteWidth, ...longest));
}

/** Heads the lines that `requestLine` makes for the same size. */
export function requestHeader(paint: Paint, size: RequestLineSize = {}): string {
  const { routeWidth = usualRouteWidth } = size;
  const cells = fitting(size).map(([name, width]) => padStart(name, width));
  const time = padEnd('time', timeWidth);
  return paint.dim(`${time}  ${padEnd('prefill → decode', routeWidth)} ${cells.join(' ')}`);
}

/** Those columns that fit; without a limit all. */
function fitting({
  maxColumns = Infinity,
  routeWidth = usualRouteWidth,
}: RequestLineSize): (typeof columns)[number][] {
  let left = [...columns];
  for (const name of dispensable) {
    const cells = left.reduce((sum, [, width]) => sum + 1 + width, 0);
    if (timeWidth + 2 + routeWidth + cells <= maxColumns) break;
    left = left.filter(([other]) => other !== name);
  }
  return left;
}

/** One request: who served it, what became of its prompt tokens, what moved, how fast. */
export function requestLine(
  request: RequestRecord,
  paint: Paint,
  size: RequestLineSize = {},
): string {
  const { routeWidth = usualRouteWidth } = size;
  const { promptTokens, reusedTokens, transferredTokens, computedTokens } = request;
  const values: Record<ColumnName, string> = {
    prompt: count(promptTokens),
    reused: highlight(count(reusedTokens), reusedTokens, paint.green),
    moved: highlight(count(transferredTokens), transferredTokens, paint.cyan),
    computed: count(computedTokens),
    bytes: request.movedBytes === undefined ? '-' : formatBytes(request.movedBytes),
    TTFT: request.ttftMs === undefined ? '-' : formatMs(request.ttftMs),
    output: count(request.outputTokens),
    took: request.durationMs === undefined ? '-' : formatMs(request.durationMs),
  };
  const shown = fitting(size).map(([name, width]) => padStart(values[name], width));
  const cells = shown.join(' ');
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
