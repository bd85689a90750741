import { KEY_BYTES, keyHex, SeededRandom } from '@baton/kv';
import { baton } from '@baton/proto';
import { eventually } from '@baton/test-kit';
import { openFaultProxy } from '@baton/transfer-engines/testing';
import { parseAddress } from '@baton/transfer-engines';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FakeEngine, promptOf, SEGMENT_BYTES } from './testing/fake-engine.ts';
import { TestFleet } from './testing/test-fleet.ts';
import type { TestWorker } from './testing/test-fleet.ts';

const { LOAD_STATUS_COMPLETE, LOAD_STATUS_FAILED, LOAD_STATUS_MISSING, LOAD_STATUS_TIMEOUT } =
  baton.v1.LoadStatus;
const { TIER_DRAM, TIER_HBM } = baton.v1.Tier;
const { WORKER_STATE_LEAVING, WORKER_STATE_STARTING } = baton.v1.WorkerState;

let fleet: TestFleet;
beforeEach(async () => void (fleet = await TestFleet.start()));
afterEach(async () => {
  expect(await fleet.stop()).toEqual([]);
});

async function pair(settings: object = {}): Promise<[TestWorker, TestWorker]> {
  return [await fleet.add('p1', settings), await fleet.add('d1', settings)];
}

const handoverLoad = (engine: FakeEngine, planId: string, keys: Uint8Array) =>
  engine.load({ requestId: `decode-${planId}`, planId, keys, handover: true });

test('a worker is announced as its engine describes it, and says goodbye', async () => {
  const { agent, engine } = await fleet.add('p1');
  const beat = fleet.beats.get('p1');
  expect(beat?.worker).toMatchObject({
    workerId: 'p1',
    role: baton.v1.Role.ROLE_PREFILL,
    model: 'fake',
    transferAddress: agent.transferAddress,
    dramCapacitySegments: engine.hello?.pageCount,
    segmentTokens: 64,
  });
  expect(beat?.leaseMs).toBe(3000);
  expect(beat?.tiers.map(({ tier }) => tier)).toEqual([TIER_HBM, TIER_DRAM]);
  engine.loadReport = { runningSequences: 3, kvUsedBlocks: 7 };
  await eventually(() => fleet.beats.get('p1')?.loads[0]?.runningSequences === 3);
  const told = fleet.beats.get('p1')?.loads[0]?.report ?? 0;
  expect(told).toBeGreaterThan(0);
  await agent.stop();
  await eventually(() => fleet.beats.get('p1')?.state === WORKER_STATE_LEAVING);
});

test('beats come as often as configured, and three of them fit into a lease', async () => {
  await fleet.add('p1', { beatIntervalMs: 50 });
  const before = fleet.states.length;
  const since = performance.now();
  await eventually(() => fleet.states.length >= before + 10);
  expect(performance.now() - since).toBeLessThan(5_000);
  expect(fleet.beats.get('p1')?.leaseMs).toBe(3_000);
  await fleet.add('d1', { beatIntervalMs: 4_000 });
  expect(fleet.beats.get('d1')?.leaseMs).toBe(12_000);
});

test('the engine’s cache is told as it changes, and forgotten with the engine', async () => {
  const { engine } = await fleet.add('p1');
  const prompt = promptOf(1, 5);
  await engine.store(prompt);
  await eventually(() => fleet.held('p1', TIER_HBM).size === 5);
  expect(fleet.held('p1', TIER_HBM)).toEqual(new Set(prompt.hex));
  await engine.publish({ type: 'BlockRemoved', blockHash: prompt.keys.subarray(64, 80) });
  await eventually(() => fleet.held('p1', TIER_HBM).size === 4);
  await eventually(() => fleet.agrees('p1'));
  await engine.kill();
  await eventually(() => fleet.held('p1', TIER_HBM).size === 0);
  await eventually(() => fleet.beats.get('p1')?.state === WORKER_STATE_STARTING);
  expect(fleet.beats.get('p1')?.reason).toContain('engine is gone');
  await eventually(() => fleet.agrees('p1'));
});

