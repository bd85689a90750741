import net from 'node:net';
import { encodeEventSeq } from '@baton/engine-protocols';
import { eventually } from '@baton/test-kit';
import { afterEach, expect, test } from 'vitest';
import { ScriptedEngine } from '../testing/scripted-engine.ts';
import { restarted, startEngine } from '../testing/start-engine.ts';
import { subscribeKvEvents } from './subscribe.ts';
import type { KvEventSubscriber, KvEventSubscriberOptions } from './subscribe.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A batch tells which one it is. */
const mark = (n: number): Uint8Array => Buffer.from(String(n));
const upTo = (count: number) => [...Array(count).keys()];

/** Follows an engine and writes down what it hears. */
function follow(engine: ScriptedEngine, how: Partial<KvEventSubscriberOptions> = {}) {
  const heard: (number | 'restart' | 'gap')[] = [];
  const subscriber: KvEventSubscriber = subscribeKvEvents({
    eventsEndpoint: engine.eventsEndpoint,
    replayEndpoint: engine.replayEndpoint,
    onBatch: (_seq, payload) => void heard.push(Number(Buffer.from(payload).toString() || NaN)),
    onReset: (reason) => void heard.push(reason),
    replayTimeoutMs: 200,
    catchUpMs: 20,
    ...how,
  });
  closers.push(() => subscriber.close());
  return { heard, subscriber };
}

/** Until everything that was published is heard, by one way or the other. */
const heardAll = (engine: ScriptedEngine, heard: unknown[]) =>
  eventually(() => heard.length === engine.next);

test.each([3, 4] as const)('what came before, then what comes, in %d frames', async (frames) => {
  const engine = await startEngine();
  engine.replayFrames = frames;
  for (let n = 0; n < 5; n += 1) await engine.publish(mark(n));
  const { heard, subscriber } = follow(engine);
  await heardAll(engine, heard);
  for (let n = 5; n < 50; n += 1) await engine.publish(mark(n));
  await heardAll(engine, heard);
  expect(heard).toEqual(upTo(50));
  expect(subscriber.counters).toMatchObject({ batches: 50, resets: 0, unreadable: 0 });
});

test('failure 14: lost batches are asked for, and order is kept', async () => {
  const engine = await startEngine();
  const { heard, subscriber } = follow(engine);
  for (let n = 0; n < 300; n += 1) {
    await engine.publish(mark(n), { lose: n % 7 === 3 || n > 290 });
    if (n % 20 === 0) await heardAll(engine, heard);
  }
  await heardAll(engine, heard);
  expect(heard).toEqual(upTo(300));
  expect(subscriber.counters.replayed).toBeGreaterThan(30);
  expect(subscriber.counters.resets).toBe(0);
});

test('failure 14: the loss of the very last batch is found without another one', async () => {
  const engine = await startEngine();
  const { heard } = follow(engine);
  await engine.publish(mark(0));
  await heardAll(engine, heard);
  await engine.publish(mark(1), { lose: true });
  await heardAll(engine, heard);
  expect(heard).toEqual([0, 1]);
});

test('failure 10: an engine that begins again at 0, seen by its numbers alone', async () => {
  const engine = await startEngine();
  const { heard, subscriber } = follow(engine);
  for (let n = 0; n < 10; n += 1) await engine.publish(mark(n));
  await heardAll(engine, heard);
  engine.beginAgain();
  // The first batches of the new life are missed.
  for (let n = 100; n < 105; n += 1) await engine.publish(mark(n), { lose: n < 103 });
  await eventually(() => heard.at(-1) === 104);
  expect(heard).toEqual([...upTo(10), 'restart', 100, 101, 102, 103, 104]);
  expect(subscriber.counters).toMatchObject({ resets: 1, restarts: 1 });
});

test('failure 10: a restart is known as soon as the engine can be heard again, before it says anything', async () => {
  const engine = await startEngine();
  const { heard } = follow(engine, { catchUpMs: 60_000 });
  for (let n = 0; n < 3; n += 1) await engine.publish(mark(n));
  await heardAll(engine, heard);
  const next = await restarted(engine);
  await eventually(() => heard.at(-1) === 'restart');
  await next.publish(mark(7));
  await eventually(() => heard.at(-1) === 7);
  expect(heard).toEqual([0, 1, 2, 'restart', 7]);
});

test('a lost connection to an engine that lives on is bridged', async () => {
  const engine = await startEngine();
  const { heard, subscriber } = follow(engine);
  await engine.publish(mark(0));
  await heardAll(engine, heard);
  // The same life behind new sockets.
  const next = await restarted(engine);
  next.buffer = engine.buffer;
  next.next = engine.next;
  await next.publish(mark(1));
  await next.publish(mark(2), { lose: true });
  await heardAll(next, heard);
  expect(heard).toEqual([0, 1, 2]);
  expect(subscriber.counters.resets).toBe(0);
});

test('what is beyond the buffer is lost: from there it starts over', async () => {
  const engine = await startEngine();
  const { heard, subscriber } = follow(engine, { catchUpMs: 60_000 });
  await engine.publish(mark(0));
  await heardAll(engine, heard);
  for (let n = 1; n < 6; n += 1) await engine.publish(mark(n), { lose: true });
  engine.buffer = engine.buffer.slice(4);
  await engine.publish(mark(6));
  await eventually(() => heard.at(-1) === 6);
  expect(heard).toEqual([0, 'gap', 4, 5, 6]);
  expect(subscriber.counters.gaps).toBeGreaterThan(0);
});

