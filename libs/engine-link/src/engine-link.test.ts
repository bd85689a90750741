import { linkSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { baton } from '@baton/proto';
import { eventually } from '@baton/test-kit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MAX_FRAME_BYTES, MAX_QUEUED_BYTES } from './frame-codec.ts';
import { connectAgent, listenForEngine } from './index.ts';
import type { EngineLink } from './index.ts';

let folder: string;
let socketPath: string;
let abort: AbortController;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'baton-link-'));
  socketPath = path.join(folder, 'agent.sock');
  abort = new AbortController();
});

afterEach(() => {
  abort.abort();
  rmSync(folder, { recursive: true });
});

function fakeAgent() {
  const received: baton.v1.EngineMessage[] = [];
  const links: EngineLink[] = [];
  const closed: string[] = [];
  const onEngine = (link: EngineLink) => {
    links.push(link);
    link.send({ hello: { workerId: 'w1', pageBytes: 42 } });
    return {
      onMessage: (message: baton.v1.EngineMessage) => void received.push(message),
      onClose: (reason: string) => void closed.push(reason),
    };
  };
  return { received, links, closed, onEngine };
}

function fakeEngine() {
  const hellos: baton.v1.IAgentHello[] = [];
  const received: baton.v1.AgentMessage[] = [];
  const closed: string[] = [];
  const connection = connectAgent({
    socketPath,
    hello: () => ({ eventsEndpoint: 'tcp://127.0.0.1:1', pageBytes: 7 }),
    onHello: (hello) => void hellos.push(hello),
    onMessage: (message) => void received.push(message),
    onClose: (reason) => void closed.push(reason),
    signal: abort.signal,
  });
  return { hellos, received, closed, connection };
}

async function rawConnection(): Promise<{ socket: Socket; gone: Promise<void> }> {
  const socket = connect(socketPath);
  socket.on('error', () => undefined);
  socket.resume();
  const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await new Promise((resolve) => socket.once('connect', resolve));
  return { socket, gone };
}

function frame(payload: Uint8Array): Buffer {
  const header = Buffer.alloc(4);
  header.writeUInt32LE(payload.length);
  return Buffer.concat([header, payload]);
}

const helloFrame = frame(baton.v1.EngineMessage.encode({ hello: { pageBytes: 1 } }).finish());

test('messages pass both ways, in order', async () => {
  const agent = fakeAgent();
  await listenForEngine({ socketPath, onEngine: agent.onEngine, signal: abort.signal });
  const engine = fakeEngine();
  expect(engine.connection.send({ release: { requestId: 'too early' } })).toBe(false);
  await eventually(() => engine.hellos.length === 1);
  expect(engine.hellos[0]).toMatchObject({ workerId: 'w1', pageBytes: 42 });
  expect(agent.links[0]?.hello).toMatchObject({ pageBytes: 7 });

  for (let i = 0; i < 500; i += 1) {
    expect(engine.connection.send({ release: { requestId: `r${i}`, pages: [i] } })).toBe(true);
    agent.links[0]?.send({ segment: { requestId: `r${i}`, index: i, page: 3, bytes: 4 } });
  }
  await eventually(() => agent.received.length === 500 && engine.received.length === 500);
  expect(agent.received.map((m) => m.release?.pages?.[0])).toEqual([...Array(500).keys()]);
  expect(engine.received.map((m) => m.segment?.index)).toEqual([...Array(500).keys()]);
});

test('an engine that starts first finds its agent, and finds it again after a restart', async () => {
  const engine = fakeEngine();
  for (let life = 1; life <= 3; life += 1) {
    const agent = fakeAgent();
    const listener = await listenForEngine({
      socketPath,
      onEngine: agent.onEngine,
      signal: abort.signal,
    });
    await eventually(() => engine.hellos.length === life);
    expect(engine.connection.connected).toBe(true);
    await listener.close();
    await eventually(() => engine.closed.length === life);
    expect(engine.connection.connected).toBe(false);
    expect(agent.closed).toEqual(['agent stops']);
  }
});

test('a refused engine hears nothing, and asks again', async () => {
  let asked = 0;
  await listenForEngine({
    socketPath,
    signal: abort.signal,
    onEngine(link) {
      asked += 1;
      link.refuse('page_too_small', 'pages of 7 bytes');
      return { onMessage: () => undefined, onClose: () => undefined };
    },
  });
  const engine = fakeEngine();
  await eventually(() => asked >= 3);
  expect(engine.hellos).toEqual([]);
  expect(engine.closed).toEqual([]);
  expect(engine.connection.connected).toBe(false);
});

