import { setTimeout as sleep } from 'node:timers/promises';
import { BatonError } from '@baton/kv';
import { attributes as names } from '@baton/telemetry';
import type { RequestRecord } from '../render/request-line.ts';
import type { Paint } from '../render/terminal-text.ts';
import { renderTrace, renderTraceList } from '../render/trace-view.ts';
import { buildSpanTree, isComplete } from '../trace/span-tree.ts';
import type { StoredTrace } from '../trace/trace-store.ts';
import { getJson } from './running.ts';

/** Processes send their spans a fifth of a second after they ended; a person may ask sooner. */
const settleMs = 500;
const waitLimitMs = 3_000;
const pollIntervalMs = 100;

const noTraceYet = 'No trace yet: send a request first, e.g. the curl that "npm start" printed.';

export interface TraceCommandOptions {
  tracesUrl: string;
  json: boolean;
  paint: Paint;
  columns: number | undefined;
  print: (line: string) => void;
}

/** `baton trace last`, `baton trace ID` and `baton trace list`. */
export async function runTrace(which: string, options: TraceCommandOptions): Promise<void> {
  if (which === 'list') return listTraces(options);
  const trace =
    which === 'last' ? await settledLast(options.tracesUrl) : await traceById(which, options);
  if (trace === undefined) {
    return options.print(options.json ? 'null' : noTraceYet);
  }
  if (options.json) return options.print(JSON.stringify(trace, null, 2));
  for (const line of renderTrace(trace, options)) options.print(line);
}

async function listTraces(options: TraceCommandOptions): Promise<void> {
  const traces = await allTraces(options.tracesUrl);
  if (options.json) return options.print(JSON.stringify(traces, null, 2));
  if (traces.length === 0) return options.print(noTraceYet);
  for (const line of renderTraceList(traces, { ...options, nowMs: Date.now() }))
    options.print(line);
}

async function traceById(id: string, { tracesUrl }: TraceCommandOptions): Promise<StoredTrace> {
  if (!/^[0-9a-f]{1,32}$/i.test(id)) {
    throw new BatonError('config_invalid', `"${id}" is not a trace id, "last" or "list".`);
  }
  const wanted = id.toLowerCase();
  const fitting = (await allTraces(tracesUrl)).filter(({ traceId }) => traceId.startsWith(wanted));
  const [first] = fitting;
  if (first !== undefined && fitting.length === 1) return first;
  throw new BatonError(
    'config_invalid',
    first === undefined
      ? `No trace ${id} is kept: "npx baton trace list" shows those that are.`
      : `${fitting.length} traces begin with ${id}: give more of the id.`,
  );
}

/** The trace of the newest request, after its late spans have had time to arrive. */
async function settledLast(tracesUrl: string): Promise<StoredTrace | undefined> {
  const deadline = performance.now() + waitLimitMs;
  for (;;) {
    const [traces, request] = await Promise.all([allTraces(tracesUrl), lastRequest(tracesUrl)]);
    const newest = newestTrace(traces);
    if (newest === undefined && request === undefined) return undefined;
    if (performance.now() > deadline) return newest;
    if (newest !== undefined && !isAwaited(request, traces, newest) && isSettled(newest))
      return newest;
    await sleep(pollIntervalMs);
  }
}

function newestTrace(traces: readonly StoredTrace[]): StoredTrace | undefined {
  return traces.reduce<StoredTrace | undefined>(
    (best, trace) => (best === undefined || startOf(trace) > startOf(best) ? trace : best),
    undefined,
  );
}

/** True when the newest request is in the log and not yet among the traces. */
function isAwaited(
  request: RequestRecord | undefined,
  traces: readonly StoredTrace[],
  newest: StoredTrace,
): boolean {
  if (request === undefined || traces.some((trace) => isTraceOf(trace, request))) return false;
  return startOf(newest) < request.finishedAtMs - (request.durationMs ?? 0);
}

function isTraceOf({ traceId, spans }: StoredTrace, request: RequestRecord): boolean {
  if (request.traceId !== undefined) return traceId === request.traceId;
  return spans.some((span) => span.attributes[names.requestId] === request.requestId);
}

function startOf(trace: StoredTrace): number {
  return Math.min(...trace.spans.map((span) => span.startMs));
}

function isSettled(trace: StoredTrace): boolean {
  const endMs = Math.max(...trace.spans.map((span) => span.endMs));
  return isComplete(buildSpanTree(trace.spans)) && Date.now() - endMs > settleMs;
}

async function allTraces(tracesUrl: string): Promise<StoredTrace[]> {
  return ((await getJson(`${tracesUrl}/traces`)) as { traces: StoredTrace[] }).traces;
}

async function lastRequest(tracesUrl: string): Promise<RequestRecord | undefined> {
  const { requests } = (await getJson(`${tracesUrl}/requests`)) as { requests: RequestRecord[] };
  return requests[0];
}
