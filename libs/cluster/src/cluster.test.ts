import { expect, test } from 'vitest';
import { Cluster } from './cluster.ts';
import { canMoveKv, enginesMoveKv, layoutObstacle } from './layout-compatibility.ts';
import { sampleBeat, sampleFacts } from './testing/worker-sample.ts';
import { compareEpochs, type WorkerState } from './worker.ts';

const limits = { maxWorkers: 3, minLeaseMs: 500, maxLeaseMs: 10_000 };
const epoch = (startedAtMs: number, nonce = 0) => ({ startedAtMs, nonce });

test('a lease ends unless a beat renews it', () => {
  const cluster = new Cluster(limits);
  expect(cluster.beat(sampleBeat(), 1000)).toEqual({ kind: 'joined', replaced: false });
  expect(cluster.expire(3999)).toEqual([]);
  expect(cluster.beat(sampleBeat(), 3999)).toEqual({ kind: 'renewed', changed: false });
  expect(cluster.expire(6998)).toEqual([]);
  expect(cluster.expire(6999)).toEqual(['w1']);
  expect(cluster.pool('tiny')).toBeUndefined();
  expect(cluster.beat(sampleBeat(), 7000).kind).toBe('joined');
});

test('the lease that a beat asks for is kept within bounds', () => {
  const cluster = new Cluster(limits);
  cluster.beat(sampleBeat({}, { leaseMs: 0 }), 0);
  expect(cluster.get('w1')?.leaseUntilMs).toBe(500);
  cluster.beat(sampleBeat({}, { leaseMs: 1e9 }), 0);
  expect(cluster.get('w1')?.leaseUntilMs).toBe(10_000);
  cluster.renewAll(5000);
  expect(cluster.get('w1')?.leaseUntilMs).toBe(15_000);
});

test('a newer incarnation replaces, an older one is dropped even after the worker is gone', () => {
  const cluster = new Cluster(limits);
  cluster.beat(sampleBeat({}, { epoch: epoch(5, 1) }), 0);
  const stale = { kind: 'stale', replaced: true };
  expect(cluster.beat(sampleBeat({}, { epoch: epoch(5, 0) }), 1)).toEqual(stale);
  expect(cluster.beat(sampleBeat({}, { epoch: epoch(5, 2) }), 1)).toEqual({
    kind: 'joined',
    replaced: true,
  });
  cluster.expire(1e6);
  expect(cluster.beat(sampleBeat({}, { epoch: epoch(5, 1) }), 1e6)).toEqual(stale);
  expect(compareEpochs(epoch(1, 9), epoch(2, 0))).toBeLessThan(0);
});

test('an incarnation that has ended long ago locks nobody out, whatever its clock said', () => {
  const cluster = new Cluster(limits);
  cluster.beat(sampleBeat({}, { epoch: epoch(2 ** 53 - 1) }), 0);
  cluster.expire(10_000);
  const real = sampleBeat({}, { epoch: epoch(5) });
  expect(cluster.beat(real, 60_000).kind).toBe('stale');
  expect(cluster.beat(real, 80_000).kind).toBe('joined');
});

test('after a goodbye a late beat of the same incarnation does not bring the worker back', () => {
  const cluster = new Cluster(limits);
  cluster.beat(sampleBeat(), 0);
  expect(cluster.beat(sampleBeat({}, { state: 'leaving' }), 1)).toEqual({
    kind: 'left',
    known: true,
  });
  expect(cluster.beat(sampleBeat(), 2)).toEqual({ kind: 'stale', replaced: false });
  expect(cluster.beat(sampleBeat({}, { epoch: epoch(2) }), 2).kind).toBe('joined');
});

test('the number of workers and of remembered incarnations is bounded', () => {
  const cluster = new Cluster(limits);
  for (let i = 0; i < 3; i += 1) cluster.beat(sampleBeat({ workerId: `w${i}` }), 0);
  expect(cluster.beat(sampleBeat({ workerId: 'w3' }), 0)).toEqual({
    kind: 'refused',
    reason: 'more than 3 workers',
  });
});

test('a worker that comes back with another model decides nothing any more of the one it had', () => {
  const cluster = new Cluster(limits);
  cluster.beat(sampleBeat({ workerId: 'a', tokenization: 'other' }), 0);
  cluster.beat(sampleBeat({ workerId: 'b' }), 1);
  expect(cluster.get('b')).toMatchObject({ fitsPool: false });
  cluster.beat(sampleBeat({ workerId: 'a', model: 'large' }, { epoch: epoch(2) }), 2);
  expect(cluster.pool('tiny')?.workers.map((w) => w.facts.workerId)).toEqual(['b']);
});

