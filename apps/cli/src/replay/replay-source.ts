import path from 'node:path';
import { BatonError } from '@baton/kv';
import { workloadRate, workloads } from '@baton/sim';
import type { EngineCost, FleetSize, TraceRequest, WorkloadName } from '@baton/sim';
import { readTrace } from './read-trace.ts';
import { workloadNames, type ReplaySetup } from './replay-plan.ts';

/** Where the requests of a replay come from: a trace, or a generated workload. */
export type ReplaySource =
  | { kind: 'trace'; file: string }
  | { kind: 'workload'; name: WorkloadName; requests: number; requestsPerSec: number };

/** Share of the time that a workload keeps prefill workers busy where no rate is given, if nothing is computed twice. */
const USUAL_SHARE = 0.7;
/** Of which the rate is reckoned: equal whatever number is asked for. */
const SAMPLE_REQUESTS = 4_000;
const ALL = 'all';
const DAY_MS = 86_400_000;
/** Of simulated time, which costs seconds a day even when nothing happens. */
const MAX_DAYS = 31;

/** @throws BatonError config_invalid that names the workload which is not known */
export function workloadsOf(names: readonly string[]): WorkloadName[] {
  const named = new Set(names.flatMap((name) => (name === ALL ? workloadNames : [name])));
  return [...named].map((name) => {
    const known = workloadNames.find((one) => one === name);
    if (known !== undefined) return known;
    throw new BatonError(
      'config_invalid',
      `--workload: "${name}" is not known; known: ${[ALL, ...workloadNames].join(', ')}.`,
      { details: { field: '--workload' } },
    );
  });
}

/**
 * Sees that the replay has an end: time in which nothing arrives is simulated, too.
 *
 * @throws BatonError config_invalid that names the line, or the flag
 */
export function requireEnd(
  { source, speed }: Pick<ReplaySetup, 'source' | 'speed'>,
  requests: readonly TraceRequest[],
): void {
  const at = requests.findIndex(({ atMs }) => !(atMs / speed <= MAX_DAYS * DAY_MS));
  if (at < 0) return;
  const { atMs } = requests[at] as TraceRequest;
  const asFast = speed === 1 ? '' : ` at ${speed} times the speed`;
  const message =
    source.kind === 'trace'
      ? `line ${at + 1} of the trace: timestamp ${atMs} must be milliseconds since the log began, at most ${MAX_DAYS * DAY_MS * speed} (${MAX_DAYS} days${asFast})`
      : `--rate and --speed must be such that ${requests.length} requests arrive within ${MAX_DAYS} days, request ${at + 1} does not.`;
  throw new BatonError('config_invalid', message, { details: { field: 'timestamp' } });
}

/** Requests per second of a workload that a fleet can serve well if it computes little twice. */
export function usualRate(name: WorkloadName, cost: EngineCost, fleet: FleetSize): number {
  const { prefill = 0, aggregated = 0 } = fleet;
  const sample = workloads[name]({ requests: SAMPLE_REQUESTS, requestsPerSec: 10, seed: 1 });
  const rate = workloadRate(sample, cost, prefill + aggregated, USUAL_SHARE);
  return Number(rate.toPrecision(3));
}

/** For tables: a workload's name, or a trace's file without its folder. */
export function sourceName(source: ReplaySource): string {
  return source.kind === 'trace' ? path.basename(source.file) : source.name;
}

/**
 * The requests. Equal seeds give equal workloads; a trace knows no chance.
 *
 * @throws BatonError config_invalid for a trace, see {@link readTrace}
 */
export function readSource(source: ReplaySource, seed: number): [TraceRequest, ...TraceRequest[]] {
  if (source.kind === 'trace') return readTrace(source.file);
  const { name, requests, requestsPerSec } = source;
  const [first, ...others] = workloads[name]({ requests, requestsPerSec, seed });
  if (first === undefined) throw new RangeError('a workload has at least one request');
  return [first, ...others];
}
