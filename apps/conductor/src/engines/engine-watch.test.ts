import { EngineAccess } from '@baton/engine-clients';
import {
  batchOf,
  BLOCK_TOKENS,
  SEGMENT_TOKENS,
  startEngine,
  TestPrompt,
} from '@baton/engine-clients/testing';
import { keyCount } from '@baton/kv';
import { createLogger } from '@baton/service';
import { eventually } from '@baton/test-kit';
import { expect, test } from 'vitest';
import { conductorConfigSchema } from '../config.ts';
import { VllmFront } from '../testing/vllm-front.ts';
import { sourcesOf, Watched } from '../testing/watched.ts';
import { WatchedEngines } from './watched-engines.ts';

test('a running engine is told as what it is, and what it does not say as what it usually is', async () => {
  const front = await VllmFront.start({ running: 3 });
  const watched = new Watched({ url: front.url });
  const beat = await watched.next();
  expect(beat).toMatchObject({
    state: 'ready',
    lastDeltaSeq: 0,
    tiers: [],
    loads: [{ rank: 0, runningSequences: 3, waitingSequences: 0, kvUsedBlocks: 16 }],
    worker: {
      workerId: front.url.slice('http://'.length).replaceAll(/[.:]/g, '-'),
      role: 'both',
      model: 'tiny',
      engine: 'vllm',
      engineUrl: front.url,
      // The least multiple of a block that is a segment.
      segmentTokens: 64,
      maxModelTokens: 1024,
      kvCapacityBlocks: 64,
      maxSequences: 256,
      approximate: true,
      layout: { blockTokens: 16, connector: '', connectorVersion: '0.32.0' },
      capabilities: { pullPrefix: false, exportPrefix: false, takeTokens: true },
    },
  });
  expect(watched.said('engine_found')).toMatchObject([
    { index: 'approximate', why: expect.stringContaining('--kv-events-config') as string },
  ]);
  await watched.stop();
  expect(watched.last?.state).toBe('leaving');
  expect(watched.beats.filter(({ state }) => state === 'leaving')).toHaveLength(1);
});

test.each([
  { blockTokens: 128, segmentTokens: 128 },
  { blockTokens: 48, segmentTokens: 96 },
])('segments of blocks of $blockTokens tokens', async ({ blockTokens, segmentTokens }) => {
  const watched = new Watched({ url: (await VllmFront.start({ blockTokens })).url });
  expect((await watched.next()).worker).toMatchObject({ segmentTokens, layout: { blockTokens } });
});

test('settings go before what is usual; an engine without metrics is served all the same', async () => {
  const front = await VllmFront.start({ hasMetrics: false });
  const given = {
    workerId: 'mine',
    maxSequences: 7,
    kvBytesPerToken: 1_000,
    role: 'decode',
  } as const;
  const watched = new Watched({ url: front.url, ...given });
  const { worker, loads } = await watched.next();
  expect(loads).toEqual([]);
  expect(worker).toMatchObject({
    ...{ workerId: 'mine', role: 'decode', maxSequences: 7, kvCapacityBlocks: 512 },
    layout: { blockTokens: 16, bytesPerToken: 1_000, segmentBytes: 64_000 },
  });
  expect(watched.said('engine_alone')).toHaveLength(1);
});

test('engines with other tokenizers have other keys, and those with NixlConnector can be pairs', async () => {
  const fronts = [{}, { hasNixl: true }, { shift: 1 }];
  const beats = await Promise.all(
    fronts.map(async (changes) =>
      new Watched({ url: (await VllmFront.start(changes)).url }).next(),
    ),
  );
  const [one, same, other] = beats.map(({ worker }) => worker);
  expect(same?.tokenization).toBe(one?.tokenization);
  expect(other?.tokenization).not.toBe(one?.tokenization);
  expect([one, same].map((worker) => worker?.layout.connector)).toEqual(['', 'nixl']);
  expect(beats[1]?.counters).toMatchObject({ pullsCompleted: 3, pullsFailed: 0, bytesIn: 6e6 });
});

