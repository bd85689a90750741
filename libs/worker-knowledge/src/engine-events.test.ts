import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { JournalFolder } from '@baton/engine-clients';
import {
  batchOf,
  BLOCK_TOKENS,
  SEGMENT_TOKENS,
  startEngine,
  TestPrompt,
  TOKENIZATION,
} from '@baton/engine-clients/testing';
import type { ScriptedEngine } from '@baton/engine-clients/testing';
import { keyFromHex, keyHex, Tier, unpackKeys } from '@baton/kv';
import { eventually } from '@baton/test-kit';
import { afterEach, expect, test } from 'vitest';
import { eventSettingsSchema } from './event-settings.ts';
import type { EventSettings } from './event-settings.ts';
import { SegmentLedger } from './segment-ledger.ts';
import { EngineEvents } from './engine-events.ts';
import type { FollowedEngine } from './engine-events.ts';

const packHex = (keys: readonly string[]): Uint8Array => Buffer.from(keys.join(''), 'hex');

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

interface Wanted {
  settings?: Partial<EventSettings>;
  engineUrl?: string;
  journals?: JournalFolder | undefined;
  identity?: string;
}

/** The events part of an agent, and the ledger it keeps. */
class Part {
  readonly ledger = new SegmentLedger([], () => undefined);
  readonly logged: object[] = [];
  readonly events: EngineEvents;
  nowMs = 0;

  constructor(engine: ScriptedEngine, how: Wanted = {}) {
    const say = (fields: object) => void this.logged.push(fields);
    const { eventsEndpoint, replayEndpoint } = engine;
    const worker = {
      engine: 'vllm',
      engineUrl: how.engineUrl ?? 'http://127.0.0.1:1',
      layout: { blockTokens: BLOCK_TOKENS },
    };
    this.events = new EngineEvents({
      facts: {
        worker,
        identity: how.identity ?? 'model',
        tokenization: TOKENIZATION,
        segmentTokens: SEGMENT_TOKENS,
        eventsEndpoint,
        replayEndpoint,
      } as FollowedEngine,
      settings: {
        ...eventSettingsSchema.parse({}),
        ...how.settings,
      },
      ledger: this.ledger,
      journals: how.journals,
      log: { debug: say, info: say, warn: say, error: say },
      now: () => this.nowMs,
    });
    closers.push(() => this.events.close());
  }

  held(rank = 0, tier: Tier = Tier.HBM): string[] {
    return [...this.ledger.contents(1_000)]
      .filter((op) => op.rank === rank && op.tier === tier)
      .flatMap((op) => unpackKeys(op.keys).map(keyHex))
      .sort();
  }

  async holds(...keys: string[][]): Promise<void> {
    await eventually(() => String(this.held()) === String(keys.flat().sort()));
  }
}

/** A folder for journals that goes with the test. */
async function stateFolder(): Promise<() => Promise<JournalFolder>> {
  const folder = await mkdtemp(path.join(tmpdir(), 'baton-ee-'));
  closers.push(() => rm(folder, { recursive: true }));
  const log = { info: () => undefined, warn: () => undefined };
  return async () => (await JournalFolder.open(folder, log))!;
}

/** An engine's HTTP side: answers with a status and writes down what it was asked. */
async function startHttp(status: number): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

const a = new TestPrompt(1, 4);
const b = new TestPrompt(2, 3);

test('an engine’s blocks become segments of the ledger, whatever its hashes are', async () => {
  const engine = await startEngine();
  const part = new Part(engine);
  part.ledger.store({ rank: 0, tier: Tier.DRAM, resumePoints: false }, packHex(b.keys));
  await engine.publish(batchOf(a.stored()));
  await part.holds(a.keys);
  expect(part.ledger.has(Tier.HBM, keyFromHex(a.keys[3]!))).toBe(true);
  await part.events.close();
  // The engine is gone, and only what was its own with it.
  expect(part.held()).toEqual([]);
  expect(part.held(0, Tier.DRAM)).toEqual([...b.keys].sort());
});

test('each rank has its own stream and its own account', async () => {
  const [first, second] = [await startEngine(), await startEngine()];
  const settings = {
    ranks: 2,
    endpoints: [first.eventsEndpoint, second.eventsEndpoint],
    replayEndpoints: [first.replayEndpoint, second.replayEndpoint],
  };
  const part = new Part(first, { settings });
  await first.publish(batchOf(a.stored()));
  await second.publish(batchOf(a.stored(0, 1), b.stored()));
  await eventually(() => part.held(0).length === 4 && part.held(1).length === 4);
  second.beginAgain();
  await second.publish(batchOf(b.stored()));
  await eventually(() => String(part.held(1)) === String([...b.keys].sort()));
  expect(part.held(0)).toEqual([...a.keys].sort());
  expect(part.events.counters.ranks.map(({ restarts }) => restarts)).toEqual([0, 1]);
});