test('segments with a hash that does not follow from their tokens are not announced', async () => {
  const { engine, agent } = await fleet.add('p1');
  const right = promptOf(1, 2);
  await engine.publish({
    type: 'BlockStored',
    blockHashes: [right.keys.subarray(0, 16)],
    parentBlockHash: null,
    tokenIds: promptOf(2, 1).tokens,
    blockSize: 64,
    extraKeys: [null],
  });
  await engine.store(right, 1);
  await eventually(() => fleet.held('p1', TIER_HBM).size === 1);
  expect(agent.counters.eventMismatches).toBe(1);
});

test('a snapshot is what the deltas say', async () => {
  const { engine } = await fleet.add('p1');
  await engine.store(promptOf(1, 7));
  await engine.prefill('a', promptOf(2, 4).keys);
  await eventually(() => fleet.held('p1', TIER_DRAM).size === 4);
  await eventually(() => fleet.held('p1', TIER_HBM).size === 7);
  const chunks: baton.v1.SnapshotChunk[] = [];
  const outcome = await fleet.bus.requestSnapshot(
    'p1',
    { snapshotId: 9 },
    { timeoutMs: 10_000, onChunk: (chunk) => void chunks.push(chunk) },
  );
  expect(outcome).toEqual({ ok: true, chunks: 2 });
  expect(chunks[0]?.seq).toBe(fleet.deltas.get('p1')?.at(-1)?.seq);
  for (const tier of [TIER_HBM, TIER_DRAM]) {
    const ops = chunks.flatMap(({ ops }) => ops).filter((op) => op.tier === tier);
    const bytes = ops.reduce((sum, op) => sum + (op.keys?.length ?? 0), 0);
    expect(bytes / 16).toBe(fleet.held('p1', tier).size);
  }
});

type Step = 'order' | 'load' | 'prefill';
const orders: Step[][] = [
  ['order', 'load', 'prefill'],
  ['order', 'prefill', 'load'],
  ['load', 'order', 'prefill'],
  ['load', 'prefill', 'order'],
  ['prefill', 'order', 'load'],
  ['prefill', 'load', 'order'],
];

test.each(orders)('a handover that begins with %s, then %s, then %s', async (...steps) => {
  const [p1, d1] = await pair();
  const { keys } = promptOf(3, 6);
  let loading: ReturnType<FakeEngine['load']> | undefined;
  for (const step of steps) {
    if (step === 'order') {
      expect(await fleet.order(d1, p1, { planId: 'a', keys, withTail: true })).toMatchObject({
        accepted: true,
      });
    } else if (step === 'load') {
      loading = handoverLoad(d1.engine, 'a', keys);
    } else {
      await p1.engine.prefill('a', keys);
    }
  }
  const result = await loading;
  expect(result).toMatchObject({ status: LOAD_STATUS_COMPLETE, message: '' });
  expect(result?.segments.map(({ transferred }) => transferred)).toEqual(Array(6).fill(true));
  expect(result?.tail).toMatchObject({ bytes: 500, state: { outputTokenIds: [7] } });
  d1.engine.end('decode-a', 'a', 'decode');
  await fleet.idle();
  await eventually(() => fleet.results.length === 1);
  expect(fleet.results[0]).toMatchObject({
    status: baton.v1.TransferStatus.TRANSFER_STATUS_DONE,
    segments: 6,
    bytes: 6 * SEGMENT_BYTES + 500,
    workerId: 'd1',
    backend: 'tcp',
  });
  expect(d1.agent.counters).toMatchObject({ handoversReceived: 1, tokensReused: 1 });
  // The replica stays.
  await eventually(() => fleet.held('d1', TIER_DRAM).size === 6);
  const again = await d1.engine.load({ requestId: 'again', planId: '', keys });
  expect(again).toMatchObject({ status: LOAD_STATUS_COMPLETE });
  expect(again.segments.every(({ transferred }) => !transferred)).toBe(true);
  d1.engine.end('again', '', 'aggregated');
  await fleet.idle();
});

