import { expect, test } from 'vitest';
import { Cluster } from './cluster.ts';
import { holdsAdapter } from './pool-adapters.ts';
import { sampleBeat } from './testing/worker-sample.ts';
import type { Role, WorkerState } from './worker.ts';

const sql = { name: 'sql', revision: '/1' };
const other = { name: 'sql', revision: '/2' };

function cluster(
  workers: Record<
    string,
    { held?: (typeof sql)[]; state?: WorkerState; role?: Role; pairOnly?: boolean }
  >,
): Cluster {
  const all = new Cluster({ maxWorkers: 10, minLeaseMs: 1, maxLeaseMs: 9_999 });
  for (const [workerId, { held, state = 'ready', role = 'both', pairOnly }] of Object.entries(
    workers,
  )) {
    const adapters = held && { held, slots: 1, used: [] };
    const facts = { workerId, role, pairOnly: pairOnly ?? false };
    all.beat(sampleBeat(facts, { state, adapters }), 0);
  }
  return all;
}

const adaptersOf = (all: Cluster) => [
  ...(all.pool(all.workers()[0]?.facts.model ?? '')?.adapters.values() ?? []),
];

test('of one name those weights are served that most ready workers have', () => {
  const ready = { a: { held: [sql] }, b: { held: [other] }, c: { held: [other] } };
  expect(adaptersOf(cluster(ready))).toEqual([{ ...other, ready: true }]);
  const away = { ...ready, b: { held: [other], state: 'starting' as const }, c: {} };
  expect(adaptersOf(cluster(away))).toEqual([{ ...sql, ready: true }]);
  expect(adaptersOf(cluster({ a: { held: [other] }, b: { held: [sql] } }))).toEqual([
    { ...sql, ready: true },
  ]);
});

test('an adapter is ready where one request can be served from start to end', () => {
  const decode = { held: [sql], role: 'decode' as const, pairOnly: true };
  const prefill = { role: 'prefill' as const, pairOnly: true };
  expect(adaptersOf(cluster({ d: decode, p: prefill }))).toMatchObject([{ ready: false }]);
  const both = { d: decode, p: { ...prefill, held: [sql] } };
  expect(adaptersOf(cluster(both))).toMatchObject([{ ready: true }]);
  const gone = { d: { ...decode, state: 'draining' as const }, p: { ...prefill, held: [sql] } };
  expect(adaptersOf(cluster(gone))).toMatchObject([{ ready: false }]);
});

test('one that is about to be unloaded counts as gone, until it is or stays after all', () => {
  const all = cluster({ a: { held: [sql] } });
  const told = (held: (typeof sql)[]) => {
    const adapters = { held, slots: 1, used: [] };
    all.beat(sampleBeat({ workerId: 'a', role: 'both', pairOnly: false }, { adapters }), 1);
    return adaptersOf(all).length;
  };
  all.setLeaving('a', sql, true);
  expect(adaptersOf(all)).toEqual([]);
  // Whoever sent this did not know yet.
  expect(told([sql])).toBe(0);
  all.setLeaving('a', sql, false);
  expect(told([sql])).toBe(1);
  all.setLeaving('a', sql, true);
  expect(told([])).toBe(0);
  // It was loaded again.
  expect(told([sql])).toBe(1);
  // Other weights under its name are another adapter.
  all.setLeaving('a', sql, true);
  expect(told([other])).toBe(1);
  all.setLeaving('nobody', sql, true);
  expect(all.get('nobody')).toBeUndefined();
});

test('a list that is another one is a change; what was used is none', () => {
  const all = cluster({ a: { held: [sql] } });
  const beat = (held: (typeof sql)[], used: string[]) =>
    all.beat(
      sampleBeat(
        { workerId: 'a', role: 'both', pairOnly: false },
        {
          adapters: { held, slots: 2, used },
        },
      ),
      1,
    );
  expect(beat([{ ...sql }], ['sql'])).toEqual({ kind: 'renewed', changed: false });
  expect(all.get('a')?.adapters).toMatchObject({ slots: 2, used: ['sql'] });
  expect(beat([other], [])).toEqual({ kind: 'renewed', changed: true });
  expect(adaptersOf(all)).toEqual([{ ...other, ready: true }]);
  const [worker] = all.workers();
  if (worker === undefined) throw new Error('there is one');
  expect([sql, other].map((adapter) => holdsAdapter(worker, adapter))).toEqual([false, true]);
});