test('without replay a gap means that everything before is unknown', async () => {
  const engine = await startEngine();
  const { heard } = follow(engine, { replayEndpoint: undefined });
  await eventually(() => {
    void engine.publish(mark(1));
    return heard.length > 3;
  });
  await engine.publish(mark(8), { lose: true });
  await engine.publish(mark(9));
  await eventually(() => heard.at(-1) === 9);
  expect(heard.slice(-2)).toEqual(['gap', 9]);
});

test('resets without end are a line now and then, of each reason', async () => {
  const engine = await startEngine();
  const lines: object[] = [];
  const warn = (fields: object) => void lines.push(fields);
  const { heard } = follow(engine, {
    replayEndpoint: undefined,
    log: { info: () => undefined, warn },
  });
  await eventually(() => {
    void engine.publish(mark(1));
    return heard.length > 0;
  });
  for (let n = 100; n > 0; n -= 1)
    await engine.send(['', encodeEventSeq(n + 1_000), mark(n + 1_000)]);
  await eventually(() => heard.at(-1) === 1_001);
  expect(heard.filter((entry) => entry === 'restart').length).toBeGreaterThan(90);
  expect(lines.filter((line) => JSON.stringify(line).includes('kv_events_reset'))).toEqual([
    expect.objectContaining({ reason: 'gap', leftOut: 0 }),
    expect.objectContaining({ reason: 'restart', leftOut: 0 }),
  ]);
});

test('an engine that does not answer replays is followed as far as it goes', async () => {
  const engine = await startEngine();
  engine.isDeaf = true;
  const { heard } = follow(engine);
  await engine.publish(mark(0));
  await eventually(() => {
    void engine.publish(mark(7));
    return heard.includes(7);
  });
  engine.isDeaf = false;
  await engine.publish(mark(8), { lose: true });
  await eventually(() => heard.at(-1) === 8);
});

test('sequence frames of another length and messages of other frames are counted and passed over', async () => {
  const engine = await startEngine();
  const { heard, subscriber } = follow(engine);
  await engine.publish(mark(0));
  await heardAll(engine, heard);
  await engine.send(['', 'short', 'x']);
  await engine.send(['', Buffer.alloc(9), 'x']);
  await engine.send(['', Buffer.alloc(8, 0xfe), 'beyond 2^53']);
  await engine.send(['only one']);
  await engine.send(['', Buffer.alloc(8), 'x', 'one too many']);
  await engine.publish(mark(1));
  await heardAll(engine, heard);
  expect(heard).toEqual([0, 1]);
  expect(subscriber.counters).toMatchObject({ unreadable: 5, resets: 0 });
});

test('a topic filter: what is published under another one does not come', async () => {
  const engine = await startEngine({ topic: 'kv@model/1' });
  const { heard, subscriber } = follow(engine, { topic: 'kv@' });
  await engine.publish(mark(0));
  await heardAll(engine, heard);
  await engine.send(['other', 'no sequence number', '']);
  await engine.publish(mark(1));
  await heardAll(engine, heard);
  expect(heard).toEqual([0, 1]);
  expect(subscriber.counters.unreadable).toBe(0);
});

test('engines may connect to us, and come back', async () => {
  const ear = await ScriptedEngine.start();
  const free = ear.eventsEndpoint;
  await ear.kill();
  const engine = await startEngine({ events: free, connects: true });
  const { heard } = follow(engine, { eventsEndpoint: free, isBound: true });
  await engine.publish(mark(0));
  await heardAll(engine, heard);
  await engine.publish(mark(1));
  await heardAll(engine, heard);
  const { replayEndpoint: replay } = engine;
  await engine.kill();
  const next = await startEngine({ events: free, replay, connects: true });
  await next.publish(mark(5));
  await eventually(() => heard.at(-1) === 5);
  expect(heard).toEqual([0, 1, 'restart', 5]);
});

test('engines on this machine may use Unix sockets', async () => {
  const engine = await startEngine({ events: `ipc://@baton-test-${process.pid}` });
  const { heard } = follow(engine);
  for (let n = 0; n < 20; n += 1) await engine.publish(mark(n));
  await heardAll(engine, heard);
  expect(heard).toEqual(upTo(20));
});

/** A place for replays that hangs up on everybody; counts how often it was tried. */
async function startHangUp(): Promise<{ replayEndpoint: string; tries: number }> {
  const server = net.createServer((socket) => {
    hangUp.tries += 1;
    socket.destroy();
  });
  const hangUp = { replayEndpoint: '', tries: 0 };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => server.close());
  hangUp.replayEndpoint = `tcp://127.0.0.1:${(server.address() as net.AddressInfo).port}`;
  return hangUp;
}

test('an engine that cannot be heard is not asked, one that cannot be asked ever more slowly', async () => {
  const engine = await startEngine();
  const dead = await startHangUp();
  const mute = await startHangUp();
  const how = { replayTimeoutMs: 30, catchUpMs: 20 };
  follow(engine, {
    ...how,
    eventsEndpoint: 'tcp://127.0.0.1:1',
    replayEndpoint: dead.replayEndpoint,
  });
  const { subscriber } = follow(engine, { ...how, replayEndpoint: mute.replayEndpoint });
  await eventually(() => subscriber.fault === undefined);
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect(dead.tries).toBe(0);
  expect(mute.tries).toBeGreaterThan(1);
  expect(mute.tries).toBeLessThan(7);
});

test('an endpoint that is none is refused by name', async () => {
  const engine = await startEngine();
  expect(() => follow(engine, { eventsEndpoint: 'tcp://*:5557' })).toThrow(
    /tcp:\/\/\*:5557 .*address/,
  );
  expect(() => follow(engine, { replayEndpoint: 'nowhere' })).toThrow(/nowhere must be tcp/);
});