test('each byte is copied once at each of the four places, and nowhere else', async () => {
  const [p1, d1] = await pair();
  const { keys } = promptOf(4, 8);
  await fleet.order(d1, p1, { planId: 'a', keys, withTail: true });
  await p1.engine.prefill('a', keys, { tailBytes: 123 });
  await handoverLoad(d1.engine, 'a', keys);
  d1.engine.end('decode-a', 'a', 'decode');
  const bytes = 8 * SEGMENT_BYTES + 123;
  await eventually(() => p1.agent.copies.sentBytes === bytes);
  expect(p1.agent.copies).toEqual({
    exportedBytes: bytes,
    sentBytes: bytes,
    receivedBytes: 0,
    importedBytes: 0,
  });
  expect(d1.agent.copies).toEqual({
    exportedBytes: 0,
    sentBytes: 0,
    receivedBytes: bytes,
    importedBytes: bytes,
  });
});

test('segments leave while the prefill computes, before its tail', async () => {
  const [p1, d1] = await pair();
  const { keys } = promptOf(5, 4);
  await fleet.order(d1, p1, { planId: 'a', keys, withTail: true });
  const loading = handoverLoad(d1.engine, 'a', keys);
  let arrived = 0;
  await p1.engine.prefill('a', keys, {
    async pause() {
      await eventually(() => fleet.held('d1', TIER_DRAM).size === arrived);
      arrived += 1;
    },
  });
  expect((await loading).status).toBe(LOAD_STATUS_COMPLETE);
  d1.engine.end('decode-a', 'a', 'decode');
  await fleet.idle();
});

test('a prefill that takes longer than a stall may last is no stall', async () => {
  const [p1, d1] = await pair({ transferStallMs: 400 });
  const { keys } = promptOf(23, 2);
  await fleet.order(d1, p1, { planId: 'a', keys, withTail: true });
  const loading = handoverLoad(d1.engine, 'a', keys);
  await p1.engine.prefill('a', keys, { pause: () => new Promise((go) => setTimeout(go, 1_000)) });
  expect((await loading).status).toBe(LOAD_STATUS_COMPLETE);
  expect(d1.agent.counters.stalls).toBe(0);
  d1.engine.end('decode-a', 'a', 'decode');
  await fleet.idle();
});

test('a prompt that decode holds already is a tail alone, and a whole prompt has none', async () => {
  const [p1, d1] = await pair();
  const none = new Uint8Array();
  await fleet.order(d1, p1, { planId: 'a', keys: none, withTail: true });
  await p1.engine.prefill('a', none);
  expect(await handoverLoad(d1.engine, 'a', none)).toMatchObject({ tail: { bytes: 500 } });
  d1.engine.end('decode-a', 'a', 'decode');
  const { keys } = promptOf(6, 2);
  await fleet.order(d1, p1, { planId: 'b', keys, withTail: true });
  await p1.engine.prefill('b', keys, { tailBytes: 0 });
  const whole = await handoverLoad(d1.engine, 'b', keys);
  expect(whole).toMatchObject({ status: LOAD_STATUS_COMPLETE, tail: { bytes: 0 } });
  d1.engine.end('decode-b', 'b', 'decode');
  await fleet.idle();
});

