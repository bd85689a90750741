import type { RequestRecord } from '../render/request-line.ts';

export type Severity = 'warning' | 'error';

/** What a line of a child's output means to the person at the terminal. */
export type LogLine =
  | { kind: 'request'; request: RequestRecord }
  | { kind: 'notice'; severity: Severity; fatal: boolean; message: string }
  | { kind: 'quiet' };

const maxDetailChars = 200;
const quiet: LogLine = { kind: 'quiet' };

/** Reads a line of a child: NDJSON of our own services, or the text of a program that is not ours. */
export function readLogLine(line: string): LogLine {
  if (!line.startsWith('{')) return readTextLine(line);
  let record: Record<string, unknown>;
  try {
    record = JSON.parse(line) as Record<string, unknown>;
  } catch {
    return quiet;
  }
  if (record['event'] === 'request') {
    const request = readRequest(record);
    if (request !== undefined) return { kind: 'request', request };
  }
  const level = record['level'];
  if (level !== 'warn' && level !== 'error' && level !== 'fatal') return quiet;
  const text = [record['msg'], errorText(record['err'])].find((part) => isText(part));
  const sentence = isText(text) ? text : String(record['event'] ?? level);
  return {
    kind: 'notice',
    severity: level === 'warn' ? 'warning' : 'error',
    fatal: level === 'fatal',
    message: `${sentence}${level === 'fatal' ? '' : whoAndWhy(record)}`,
  };
}

/** ` (decode-1: kv_transfer_failed, cut)`: what our services say in fields beside the message. */
function whoAndWhy(record: Record<string, unknown>): string {
  const first = (...keys: string[]): string | undefined =>
    keys.map((key) => record[key]).find(isText);
  // Lines of a worker's own process begin with its name.
  const isWorkers = record['service'] === 'agent' || record['service'] === 'engine';
  const who = isWorkers ? undefined : first('worker', 'workerId', 'destinationWorker');
  const why = [first('code'), first('message', 'fault', 'reason')].filter(isText).join(', ');
  const details = [who, why].filter(isText).join(': ');
  return details === '' ? '' : ` (${details.slice(0, maxDetailChars)})`;
}

/** A line of a child as a person reads it: `error transfer failed` instead of JSON. */
export function readableLine(line: string): string {
  if (!line.startsWith('{')) return line;
  try {
    const { level, event, msg, err } = JSON.parse(line) as Record<string, unknown>;
    return [level, msg ?? event, errorText(err)].filter(isText).join(' ');
  } catch {
    return line;
  }
}

/** nats-server marks its lines with [WRN], [ERR] and [FTL]. */
function readTextLine(line: string): LogLine {
  const mark = /\[(WRN|ERR|FTL)\] (.*)$/.exec(line);
  if (mark === null) return quiet;
  const [, level, message = ''] = mark;
  const severity = level === 'WRN' ? 'warning' : 'error';
  return { kind: 'notice', severity, fatal: level === 'FTL', message };
}

function readRequest(record: Record<string, unknown>): RequestRecord | undefined {
  const { requestId, time } = record;
  if (!isText(requestId)) return undefined;
  const finishedAtMs = typeof time === 'number' ? time : Date.parse(String(time));
  const text = (key: string): string | undefined => (isText(record[key]) ? record[key] : undefined);
  const number = (key: string): number | undefined =>
    typeof record[key] === 'number' ? record[key] : undefined;
  return {
    requestId,
    finishedAtMs: Number.isFinite(finishedAtMs) ? finishedAtMs : 0,
    traceId: text('traceId') ?? text('trace_id'),
    planId: text('planId'),
    model: text('model'),
    mode: text('mode'),
    prefillWorker: text('prefillWorker'),
    decodeWorker: text('decodeWorker'),
    promptTokens: number('promptTokens'),
    reusedTokens: number('reusedTokens'),
    transferredTokens: number('transferredTokens'),
    computedTokens: number('computedTokens'),
    movedBytes: number('movedBytes'),
    outputTokens: number('outputTokens'),
    ttftMs: number('ttftMs'),
    durationMs: number('durationMs'),
    status: number('status'),
    outcome: text('outcome'),
    code: text('code'),
  };
}

function errorText(err: unknown): string | undefined {
  return typeof err === 'object' && err !== null && 'message' in err && isText(err.message)
    ? err.message
    : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
