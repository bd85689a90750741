import { readFileSync } from 'node:fs';
import { encodeEventSeq } from '@baton/engine-protocols';
import { RecordedSets } from '@baton/engine-protocols/testing';
import { Tier } from '@baton/kv';
import { eventually } from '@baton/test-kit';
import { afterEach, expect, test } from 'vitest';
import {
  batchOf,
  BLOCK_TOKENS,
  SEGMENT_TOKENS,
  TestPrompt,
  TOKENIZATION,
} from '../testing/followed-cache.ts';
import { MemoryDisk } from '../testing/memory-journal-file.ts';
import type { ScriptedEngine } from '../testing/scripted-engine.ts';
import { restarted, startEngine } from '../testing/start-engine.ts';
import { CacheFollower } from './cache-follower.ts';
import type { CacheFollowerOptions, EventJournals } from './cache-follower.ts';
import { EventJournal } from './event-journal.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Journals on a disk in memory. */
function journalsOn(disk: MemoryDisk, minLogBytes?: number): EventJournals {
  const log = { info: () => undefined, warn: () => undefined };
  const now = () => performance.now();
  return {
    journal: (_name, identity) =>
      Promise.resolve(new EventJournal({ file: disk.file(), identity, log, now, minLogBytes })),
  };
}

interface Follow {
  follower: CacheFollower;
  told: RecordedSets;
  resets: string[];
  close(): Promise<void>;
}

function follow(engine: ScriptedEngine, how: Partial<CacheFollowerOptions> = {}): Follow {
  const told = new RecordedSets();
  const resets: string[] = [];
  const { eventsEndpoint, replayEndpoint } = engine;
  const follower = new CacheFollower({
    source: { eventsEndpoint, replayEndpoint },
    rank: 0,
    cache: { tokenization: TOKENIZATION, segmentTokens: SEGMENT_TOKENS, blockTokens: BLOCK_TOKENS },
    sink: told,
    identity: 'engine',
    onReset: (reason) => void resets.push(reason),
    replayTimeoutMs: 200,
    catchUpMs: 20,
    ...how,
  });
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= follower.close());
  closers.push(async () => {
    await close();
    expect(told.problems).toEqual([]);
  });
  return { follower, told, resets, close };
}

/** Until these segments are told, and no others. */
const holds = ({ told }: Follow, ...keys: string[][]) =>
  eventually(() => String(told.held(Tier.HBM)) === String(keys.flat().sort()));

const a = new TestPrompt(1, 4);
const b = new TestPrompt(2, 3);
const c = new TestPrompt(3, 2);

test('what an engine holds is told, and what it gives up', async () => {
  const engine = await startEngine();
  const followed = follow(engine);
  await engine.publish(batchOf(a.stored(), b.stored()));
  await holds(followed, a.keys, b.keys);
  await engine.publish(batchOf(a.removed(3)));
  await holds(followed, a.keys.slice(0, 3), b.keys);
  expect(followed.follower.counters).toMatchObject({ batches: 2, resets: 0, decodeFailures: 0 });
});

test('what a real vLLM sent, lost on the way and by replay', async () => {
  const fixtures = new URL('../../../../test/fixtures/vllm-0.32.0/', import.meta.url);
  const lines = readFileSync(new URL('kv-events.jsonl', fixtures), 'utf8').trim().split('\n');
  const captured = lines.map((line) => {
    const { frames_hex } = JSON.parse(line) as { frames_hex: string[] };
    const [topic, seq, payload] = frames_hex.map((hex) => Buffer.from(hex, 'hex'));
    return { topic: topic!, seq: seq!, payload: payload! };
  });
  const engine = await startEngine();
  engine.buffer = captured.map(({ payload }, seq) => ({ seq, payload }));
  engine.next = captured.length;
  const followed = follow(engine, {
    cache: { tokenization: TOKENIZATION, segmentTokens: SEGMENT_TOKENS, blockTokens: 32 },
  });
  for (const { topic, seq, payload } of captured.slice(1)) await engine.send([topic, seq, payload]);
  await eventually(() => followed.follower.counters.batches === captured.length);
  expect(followed.follower.counters).toMatchObject({
    decodeFailures: 0,
    unreadable: 0,
    malformed: 0,
    unresolvedBlocks: 0,
    otherBlockSizes: 0,
    resets: 0,
  });
  expect(followed.follower.cache.blocks).toBeGreaterThan(0);
});