test('only what is lacking is pulled, and only what is lacking is granted', async () => {
  const [p1, d1] = await pair();
  const short = promptOf(7, 3);
  const long = promptOf(7, 6);
  for (const [planId, { keys }] of [
    ['a', short],
    ['b', long],
  ] as const) {
    await fleet.order(d1, p1, { planId, keys, withTail: true });
    const grant = await p1.engine.prefill(planId, keys);
    if (planId === 'b') expect(grant.pages.slice(0, 3)).toEqual([undefined, undefined, undefined]);
    const { segments } = await handoverLoad(d1.engine, planId, keys);
    const transferred = segments.map((segment) => segment.transferred);
    if (planId === 'b') expect(transferred).toEqual([false, false, false, true, true, true]);
    d1.engine.end(`decode-${planId}`, planId, 'decode');
  }
  await eventually(() => fleet.results.length === 2);
  expect(fleet.results.map(({ segments }) => segments)).toEqual([3, 3]);
  await fleet.idle();
});

test.each([
  ['aborted', 'transfer_cancelled'],
  ['failed', 'engine_failed'],
  ['finished', 'engine_failed'],
])('a prefill that %s without a handover: decode hears it at once', async (outcome, code) => {
  const [p1, d1] = await pair();
  const { keys } = promptOf(8, 4);
  await fleet.order(d1, p1, { planId: 'a', keys, withTail: true });
  const loading = handoverLoad(d1.engine, 'a', keys);
  const grant = await p1.engine.reserve('r', 'a', keys);
  p1.engine.commit('r', 'a', keys.subarray(0, 16), grant.pages[0] ?? -1);
  await eventually(() => fleet.held('d1', TIER_DRAM).size === 1);
  p1.engine.end('r', 'a', 'prefill', outcome);
  expect(await loading).toMatchObject({
    status: LOAD_STATUS_FAILED,
    message: expect.stringContaining(code) as string,
  });
  d1.engine.end('decode-a', 'a', 'decode', 'failed');
  await fleet.idle();
  await eventually(() => fleet.results.length === 1);
  expect(fleet.results[0]?.status).toBe(baton.v1.TransferStatus.TRANSFER_STATUS_PARTIAL);
  const levels = fleet.logged.filter(({ event }) => event === 'transfer').map((l) => l.level);
  expect(levels).toEqual([outcome === 'aborted' ? 'info' : 'warn']);
  expect(d1.agent.counters.handoversFailed).toBe(1);
});

test('a prefill that dies before it has begun', async () => {
  const [p1, d1] = await pair();
  const { keys } = promptOf(8, 4);
  await fleet.order(d1, p1, { planId: 'a', keys, withTail: true });
  const loading = handoverLoad(d1.engine, 'a', keys);
  await eventually(
    () => p1.agent.counters.pullsActive === 0 && d1.agent.counters.pullsActive === 1,
  );
  p1.engine.end('r', 'a', 'prefill', 'aborted');
  expect((await loading).status).toBe(LOAD_STATUS_FAILED);
  d1.engine.end('decode-a', 'a', 'decode', 'failed');
  await fleet.idle();
});

test('a cancelled plan gives everything back on both sides, whatever its stage', async () => {
  const [p1, d1] = await pair();
  const { keys } = promptOf(9, 4);
  for (const stage of [0, 1, 2, 3, 4]) {
    const planId = `plan-${stage}`;
    const requestId = `r-${stage}`;
    if (stage > 0) await fleet.order(d1, p1, { planId, keys, withTail: true });
    const loading = stage > 1 ? handoverLoad(d1.engine, planId, keys) : undefined;
    const grant = stage > 2 ? await p1.engine.reserve(requestId, planId, keys) : undefined;
    if (grant && stage > 3) p1.engine.ready(requestId, planId, grant.tailPage, 50);
    for (const worker of [p1, d1]) fleet.bus.publishCancel(worker.id, { planId, reason: 'test' });
    if (loading) expect((await loading).status).toBe(LOAD_STATUS_FAILED);
    // The engines hear of it by their own way.
    if (grant) p1.engine.end(requestId, planId, 'prefill', 'aborted');
    if (loading) d1.engine.end(`decode-${planId}`, planId, 'decode', 'aborted');
    await fleet.idle();
    const late = await fleet.order(d1, p1, { planId, keys, withTail: true });
    expect(late).toMatchObject({ accepted: false, code: 'transfer_cancelled' });
    expect((await p1.engine.reserve(`late-${stage}`, planId, keys)).refused).toBe(true);
    p1.engine.end(`late-${stage}`, planId, 'prefill', 'aborted');
    await fleet.idle();
  }
  const transfers = fleet.logged.filter(({ event }) => event === 'transfer');
  expect(transfers.length).toBeGreaterThan(0);
  // The last stage has a tail without its segments, which is a fault of its own.
  const faults = transfers.filter(({ level }) => level === 'warn').map(({ code }) => code);
  expect(faults.filter((code) => code !== 'segment_not_found')).toEqual([]);
});