test('an engine is there when it comes, away while it is away, and another one after a restart', async () => {
  const front = await VllmFront.start();
  await front.close();
  const watched = new Watched({ url: front.url });
  await eventually(() => watched.said('engine_unusable').length === 1);
  expect(watched.beats).toEqual([]);
  await front.serve();
  const first = await watched.next();
  await front.close();
  const away = await watched.next('starting');
  expect(away).toMatchObject({ epoch: first.epoch, loads: [] });
  expect(away.reason).toContain('ECONN');
  await front.serve();
  expect((await watched.next()).epoch).toEqual(first.epoch);
  front.startedAtSec += 100;
  await eventually(() => watched.last?.epoch.startedAtMs !== first.epoch.startedAtMs);
  expect(watched.last?.epoch.startedAtMs).toBeGreaterThan(first.epoch.startedAtMs);
  expect(watched.said('engine_unusable')).toHaveLength(2);
});

test('a page of metrics that fails for a while makes no other engine', async () => {
  const front = await VllmFront.start({ hasNixl: true });
  const watched = new Watched({ url: front.url });
  const { epoch, worker } = await watched.next();
  front.hasMetrics = false;
  const without = await watched.beatWith(({ loads }) => loads.length === 0);
  expect(without).toMatchObject({ epoch, worker, state: 'ready' });
  front.hasMetrics = true;
  const from = watched.beats.length;
  const again = await watched.beatWith(({ loads }) => loads.length > 0, from);
  expect(again).toMatchObject({ epoch, worker });
  front.hasMetrics = false;
  front.version = { version: '0.33.0' };
  await watched.beatWith((beat) => beat.worker.layout.connectorVersion === '0.33.0');
});

test('an engine that was away and does not say since when it runs is taken to have begun anew', async () => {
  const front = await VllmFront.start({ hasMetrics: false });
  const watched = new Watched({ url: front.url });
  const { epoch } = await watched.next();
  expect((await watched.next()).epoch).toEqual(epoch);
  await front.close();
  await watched.next('starting');
  await front.serve();
  expect((await watched.next()).epoch).not.toEqual(epoch);
});

test('an engine that is dead behind its HTTP side, or says nothing, is away, and not gone in between', async () => {
  const front = await VllmFront.start();
  const watched = new Watched({ url: front.url });
  const { leaseMs } = await watched.next();
  const questions = 7;
  const longestLookMs = questions * 5_000;
  expect(leaseMs).toBeGreaterThan(longestLookMs);
  front.isDead = true;
  expect((await watched.next('starting')).reason).toContain('the engine is dead (503)');
  front.isDead = false;
  await watched.next();
  front.hangs = true;
  expect((await watched.next('starting')).reason).toContain('no answer within');
});

test('an engine that lets one look wait is busy, and not away', async () => {
  const front = await VllmFront.start();
  const watched = new Watched({ url: front.url });
  const { epoch } = await watched.next();
  for (let i = 0; i < 3; i += 1) {
    const asked = front.unanswered;
    front.hangs = true;
    await eventually(() => front.unanswered > asked);
    front.hangs = false;
    expect((await watched.next()).epoch).toEqual(epoch);
  }
  expect(watched.beats.every(({ state }) => state === 'ready')).toBe(true);
});

test('an engine that caches no prefixes is known to hold nothing', async () => {
  const front = await VllmFront.start({ cachesPrefixes: false });
  const watched = new Watched({ url: front.url });
  expect((await watched.next()).worker.approximate).toBe(false);
  expect(watched.said('engine_found')).toMatchObject([{ why: 'it caches no prefixes' }]);
});