test('failure 10: of an engine’s earlier life nothing stays', async () => {
  const engine = await startEngine();
  const followed = follow(engine);
  await engine.publish(batchOf(a.stored()));
  await holds(followed, a.keys);
  const next = await restarted(engine);
  await holds(followed);
  await next.publish(batchOf(b.stored()));
  await holds(followed, b.keys);
  expect(followed.resets).toEqual(['restart']);
});

test('failure 11: whoever restarts knows the parents of what comes then', async () => {
  const disk = new MemoryDisk();
  const engine = await startEngine();
  const first = follow(engine, { journals: journalsOn(disk) });
  await engine.publish(batchOf(a.stored(0, 2)));
  await holds(first, a.keys.slice(0, 2));
  await first.close();
  // The parent is not in the engine's buffer any more, nor in what is asked for.
  await engine.publish(batchOf(b.stored()));
  engine.questions = [];
  const second = follow(engine, { journals: journalsOn(disk) });
  await engine.publish(batchOf(a.stored(2, 4)));
  await holds(second, a.keys, b.keys);
  expect(second.follower.counters).toMatchObject({ unresolved: 0, resets: 0, batches: 2 });
  expect(engine.questions[0]).toBe(0);
});

test('failure 12: all blocks cleared means that', async () => {
  const engine = await startEngine();
  const followed = follow(engine);
  await engine.publish(batchOf(a.stored()));
  await holds(followed, a.keys);
  await engine.publish(batchOf({ type: 'AllBlocksCleared' }, c.stored()));
  await holds(followed, c.keys);
});

test('failure 14: lost, repeated and late batches change nothing in the end', async () => {
  const engine = await startEngine();
  const followed = follow(engine);
  await engine.publish(batchOf(a.stored()));
  await engine.publish(batchOf(a.removed(3)), { lose: true });
  await engine.publish(batchOf(b.stored()));
  for (const { seq, payload } of engine.buffer.toReversed()) {
    await engine.send(['', encodeEventSeq(seq), payload]);
  }
  await engine.publish(batchOf(a.stored(3, 4)), { lose: true });
  await holds(followed, a.keys, b.keys);
  expect(followed.resets).toEqual([]);
});

test('failure 17: one bad event, its batch goes on; one bad batch, the next ones go on', async () => {
  const engine = await startEngine();
  const followed = follow(engine);
  const good = Buffer.from(batchOf(a.stored(), c.stored()));
  // The first event names a field that no event has in place of its type.
  good.write('typo', good.indexOf('type'));
  await engine.publish(good);
  await engine.publish(Buffer.from([0xc1]));
  await engine.publish(batchOf(b.stored()));
  await holds(followed, b.keys, c.keys);
  expect(followed.follower.counters).toMatchObject({ decodeFailures: 2, resets: 0 });
});

test('a restarted process with a living engine asks for the gap only', async () => {
  const disk = new MemoryDisk();
  const engine = await startEngine();
  const first = follow(engine, { journals: journalsOn(disk) });
  for (let i = 0; i < 20; i += 1) await engine.publish(batchOf(a.stored()));
  await engine.publish(batchOf(c.stored()));
  await holds(first, a.keys, c.keys);
  await first.close();
  await engine.publish(batchOf(b.stored()));
  engine.questions = [];
  engine.buffer = engine.buffer.slice(-2);
  const second = follow(engine, { journals: journalsOn(disk) });
  await holds(second, a.keys, b.keys, c.keys);
  expect(engine.questions[0]).toBe(20);
  expect(second.follower.counters).toMatchObject({ replayed: 1, resets: 0 });
  // What the copies were is remembered, too: a block is gone with its last one.
  for (let i = 0; i < 20; i += 1) await engine.publish(batchOf(a.removed(0)));
  await holds(second, a.keys.slice(1), b.keys, c.keys);
});