test('an agent that restarts asks for the gap only; with another model it begins anew', async () => {
  const open = await stateFolder();
  const engine = await startEngine();
  let journals = await open();
  const first = new Part(engine, { journals });
  await engine.publish(batchOf(a.stored()));
  await first.holds(a.keys);
  await first.events.close();
  await journals.close();
  await engine.publish(batchOf(b.stored()));
  engine.questions = [];
  journals = await open();
  const second = new Part(engine, { journals });
  await second.holds(a.keys, b.keys);
  expect(engine.questions[0]).toBe(0);
  expect(second.events.counters.ranks[0]).toMatchObject({ replayed: 1, resets: 0 });
  await second.events.close();
  const other = new Part(engine, { journals, identity: 'another model' });
  await other.holds(a.keys, b.keys);
  expect(other.events.counters.ranks[0]).toMatchObject({ replayed: 2 });
  await other.events.close();
  await journals.close();
});

/** Batches are lost beyond the buffer. */
async function lose(engine: ScriptedEngine, part: Part): Promise<void> {
  const resets = part.events.counters.ranks[0]?.resets ?? 0;
  for (let i = 0; i < 3; i += 1) await engine.publish(batchOf(a.stored()), { lose: true });
  engine.buffer = [];
  await engine.publish(batchOf(b.stored()));
  await eventually(() => part.events.counters.ranks[0]?.resets === resets + 1);
}

test('where it is allowed the engine empties its cache after lost events, and not too often', async () => {
  const engine = await startEngine();
  const { url, asked } = await startHttp(200);
  const part = new Part(engine, { engineUrl: url, settings: { resetEngineCache: true } });
  await engine.publish(batchOf(a.stored()));
  await part.holds(a.keys);
  await lose(engine, part);
  await eventually(() => part.events.counters.cacheResets === 1);
  await lose(engine, part);
  part.nowMs += 61_000;
  await lose(engine, part);
  await eventually(() => part.events.counters.cacheResets === 2);
  expect(asked).toEqual(['POST /reset_prefix_cache', 'POST /reset_prefix_cache']);
  // Of an engine that has restarted everything is known.
  engine.beginAgain();
  part.nowMs += 61_000;
  await engine.publish(batchOf(a.stored()));
  await part.holds(a.keys);
  expect(asked).toHaveLength(2);
});

test('an engine that does not empty its cache: it goes on, counted and said', async () => {
  const engine = await startEngine();
  const { url } = await startHttp(404);
  const part = new Part(engine, { engineUrl: url, settings: { resetEngineCache: true } });
  await engine.publish(batchOf(a.stored()));
  await part.holds(a.keys);
  await lose(engine, part);
  await eventually(() => part.events.counters.cacheResetFailures === 1);
  expect(part.logged).toContainEqual(
    expect.objectContaining({ event: 'engine_cache_reset_failed' }),
  );
  await part.holds(b.keys);
});

test('faults are said once in a while, with what has grown', async () => {
  const engine = await startEngine();
  const part = new Part(engine);
  await engine.publish(batchOf(a.stored()));
  await part.holds(a.keys);
  await engine.publish(Buffer.from([0xc1]));
  await eventually(() => part.events.counters.ranks[0]?.decodeFailures === 1);
  const said = () =>
    part.logged.filter((line) => 'event' in line && line.event === 'kv_event_faults');
  part.events.tick();
  part.events.tick();
  expect(said()).toEqual([{ event: 'kv_event_faults', rank: 0, decodeFailures: 1 }]);
  part.nowMs += 10_000;
  part.events.tick();
  expect(said()).toHaveLength(1);
  await engine.publish(Buffer.from([0xc1]));
  await eventually(() => part.events.counters.ranks[0]?.decodeFailures === 2);
  part.events.tick();
  expect(said()).toHaveLength(1);
  part.nowMs += 10_000;
  part.events.tick();
  expect(said().at(-1)).toMatchObject({ decodeFailures: 1 });
  expect(said()).toHaveLength(2);
});

test('a hybrid model that is not allowed is not announced, and that is said', async () => {
  const engine = await startEngine();
  const part = new Part(engine);
  await engine.publish(batchOf(a.stored()));
  await part.holds(a.keys);
  const windowed = Buffer.from(batchOf(b.stored()));
  // Another kind of the same length in place of full_attention.
  windowed.write('sliding_window', windowed.indexOf('full_attention'));
  await engine.publish(windowed);
  await part.holds();
  part.events.tick();
  part.nowMs += 10_000;
  part.events.tick();
  expect(part.events.counters.hybridRefusedRanks).toBe(1);
  const said = part.logged.filter((line) => 'event' in line && line.event === 'hybrid_refused');
  expect(said).toEqual([{ event: 'hybrid_refused', rank: 0 }]);
});

test('endpoints that do not fit the ranks are refused by name', async () => {
  const engine = await startEngine();
  const endpoints = ['tcp://127.0.0.1:1', 'tcp://127.0.0.1:2'];
  expect(() => new Part(engine, { settings: { ranks: 3, endpoints } })).toThrow(
    'events.endpoints must have one entry, or one for each of 3 ranks, not 2',
  );
  const second = { ranks: 2, endpoints: [engine.eventsEndpoint, 'nowhere'] };
  expect(() => new Part(engine, { settings: second })).toThrow('endpoint nowhere');
  // Nothing of it was opened.
  await engine.publish(batchOf(a.stored()));
  expect(engine.questions).toEqual([]);
});