test('an engine that is drained is watched until nothing needs it any more', async () => {
  const front = await VllmFront.start({ running: 2 });
  const watched = new Watched({ url: front.url });
  const { epoch } = await watched.next();
  watched.users = 2;
  watched.watch.drain();
  expect(watched.last).toMatchObject({ state: 'draining', epoch });
  expect(watched.last?.loads).toMatchObject([{ runningSequences: 2 }]);
  await watched.next('draining');
  expect(watched.watch.findings).toMatchObject({ serves: true, drainingFor: 2 });
  watched.users = 0;
  await watched.ended;
  expect(watched.last).toMatchObject({ state: 'leaving', epoch });
});

test('an engine that is gone does not come back by what was asked of it before', async () => {
  const front = await VllmFront.start();
  const path = '/v1/load_lora_adapter';
  const { promise, resolve } = Promise.withResolvers<void>();
  front.waits.set(path, promise);
  front.statuses.set(path, 200);
  const watched = new Watched({ url: front.url });
  await watched.next();
  const loading = watched.watch.changeAdapter('sql', '/adapters/sql');
  await eventually(() => expect(front.asked).toContain(`POST ${path}`));
  watched.watch.drain();
  await watched.ended;
  resolve();
  await loading;
  expect(watched.last?.state).toBe('leaving');
});

test('an engine on which nothing is planned does not serve, and says why once', async () => {
  const watched = new Watched({ url: (await VllmFront.start()).url });
  await watched.next();
  watched.misfit = 'segment size is not that of other';
  await watched.next();
  await watched.next();
  expect(watched.watch.findings).toMatchObject({ serves: false, problem: watched.misfit });
  expect(watched.said('engine_misfit')).toHaveLength(1);
  watched.misfit = undefined;
  expect(watched.watch.findings).toMatchObject({ serves: true, problem: undefined });
});

test.each([
  ['version', { version: { error: 'x' } }, 'answers neither GET /version as vLLM does (200) nor'],
  ['key', { apiKey: 'x' }, 'give the file with it as --api-key-file'],
  ['models', { models: { data: [] } }, 'lists no model at GET /v1/models'],
])('what is no vLLM, by its %s, is said once and not served', async (_, changes, reason) => {
  const front = await VllmFront.start(changes);
  const watched = new Watched({ url: front.url });
  await eventually(() => front.asked.length > 10);
  expect(watched.beats).toEqual([]);
  expect(watched.said('engine_unusable')).toHaveLength(1);
  expect(String(watched.said('engine_unusable')[0]?.['msg'])).toContain(reason);
});

const a = new TestPrompt(1, 4);

test('the cache of an engine with events is known exactly, and told whole on request', async () => {
  expect(SEGMENT_TOKENS % BLOCK_TOKENS).toBe(0);
  const engine = await startEngine();
  const front = await VllmFront.start({ sources: sourcesOf(engine), blockTokens: BLOCK_TOKENS });
  const watched = new Watched({ url: front.url });
  expect((await watched.next()).worker.approximate).toBe(false);
  await engine.publish(batchOf(a.stored()));
  const told = await watched.beatWith(({ tiers }) => tiers.some(({ segments }) => segments > 0));
  const segments = Math.floor((4 * SEGMENT_TOKENS) / told.worker.segmentTokens);
  expect(told.tiers.find(({ segments: held }) => held > 0)).toMatchObject({ tier: 1, segments });
  expect(told.lastDeltaSeq).toBeGreaterThan(0);
  const keysOf = (type: 'delta' | 'snapshotChunk'): number =>
    watched.inputs
      .flatMap((input) => {
        if (input.type === 'delta' && type === 'delta') return input.delta.ops;
        return input.type === 'snapshotChunk' && type === input.type ? input.chunk.ops : [];
      })
      .reduce((sum, { keys }) => sum + keyCount(keys), 0);
  expect(keysOf('delta')).toBe(segments);
  watched.watch.snapshot(9);
  expect(keysOf('snapshotChunk')).toBe(segments);
});