test('nothing of a journal is told before the engine has confirmed it', async () => {
  const disk = new MemoryDisk();
  const engine = await startEngine();
  const first = follow(engine, { journals: journalsOn(disk) });
  await engine.publish(batchOf(a.stored()));
  await holds(first, a.keys);
  await first.close();
  engine.isDeaf = true;
  engine.questions = [];
  const second = follow(engine, { journals: journalsOn(disk), replayTimeoutMs: 1_000 });
  await eventually(() => engine.questions.length > 0);
  expect(second.told.held(Tier.HBM)).toEqual([]);
  expect(second.follower.cache.segments(Tier.HBM)).toBe(a.keys.length);
  engine.isDeaf = false;
  await holds(second, a.keys);
});

test('an engine that restarted while the process was away: what is remembered is void', async () => {
  const disk = new MemoryDisk();
  const engine = await startEngine();
  const first = follow(engine, { journals: journalsOn(disk) });
  await engine.publish(batchOf(a.stored()));
  await engine.publish(batchOf(b.stored()));
  await holds(first, a.keys, b.keys);
  await first.close();
  const next = await restarted(engine);
  // The new life has come further than the old one.
  for (const prompt of [c, c, c, c]) await next.publish(batchOf(prompt.stored()));
  const second = follow(next, { journals: journalsOn(disk) });
  await holds(second, c.keys);
  expect(second.resets).toEqual(['restart']);
  await second.close();
  const third = follow(next, { journals: journalsOn(disk) });
  await holds(third, c.keys);
  expect(third.resets).toEqual([]);
});

test('engine and process restarted, and nothing has been said yet', async () => {
  const disk = new MemoryDisk();
  const engine = await startEngine();
  const first = follow(engine, { journals: journalsOn(disk) });
  await engine.publish(batchOf(a.stored()));
  await holds(first, a.keys);
  await first.close();
  const next = await restarted(engine);
  const second = follow(next, { journals: journalsOn(disk) });
  await eventually(() => second.resets.length === 1);
  await next.publish(batchOf(b.stored()));
  await holds(second, b.keys);
  expect(second.resets).toEqual(['restart']);
});

test('beyond the buffer it starts empty, says what is unknown, and learns it again', async () => {
  const disk = new MemoryDisk();
  const engine = await startEngine();
  const first = follow(engine, { journals: journalsOn(disk) });
  await engine.publish(batchOf(a.stored(0, 2)));
  await holds(first, a.keys.slice(0, 2));
  await first.close();
  for (let i = 0; i < 5; i += 1) await engine.publish(batchOf(b.stored()));
  await engine.publish(batchOf(a.stored(2, 4)));
  engine.buffer = engine.buffer.slice(-2);
  const second = follow(engine, { journals: journalsOn(disk) });
  await holds(second, b.keys);
  expect(second.resets).toEqual(['gap']);
  // The batch of `a` is the last one of the replay: `b` is there before it.
  await eventually(() => second.follower.counters.unresolvedBlocks === 8);
  // The prompt passes once more.
  await engine.publish(batchOf(a.stored(0, 2)));
  await holds(second, a.keys, b.keys);
  await eventually(() => second.follower.counters.unresolvedBlocks === 0);
});

test('killed at any moment: whatever got to the disk, replay brings the rest', async () => {
  const disk = new MemoryDisk();
  const engine = await startEngine();
  const first = follow(engine, { journals: journalsOn(disk) });
  const found: Buffer[] = [];
  for (let i = 0; i < 12; i += 1) {
    await engine.publish(batchOf(i % 3 === 2 ? a.removed(3) : a.stored(), b.stored()));
    await eventually(() => first.follower.counters.batches === i + 1);
    if (i % 4 === 3) await new Promise((resolve) => setTimeout(resolve, 150));
    found.push(Buffer.from(disk.content));
  }
  await first.close();
  const wanted = first.follower.cache.segments(Tier.HBM);
  for (const content of [...new Set(found.map((bytes) => bytes.length))].map((length) =>
    found.find((bytes) => bytes.length === length)!,
  )) {
    const later = new MemoryDisk();
    later.content = Buffer.from(content.subarray(0, content.length - 5));
    const second = follow(engine, { journals: journalsOn(later) });
    await eventually(() => second.follower.counters.batches > 0);
    await eventually(() => second.told.held(Tier.HBM).length === wanted);
    expect(second.resets).toEqual([]);
    await second.close();
  }
});