test('a worker with another tokenization stays out of the pool and says why', () => {
  const cluster = new Cluster(limits);
  cluster.beat(sampleBeat({ workerId: 'b' }), 0);
  cluster.beat(sampleBeat({ workerId: 'a', tokenization: 'other' }), 1);
  expect(cluster.pool('tiny')?.workers.map((w) => w.facts.workerId)).toEqual(['b']);
  expect(cluster.get('a')).toMatchObject({ fitsPool: false });
  cluster.beat(sampleBeat({ workerId: 'a', tokenization: 'other' }), 2);
  expect(cluster.get('a')?.reason).toBe('tokenization or segment size is not that of b');
  cluster.remove('b', epoch(1), false, 3);
  expect(cluster.pool('tiny')?.tokenization).toBe('other');
});

test('what cannot serve keeps nobody out who can, and one that comes back does not take over', () => {
  const cluster = new Cluster(limits);
  const state = (workerId: string, tokenization: string, now: WorkerState): void =>
    void cluster.beat(sampleBeat({ workerId, tokenization }, { state: now }), 1);
  const served = (): unknown => cluster.pool('tiny')?.workers.map(({ facts }) => facts.workerId);
  cluster.beat(sampleBeat({ workerId: 'a', tokenization: 'wrong' }), 0);
  state('b', 'right', 'ready');
  state('c', 'right', 'starting');
  expect(served()).toEqual(['a']);
  state('a', 'wrong', 'draining');
  expect(served()).toEqual(['b', 'c']);
  expect(cluster.get('b')).toMatchObject({ fitsPool: true });
  state('b', 'right', 'ready');
  expect(cluster.get('b')?.reason).toBe('');
  state('a', 'wrong', 'ready');
  expect(served()).toEqual(['b', 'c']);
  // Nobody is ready: then nothing changes.
  state('a', 'wrong', 'starting');
  state('b', 'right', 'starting');
  expect(served()).toEqual(['b', 'c']);
  state('c', 'right', 'ready');
  expect(served()).toEqual(['b', 'c']);
});

test('a pool can do what every one of its workers can', () => {
  const cluster = new Cluster(limits);
  const { capabilities } = sampleFacts();
  const beat = (workerId: string, callTools: boolean, takeTokens: boolean) =>
    sampleBeat({ workerId, capabilities: { ...capabilities, callTools, takeTokens } });
  cluster.beat(beat('a', true, true), 0);
  expect(cluster.pool('tiny')?.capabilities).toMatchObject({ callTools: true, takeTokens: true });
  cluster.beat(beat('b', true, false), 0);
  cluster.beat(beat('c', true, true), 0);
  expect(cluster.pool('tiny')?.capabilities).toMatchObject({ callTools: true, takeTokens: false });
});

test('a pool is ready when somebody who may decode is, and takes the smallest context', () => {
  const cluster = new Cluster(limits);
  cluster.beat(sampleBeat({ workerId: 'p', role: 'prefill', maxModelTokens: 100 }), 0);
  expect(cluster.pool('tiny')?.ready).toBe(false);
  cluster.beat(sampleBeat({ workerId: 'd', role: 'decode' }, { state: 'starting' }), 0);
  expect(cluster.pool('tiny')?.ready).toBe(false);
  expect(cluster.beat(sampleBeat({ workerId: 'd', role: 'decode' }), 1)).toEqual({
    kind: 'renewed',
    changed: true,
  });
  expect(cluster.pool('tiny')).toMatchObject({ ready: true, maxModelTokens: 100 });
  expect(cluster.pools().map((pool) => pool.model)).toEqual(['tiny']);
});

test('where the only one who answers runs legs of pairs, a pool is ready with somebody who prefills', () => {
  const cluster = new Cluster(limits);
  cluster.beat(sampleBeat({ workerId: 'd', role: 'decode', pairOnly: true }), 0);
  expect(cluster.pool('tiny')?.ready).toBe(false);
  cluster.beat(sampleBeat({ workerId: 'p', role: 'prefill', pairOnly: true }), 0);
  expect(cluster.pool('tiny')?.ready).toBe(true);
});

test('KV moves between equal layouts, and with NIXL into smaller blocks and other ranks', () => {
  const baton = sampleFacts().layout;
  expect(canMoveKv(baton, { ...baton })).toBe(true);
  expect(layoutObstacle(baton, { ...baton, dtype: 'q8' })).toBe('dtype differs');
  expect(layoutObstacle(baton, { ...baton, segmentBytes: 1 })).toBe('segmentBytes differs');
  expect(canMoveKv(baton, { ...baton, ranks: 2 })).toBe(false);
  const nixl = { ...baton, connector: 'nixl' };
  expect(canMoveKv(nixl, { ...nixl, ranks: 2, blockTokens: 16 })).toBe(true);
  expect(canMoveKv({ ...nixl, blockTokens: 16 }, nixl)).toBe(false);
});

test.each([
  ['', false],
  ['llama', false],
  ['baton', false],
  ['nixl', true],
  ['mooncake', true],
  ['sglang-mori', true],
])('who moves KV by the connector %j: the engines by themselves is %j', (connector, isSo) => {
  expect(enginesMoveKv({ ...sampleFacts().layout, connector })).toBe(isSo);
});