test('a load that nobody orders anything for is not kept waiting', async () => {
  const { engine } = await fleet.add('d1');
  const { keys } = promptOf(10, 3);
  const now = performance.now();
  const missing = await engine.load({ requestId: 'r1', planId: 'a', keys });
  expect(missing).toMatchObject({ status: LOAD_STATUS_MISSING, segments: [] });
  expect(performance.now() - now).toBeLessThan(900);
  const promised = await engine.load({ requestId: 'r2', planId: 'a', keys, expectedSegments: 2 });
  expect(promised.status).toBe(LOAD_STATUS_MISSING);
  const short = { requestId: 'r3', planId: 'a', keys, handover: true, timeoutMs: 100 };
  expect((await engine.load(short)).status).toBe(LOAD_STATUS_TIMEOUT);
});

test('a prefix that only the engine’s cache holds is exported for whoever pulls it', async () => {
  const [p1, d1] = await pair();
  const prompt = promptOf(11, 5);
  await p1.engine.store(prompt);
  await eventually(() => fleet.held('p1', TIER_HBM).size === 5);
  const loading = d1.engine.load({
    requestId: 'r',
    planId: 'a',
    keys: prompt.keys,
    expectedSegments: 5,
  });
  await fleet.order(d1, p1, { planId: 'a', keys: prompt.keys });
  const result = await loading;
  expect(result.status).toBe(LOAD_STATUS_COMPLETE);
  expect(result.segments).toHaveLength(5);
  expect(p1.engine.exportsAsked).toBe(1);
  d1.engine.end('r', 'a', 'prefill');
  await fleet.idle();
});

test('a prefix that comes from two workers: a load waits for the second order, too', async () => {
  const [p1, d1] = await pair();
  const p2 = await fleet.add('p2');
  const prompt = promptOf(13, 5);
  for (const source of [p1, p2]) await source.engine.store(prompt);
  await eventually(() => fleet.held('p2', TIER_HBM).size === 5);
  const cut = 3 * KEY_BYTES;
  const loading = d1.engine.load({
    requestId: 'r',
    planId: 'a',
    keys: prompt.keys,
    expectedSegments: 5,
  });
  await fleet.order(d1, p1, { planId: 'a', keys: prompt.keys.subarray(0, cut) });
  await eventually(() => fleet.held('d1', TIER_DRAM).size === 3);
  await fleet.order(d1, p2, { planId: 'a', keys: prompt.keys.subarray(cut) });
  const result = await loading;
  expect(result.status).toBe(LOAD_STATUS_COMPLETE);
  expect(result.segments).toHaveLength(5);
  d1.engine.end('r', 'a', 'prefill');
  await fleet.idle();
});

test('an engine that has evicted what it is asked for, or does not answer, ends the pull', async () => {
  const [p1, d1] = await pair();
  const prompt = promptOf(12, 5);
  await p1.engine.store(prompt);
  await eventually(() => fleet.held('p1', TIER_HBM).size === 5);
  for (const key of prompt.hex.slice(3)) p1.engine.inHbm.delete(key);
  await fleet.order(d1, p1, { planId: 'a', keys: prompt.keys });
  await eventually(() => fleet.results.length === 1);
  expect(fleet.results[0]).toMatchObject({ segments: 3, code: 'segment_not_found' });
  p1.engine.answersExports = false;
  await fleet.order(d1, p1, { planId: 'b', keys: prompt.keys });
  await eventually(() => fleet.results.length === 2);
  expect(fleet.results[1]).toMatchObject({ segments: 0, code: 'segment_not_found' });
});