test('a journal that is compacted under way is worth as much, and no event is lost', async () => {
  const disk = new MemoryDisk();
  const engine = await startEngine();
  const first = follow(engine, { journals: journalsOn(disk, 20_000) });
  const prompts = Array.from({ length: 150 }, (_, i) => new TestPrompt(i % 120, 3));
  for (const prompt of prompts) await engine.publish(batchOf(prompt.stored()));
  await engine.publish(batchOf(prompts[149]!.removed(2)));
  const wanted = prompts.slice(0, 120).map(({ keys }) => keys);
  await holds(first, ...wanted);
  // A frame of the kind that pieces of snapshots have.
  await eventually(() => disk.content.includes(Buffer.from([2, 0x4a, 0x56, 0x4b])));
  await first.close();
  engine.buffer = engine.buffer.slice(-1);
  const second = follow(engine, { journals: journalsOn(disk, 20_000) });
  await holds(second, ...wanted);
  expect(second.resets).toEqual([]);
  // Prompts 0 to 29 were stored twice, the last segment of one of them has lost a copy.
  await engine.publish(batchOf(prompts[29]!.removed(2), prompts[28]!.removed(2)));
  await holds(second, ...wanted.slice(0, 29), prompts[29]!.keys.slice(0, 2), ...wanted.slice(30));
});

test('events wait while a snapshot is written, and then come', async () => {
  const disk = new MemoryDisk();
  const gate = Promise.withResolvers<void>();
  disk.siblingGate = gate.promise;
  const engine = await startEngine();
  closers.push(() => gate.resolve());
  const first = follow(engine, { journals: journalsOn(disk, 1_000) });
  await engine.publish(batchOf(a.stored(), b.stored()));
  await holds(first, a.keys, b.keys);
  await eventually(() => disk.open === 2);
  await engine.publish(batchOf(a.removed(3), c.stored()));
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(first.told.held(Tier.HBM)).toEqual([...a.keys, ...b.keys].sort());
  gate.resolve();
  await holds(first, a.keys.slice(0, 3), b.keys, c.keys);
  await first.close();
  engine.buffer = engine.buffer.slice(-1);
  const second = follow(engine, { journals: journalsOn(disk) });
  await holds(second, a.keys.slice(0, 3), b.keys, c.keys);
  expect(second.resets).toEqual([]);
});

test('with a full disk everything goes on but the journal', async () => {
  const disk = new MemoryDisk();
  const engine = await startEngine();
  const followed = follow(engine, { journals: journalsOn(disk) });
  await engine.publish(batchOf(a.stored()));
  await holds(followed, a.keys);
  disk.capacity = disk.content.length + 10;
  await engine.publish(batchOf(b.stored()));
  await eventually(() => followed.follower.counters.journalFailures === 1);
  await engine.publish(batchOf(c.stored()));
  await holds(followed, a.keys, b.keys, c.keys);
});

test('without any journal a restarted process reads what the buffer has', async () => {
  const none: EventJournals = { journal: () => Promise.resolve(undefined) };
  const engine = await startEngine();
  await engine.publish(batchOf(a.stored()));
  const followed = follow(engine, { journals: none });
  await holds(followed, a.keys);
});

test('closed before it has begun it does not begin', async () => {
  const disk = new MemoryDisk();
  const engine = await startEngine();
  const followed = follow(engine, { journals: journalsOn(disk) });
  await followed.close();
  expect(disk.open).toBe(0);
  expect(engine.questions).toEqual([]);
});

test('a wrong endpoint is refused at once', async () => {
  const engine = await startEngine();
  expect(() => follow(engine, { source: { eventsEndpoint: 'tcp://nowhere' } })).toThrow(
    'tcp://nowhere',
  );
});
