import { setTimeout as sleep } from 'node:timers/promises';
import { BatonError } from '@baton/kv';
import { askConductor } from '../index/index-target.ts';
import { field, list } from '../json-fields.ts';

/** What an engine counted is in the second beat after it at the latest. */
const BEATS = 2;
const SETTLE_LIMIT_MS = 30_000;

/** What all workers have counted since they began. */
export interface FleetCounters {
  computedTokens: number;
  movedTokens: number;
  movedBytes: number;
  /** Requests that were planned or refused, those of others too. */
  requests: number;
}

export interface CountedFleet {
  counters: FleetCounters;
  /** Incarnations of the workers: with another one counters begin anew. */
  workers: string;
}

interface WorkerState {
  id: string;
  incarnation: string;
  lastBeatAtMs: number;
}

/**
 * The counters once nothing is under way and each worker has had the time to tell.
 * @throws BatonError child_failed when others keep the fleet busy, or the conductor does not answer
 */
export async function settledCounters(
  url: string,
  pollMs: number,
  signal: AbortSignal,
): Promise<CountedFleet> {
  const beats = new Map<string, { count: number; lastAtMs: number }>();
  for (const startedMs = performance.now(); ; await sleep(pollMs, undefined, { signal })) {
    signal.throwIfAborted();
    const plans = await askConductor(url, '/plans?limit=1');
    const answer = await askConductor(url, '/workers');
    const states = list(field(answer, 'workers')).map(readState);
    const isQuiet = count(plans, 'live') + count(plans, 'waiting') === 0;
    if (!isQuiet) beats.clear();
    for (const { id, lastBeatAtMs } of states) {
      const known = beats.get(id);
      if (known === undefined) beats.set(id, { count: 0, lastAtMs: lastBeatAtMs });
      else if (known.lastAtMs !== lastBeatAtMs) {
        beats.set(id, { count: known.count + 1, lastAtMs: lastBeatAtMs });
      }
    }
    if (isQuiet && states.every(({ id }) => (beats.get(id)?.count ?? 0) >= BEATS)) {
      return counted(states, answer, plans);
    }
    if (performance.now() - startedMs > SETTLE_LIMIT_MS) {
      const why = isQuiet ? 'a worker is silent' : 'other requests are under way';
      throw new BatonError('child_failed', `The fleet does not come to rest: ${why}.`);
    }
  }
}

/** What was counted from the one moment to the other. @throws BatonError child_failed after a restart */
export function countedBetween(before: CountedFleet, after: CountedFleet): FleetCounters {
  if (before.workers !== after.workers) {
    const message = 'A worker came, went or restarted meanwhile, so nothing can be said.';
    throw new BatonError('child_failed', message);
  }
  const difference = (name: keyof FleetCounters): number =>
    after.counters[name] - before.counters[name];
  return {
    computedTokens: difference('computedTokens'),
    movedTokens: difference('movedTokens'),
    movedBytes: difference('movedBytes'),
    requests: difference('requests'),
  };
}

function counted(states: readonly WorkerState[], answer: unknown, plans: unknown): CountedFleet {
  const all = list(field(answer, 'workers')).map((worker) => field(worker, 'counters'));
  const sum = (name: string): number => all.reduce<number>((total, c) => total + count(c, name), 0);
  const totals = field(plans, 'totals');
  return {
    counters: {
      computedTokens: sum('tokensComputed'),
      movedTokens: sum('tokensTransferred'),
      movedBytes: sum('bytesIn'),
      requests: count(totals, 'planned') + count(totals, 'refused'),
    },
    workers: states
      .map(({ id, incarnation }) => `${id} ${incarnation}`)
      .sort()
      .join('\n'),
  };
}

function readState(worker: unknown): WorkerState {
  return {
    id: String(field(worker, 'workerId')),
    incarnation: JSON.stringify(field(worker, 'epoch') ?? null),
    lastBeatAtMs: count(worker, 'lastBeatAtMs'),
  };
}

function count(value: unknown, key: string): number {
  const found = field(value, key);
  return typeof found === 'number' && Number.isFinite(found) ? found : 0;
}