test('a source that is killed fails the load at once', async () => {
  const [p1, d1] = await pair();
  const { keys } = promptOf(13, 4);
  const proxy = await openFaultProxy(parseAddress(p1.agent.transferAddress)!);
  await fleet.order(d1, p1, { planId: 'a', keys, withTail: true, sourceAddress: proxy.address });
  const loading = handoverLoad(d1.engine, 'a', keys);
  const grant = await p1.engine.reserve('r', 'a', keys);
  p1.engine.commit('r', 'a', keys.subarray(0, 16), grant.pages[0] ?? -1);
  await eventually(() => fleet.held('d1', TIER_DRAM).size === 1);
  proxy.cutAll();
  expect(await loading).toMatchObject({
    status: LOAD_STATUS_FAILED,
    message: expect.stringContaining('transfer_cut') as string,
  });
  d1.engine.end('decode-a', 'a', 'decode', 'failed');
  p1.engine.end('r', 'a', 'prefill', 'aborted');
  await fleet.idle();
  expect(d1.agent.counters.cuts).toBe(1);
  await proxy.close();
});

test.each(['flip', 'cut', 'stall'] as const)('a wire that does %s', async (kind) => {
  const [p1, d1] = await pair({ transferStallMs: 200 });
  const proxy = await openFaultProxy(parseAddress(p1.agent.transferAddress)!);
  proxy.faultFor = () => ({ kind, direction: 'down', at: SEGMENT_BYTES + 1000 });
  const { keys } = promptOf(14, 4);
  await fleet.order(d1, p1, { planId: 'a', keys, withTail: true, sourceAddress: proxy.address });
  await p1.engine.prefill('a', keys);
  const result = await handoverLoad(d1.engine, 'a', keys);
  expect(result.status).toBe(LOAD_STATUS_FAILED);
  expect(result.segments).toHaveLength(1);
  d1.engine.end('decode-a', 'a', 'decode', 'failed');
  const { checksumFailures, cuts, stalls } = d1.agent.counters;
  const counted = { flip: checksumFailures, cut: cuts, stall: stalls };
  expect(counted[kind]).toBe(1);
  // Computed again, on what has arrived.
  const again = await d1.engine.load({ requestId: 'again', planId: 'a', keys });
  expect(again.segments).toHaveLength(1);
  d1.engine.end('again', 'a', 'decode');
  await fleet.idle();
  await proxy.close();
});

test('an engine that is killed: its pulls end, pages come back, the next one goes on', async () => {
  const [p1, d1] = await pair();
  const { keys } = promptOf(15, 4);
  await p1.engine.prefill('old', promptOf(16, 3).keys);
  await eventually(() => fleet.held('p1', TIER_DRAM).size === 3);
  await fleet.order(d1, p1, { planId: 'a', keys, withTail: true });
  const loading = handoverLoad(d1.engine, 'a', keys);
  await p1.engine.reserve('r', 'a', keys);
  const epoch = fleet.beats.get('p1')?.epoch;
  await p1.engine.kill();
  expect(await loading).toMatchObject({
    status: LOAD_STATUS_FAILED,
    message: expect.stringContaining('engine_unavailable') as string,
  });
  d1.engine.end('decode-a', 'a', 'decode', 'failed');
  expect(p1.agent.counters.pinnedPages).toBeGreaterThan(0);
  await fleet.idle();

  p1.engine = await FakeEngine.start(p1.socketPath);
  await eventually(() => p1.engine.hello !== undefined);
  expect(p1.engine.hello?.epoch).toEqual(epoch);
  const kept = await p1.engine.load({ requestId: 'r', planId: '', keys: promptOf(16, 3).keys });
  expect(kept.segments).toHaveLength(3);
  p1.engine.end('r', '', 'aggregated');
});

