import { sameAdapter, type Adapter } from '@baton/kv';
import {
  canDecode,
  canPrefill,
  type WorkerAdapters,
  type WorkerFacts,
  type WorkerState,
} from './worker.ts';

/** An adapter as a pool serves it. */
export interface PoolAdapter extends Adapter {
  /** True when a request with it can be served from start to end. */
  ready: boolean;
}

/** What of a worker's record matters here. */
interface Holder {
  facts: WorkerFacts;
  state: WorkerState;
  adapters: WorkerAdapters | undefined;
}

/**
 * The adapters of a pool by name. Where workers have other weights under one name, those count that most of the ready
 * workers have, then most of all, then the first by their revision's name: one name is one model to clients.
 */
export function poolAdapters(workers: readonly Holder[]): Map<string, PoolAdapter> {
  const byName = new Map<string, Map<string, Holder[]>>();
  for (const worker of workers) {
    for (const { name, revision } of worker.adapters?.held ?? []) {
      const revisions = byName.get(name) ?? new Map<string, Holder[]>();
      byName.set(name, revisions);
      revisions.set(revision, [...(revisions.get(revision) ?? []), worker]);
    }
  }
  const adapters = [...byName].map(([name, revisions]): [string, PoolAdapter] => {
    const [[revision, holders] = ['', []]] = [...revisions].sort(
      ([a, ofA], [b, ofB]) =>
        readyOf(ofB).length - readyOf(ofA).length ||
        ofB.length - ofA.length ||
        (a < b ? -1 : Number(a > b)),
    );
    return [name, { name, revision, ready: canServe(holders) }];
  });
  return new Map(adapters.sort(([a], [b]) => (a < b ? -1 : Number(a > b))));
}

/** One request can be served from start to end by these. */
export function canServe(workers: readonly Holder[]): boolean {
  const atWork = readyOf(workers).map(({ facts }) => facts);
  return atWork.some(
    (facts) => canDecode(facts) && (facts.pairOnly !== true || atWork.some(canPrefill)),
  );
}

/** The worker has the adapter, with these weights. */
export function holdsAdapter({ adapters }: Holder, adapter: Adapter): boolean {
  return adapters?.held.some((held) => sameAdapter(held, adapter)) ?? false;
}

function readyOf(workers: readonly Holder[]): Holder[] {
  return workers.filter(({ state }) => state === 'ready');
}