test.each([
  ['a frame that is too long', Buffer.from([1, 0, 0x10, 0]), `${MAX_FRAME_BYTES + 1} bytes`],
  ['an empty frame', Buffer.from([0, 0, 0, 0]), 'frame of 0 bytes'],
  ['garbage', frame(Buffer.from('\xff\xff\x01', 'latin1')), 'not a message'],
  ['an unknown message', frame(Buffer.from([0xf8, 0x07, 1])), 'no known message'],
  ['a truncated message', frame(Buffer.from([0x0a, 0x20, 1])), 'not a message'],
])('%s closes the link with the reason, and the agent goes on', async (_, bytes, reason) => {
  const agent = fakeAgent();
  await listenForEngine({ socketPath, onEngine: agent.onEngine, signal: abort.signal });
  const raw = await rawConnection();
  raw.socket.write(Buffer.concat([helloFrame, bytes]));
  await raw.gone;
  expect(agent.closed).toEqual([expect.stringContaining(reason)]);
  expect(agent.received).toEqual([]);

  const engine = fakeEngine();
  await eventually(() => engine.hellos.length === 1);
});

test('bytes split anywhere give the same messages', async () => {
  const agent = fakeAgent();
  await listenForEngine({ socketPath, onEngine: agent.onEngine, signal: abort.signal });
  const ended = baton.v1.EngineMessage.encode({ ended: { requestId: 'r', outcome: 'finished' } });
  const bytes = Buffer.concat([helloFrame, frame(ended.finish())]);
  for (let cut = 1; cut < bytes.length; cut += 1) {
    const raw = await rawConnection();
    raw.socket.setNoDelay(true);
    raw.socket.write(bytes.subarray(0, cut));
    await new Promise((resolve) => setImmediate(resolve));
    raw.socket.write(bytes.subarray(cut));
    await eventually(() => agent.received.length === cut);
    raw.socket.destroy();
  }
  expect(agent.received.every((message) => message.ended?.requestId === 'r')).toBe(true);
});

test('a message before the hello closes the link', async () => {
  const agent = fakeAgent();
  await listenForEngine({ socketPath, onEngine: agent.onEngine, signal: abort.signal });
  const raw = await rawConnection();
  raw.socket.write(frame(baton.v1.EngineMessage.encode({ load: {} }).finish()));
  await raw.gone;
  expect(agent.links).toEqual([]);
});

test('a peer that does not read is cut off', async () => {
  const agent = fakeAgent();
  await listenForEngine({ socketPath, onEngine: agent.onEngine, signal: abort.signal });
  const raw = await rawConnection();
  raw.socket.pause();
  raw.socket.write(helloFrame);
  await eventually(() => agent.links.length === 1);
  const pages = Array.from({ length: 100_000 }, () => 0xffffffff);
  let sent = 0;
  while (agent.links[0]?.send({ reserved: { requestId: 'r', pages } })) sent += 1;
  expect(sent).toBeGreaterThan(10);
  expect(sent * 500_000).toBeLessThan(2 * MAX_QUEUED_BYTES);
  expect(agent.closed).toEqual([expect.stringContaining('does not read')]);
  raw.socket.destroy();
});

test('the socket of a dead process is replaced, that of a living one is not', async () => {
  const dead = createServer();
  await new Promise<void>((resolve) => dead.listen(path.join(folder, 'real.sock'), resolve));
  // A server that is closed removes its file; a killed one does not. A second name for it stays.
  linkSync(path.join(folder, 'real.sock'), socketPath);
  await new Promise((resolve) => dead.close(resolve));
  expect(statSync(socketPath).isSocket()).toBe(true);

  const agent = fakeAgent();
  const options = { socketPath, onEngine: agent.onEngine, signal: abort.signal };
  await listenForEngine(options);
  await expect(listenForEngine(options)).rejects.toThrow('EADDRINUSE');
});

test('a path that no socket can have, or whose folder is not there, is refused by name', async () => {
  const { onEngine } = fakeAgent();
  const listen = (at: string): Promise<unknown> =>
    listenForEngine({ socketPath: at, onEngine, signal: abort.signal });
  const long = path.join(folder, 'x'.repeat(120));
  await expect(listen(long)).rejects.toThrow(long);
  const nowhere = path.join(folder, 'nowhere');
  await expect(listen(path.join(nowhere, 'a.sock'))).rejects.toThrow(
    `there is no folder ${nowhere} for the socket`,
  );
});