test('an engine with another KV layout begins a new epoch with nothing in it', async () => {
  const { engine, socketPath } = await fleet.add('p1');
  await engine.prefill('a', promptOf(17, 3).keys);
  const epoch = fleet.beats.get('p1')?.epoch?.startedAtMs ?? 0;
  await engine.kill();
  const other = await FakeEngine.start(socketPath, '2');
  fleet.workers[0]!.engine = other;
  await eventually(() => (fleet.beats.get('p1')?.epoch?.startedAtMs ?? 0) > epoch);
  await eventually(() => other.hello !== undefined);
  const { segments } = await other.load({ requestId: 'r', planId: '', keys: promptOf(17, 3).keys });
  expect(segments).toEqual([]);
});

test('an engine that breaks the rules is cut off; it may come again', async () => {
  const { engine } = await fleet.add('p1');
  const { keys } = promptOf(18, 2);
  const grant = await engine.reserve('r', 'a', keys);
  engine.connection.send({
    commit: { requestId: 'other', key: keys.subarray(0, 16), page: grant.pages[0]!, bytes: 5 },
  });
  await eventually(() => engine.closes.length === 1);
  await eventually(() => engine.hello !== undefined);
  await fleet.idle();
});

test('an engine whose load cannot be is cut off before anybody plans by it', async () => {
  const { engine } = await fleet.add('p1');
  engine.connection.send({ load: { load: { prefillTokensPerSec: NaN } } });
  await eventually(() => engine.closes.length === 1);
  const { message } = fleet.logged.find(({ event }) => event === 'engine_violation') ?? {};
  expect(message).toContain('Load.prefill_tokens_per_sec must be a number');
});

test('without room everything is refused by name, and nothing is half done', async () => {
  const small = { dramBytes: 8 * 12_288 + 1_000_000 };
  const [p1, d1] = await pair(small);
  const pages = d1.engine.hello?.pageCount ?? 0;
  const { keys } = promptOf(19, pages + 1);
  expect((await p1.engine.reserve('r', 'a', keys)).refused).toBe(true);
  p1.engine.end('r', 'a', 'prefill');
  const loading = handoverLoad(d1.engine, 'b', keys);
  const ack = await fleet.order(d1, p1, { planId: 'b', keys, withTail: true });
  expect(ack).toMatchObject({ accepted: false, code: 'arena_full' });
  expect((await loading).status).toBe(LOAD_STATUS_FAILED);
  await fleet.idle();
});

test.each<[string, Partial<baton.v1.TransferOrder>, string]>([
  ['no address', { sourceAddress: '' }, 'source_address'],
  ['a path for an address', { sourceAddress: '/etc/passwd' }, 'source_address'],
  ['no time', { timeoutMs: 0 }, 'timeout_ms'],
  ['more time than any transfer gets', { timeoutMs: 600_001 }, 'timeout_ms'],
  ['an unknown reason', { reason: 99 as baton.v1.TransferReason }, 'reason'],
  [
    'a reason of which the agent knows nothing to do',
    { reason: baton.v1.TransferReason.TRANSFER_REASON_MIGRATE },
    'reason migrate',
  ],
  ['nothing to pull', { keys: new Uint8Array() }, 'keys'],
  ['a tail of no plan', { planId: '', withTail: true }, 'plan_id'],
])('an order with %s is refused', async (_, wrong, field) => {
  const worker = await fleet.add('d1');
  const ack = await fleet.order(worker, worker, {
    planId: 'a',
    keys: promptOf(1, 1).keys,
    ...wrong,
  });
  expect(ack).toMatchObject({ accepted: false, code: 'protocol_violation' });
  expect(ack.message).toContain(field);
});