test('each data-parallel rank has its load and its cache', async () => {
  const engines = [await startEngine(), await startEngine()] as const;
  const sources = sourcesOf(...engines);
  const front = await VllmFront.start({ sources, blockTokens: BLOCK_TOKENS, ranks: 2, running: 3 });
  const watched = new Watched({ url: front.url });
  const { worker, loads } = await watched.next();
  expect(worker).toMatchObject({ approximate: false, kvCapacityBlocks: 64 });
  expect(loads).toMatchObject([
    { rank: 0, runningSequences: 3, kvUsedBlocks: 16 },
    { rank: 1, runningSequences: 4, kvUsedBlocks: 16 },
  ]);
  await engines[1].publish(batchOf(a.stored()));
  const { tiers } = await watched.beatWith((beat) => beat.tiers.some((tier) => tier.segments > 0));
  expect(tiers.filter(({ segments }) => segments > 0).map(({ rank }) => rank)).toEqual([1]);
});

test('an engine that chooses among its ranks itself is one worker of which nothing exact is known', async () => {
  const engine = await startEngine();
  const front = await VllmFront.start({
    ...{ sources: sourcesOf(engine, engine), ranks: 2, heedsRank: false, running: 3 },
  });
  const watched = new Watched({ url: front.url });
  const { worker, loads } = await watched.next();
  expect(worker).toMatchObject({ approximate: true, kvCapacityBlocks: 128 });
  expect(loads).toMatchObject([{ rank: 0, runningSequences: 7, kvUsedBlocks: 32 }]);
  expect(watched.said('engine_found')[0]?.['why']).toContain('x-data-parallel-rank');
});

test('an engine whose events cannot be heard is one without', async () => {
  const nowhere = { eventsEndpoint: 'tcp://127.0.0.1:9', replayEndpoint: 'tcp://127.0.0.1:9' };
  const watched = new Watched({
    url: (await VllmFront.start({ sources: sourcesOf(nowhere) })).url,
  });
  await eventually(() => watched.last?.worker.approximate === true);
  expect(watched.said('engine_found').map(({ index }) => index)).toEqual(['exact', 'approximate']);
  expect(watched.said('engine_found')[1]?.['why']).toBeTypeOf('string');
  expect(watched.last?.tiers).toEqual([]);
});

test('engines of which two have one name, or a URL that is none, are refused by name', async () => {
  const ending = new AbortController();
  const none = {
    settings: [],
    access: new EngineAccess(),
    intervalMs: 1_000,
    signal: ending.signal,
  };
  const nothing = {
    hear: () => undefined,
    misfit: () => undefined,
    using: () => 0,
  };
  const log = createLogger({ name: 'test', level: 'silent' });
  const engines = new WatchedEngines({ ...none, ...nothing, log });
  const setting = { url: 'http://127.0.0.1:9', role: 'both' as const };
  engines.add(setting);
  expect(() => engines.add({ ...setting, url: 'http://127.0.0.1:9/' })).toThrow(
    'http://127.0.0.1:9 is listed already, as 127-0-0-1-9',
  );
  expect(() => engines.add({ ...setting, url: 'https://127.0.0.1:9' })).toThrow(
    'would both be called 127-0-0-1-9; give one of them another workerId',
  );
  expect(() => engines.add({ ...setting, workerId: 'other' })).toThrow(
    'http://127.0.0.1:9 is served as 127-0-0-1-9',
  );
  engines.add({ ...setting, url: 'http://127.0.0.1:10', workerId: 'other' });
  expect(engines.list().map(({ workerId }) => workerId)).toEqual(['127-0-0-1-9', 'other']);
  ending.abort();
  await engines.ended();
  for (const [url, isGood] of [
    ['http://a:1', true],
    ['a:1', false],
    ['ftp://a', false],
  ] as const) {
    expect(conductorConfigSchema.safeParse({ engines: [{ url }] }).success).toBe(isGood);
  }
});