test('the same order twice is one transfer', async () => {
  const [p1, d1] = await pair();
  const { keys } = promptOf(20, 3);
  await p1.engine.prefill('a', keys);
  const order = { planId: 'a', keys, withTail: true, transferId: 'same' };
  for (let i = 0; i < 3; i += 1) {
    expect((await fleet.order(d1, p1, order)).accepted).toBe(true);
  }
  await handoverLoad(d1.engine, 'a', keys);
  d1.engine.end('decode-a', 'a', 'decode');
  await fleet.idle();
  expect(d1.agent.counters.pullsStarted).toBe(1);
});

test('without NATS the engine is served; afterwards the worker is back by itself', async () => {
  const { engine } = await fleet.add('p1');
  const { keys, hex } = promptOf(21, 3);
  await fleet.nats.kill();
  await engine.prefill('a', keys);
  const held = await engine.load({ requestId: 'r', planId: '', keys });
  expect(held.segments).toHaveLength(3);
  engine.end('r', '', 'aggregated');
  fleet.beats.clear();
  await fleet.nats.restart();
  await eventually(() => fleet.beats.has('p1'));
  const chunks: baton.v1.SnapshotChunk[] = [];
  await eventually(() => fleet.bus.status() === 'connected');
  await fleet.bus.requestSnapshot(
    'p1',
    { snapshotId: 1 },
    { timeoutMs: 10_000, onChunk: (chunk) => void chunks.push(chunk) },
  );
  const keysTold = chunks.flatMap(({ ops }) => ops.map((op) => op.keys ?? new Uint8Array()));
  expect(keysTold.map((packed) => packed.length / 16)).toEqual([3]);
  expect(hex).toContain(keyHex(keysTold[0]!.subarray(0, 16)));
});

test('an agent that starts before NATS', async () => {
  await fleet.nats.kill();
  const agent = await fleet.addAgent('p9');
  await fleet.nats.restart();
  const engine = await FakeEngine.start(fleet.socketPath('p9'));
  fleet.workers.push({ id: 'p9', agent, engine, socketPath: fleet.socketPath('p9') });
  await eventually(() => fleet.beats.has('p9'));
});

test('two hundred handovers, many called off at random: nothing stays', async () => {
  const [p1, d1] = await pair();
  const random = new SeededRandom(99);
  const counted = { complete: 0, other: 0 };
  const one = async (n: number): Promise<void> => {
    const planId = `soak-${n}`;
    const { keys } = promptOf(100 + random.below(40), 1 + random.below(6));
    const pause = () => new Promise((resolve) => setTimeout(resolve, random.below(3)));
    const cancelAfterMs = random.below(3) === 0 ? random.below(12) : undefined;
    if (cancelAfterMs !== undefined) {
      setTimeout(() => {
        for (const id of ['p1', 'd1']) fleet.bus.publishCancel(id, { planId, reason: 'random' });
      }, cancelAfterMs);
    }
    const prefilling = p1.engine.prefill(planId, keys, { pause, tailBytes: random.below(400) });
    const ordering = fleet.order(d1, p1, { planId, keys, withTail: true });
    const result = await handoverLoad(d1.engine, planId, keys);
    d1.engine.end(`decode-${planId}`, planId, 'decode');
    counted[result.status === LOAD_STATUS_COMPLETE ? 'complete' : 'other'] += 1;
    await Promise.all([prefilling, ordering]);
  };
  for (let round = 0; round < 25; round += 1) {
    await Promise.all(Array.from({ length: 8 }, (_, i) => one(round * 8 + i)));
  }
  expect(counted.complete).toBeGreaterThan(50);
  expect(counted.other).toBeGreaterThan(5);
  await fleet.idle();
  await eventually(() => fleet.agrees('p1') && fleet.agrees('d1'));
});
