import { connect, createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { baton } from '@baton/proto';
import { eventually } from '@baton/test-kit';
import type { TcpLimits, TransferEngine } from '../index.ts';
import { openTcpEngine, parseAddress } from '../index.ts';
import {
  openFaultProxy,
  ScriptedSource,
  testKey,
  testKeys,
  testPayload,
  transferEngineContract,
} from '../testing/index.ts';
import type { Fault } from '../testing/index.ts';
import { CONTRACT_PAGE_BYTES, CONTRACT_PAGES } from '../testing/transfer-engine-contract.ts';
import { encodeFrame, encodeHeader, FrameType, HEADER_BYTES } from './frame.ts';

async function openSide(source: ScriptedSource, layout: string, limits: Partial<TcpLimits> = {}) {
  const bytes = new Uint8Array(CONTRACT_PAGES * CONTRACT_PAGE_BYTES);
  const memory = { bytes, pageBytes: CONTRACT_PAGE_BYTES };
  const engine = await openTcpEngine({
    memory,
    source,
    layout,
    host: '127.0.0.1',
    port: 0,
    limits: { bytesPerStream: CONTRACT_PAGE_BYTES, ...limits },
  });
  source.memory = memory;
  return { engine, memory, close: () => engine.close() };
}

describe('tcp passes the contract', () => {
  transferEngineContract((source, layout) => openSide(source as ScriptedSource, layout));
});

/** A handover of three segments and a tail through a proxy, over one stream. */
async function throughProxy(limits: Partial<TcpLimits> = {}) {
  const source = new ScriptedSource();
  const from = await openSide(source, 'l');
  for (let n = 0; n < 3; n += 1) source.put(testKey(n), n, 700 + n, n);
  source.putTail(9, 300, 9, Uint8Array.of(4, 5, 6));
  const target = parseAddress(from.engine.address)!;
  const proxy = await openFaultProxy(target);
  const to = await openSide(new ScriptedSource(), 'l', { maxStreams: 1, ...limits });
  return { source, from, to, proxy };
}

async function pullOnce(to: { engine: TransferEngine }, address: string) {
  const arrived: number[] = [];
  let state: number[] | undefined;
  const outcome = await to.engine.pull(
    {
      transferId: 't',
      planId: 'p',
      address,
      keys: testKeys(0, 3),
      pages: [0, 1, 2],
      tailPage: 3,
      wait: true,
      timeoutMs: 20_000,
    },
    {
      segment: (index) => void arrived.push(index),
      tail: (tail) => void (state = [...tail.state]),
    },
  ).done;
  return { outcome, arrived, state };
}

const ANSWER_BYTES = 6 * HEADER_BYTES + 700 + 701 + 702 + 3 + 300;

type Rig = Awaited<ReturnType<typeof throughProxy>>;

/** One pull with a fault on its way: what it came to, and what was counted meanwhile. */
async function spoiled(rig: Rig, fault: Fault) {
  const { source, to, proxy } = rig;
  proxy.faultFor = () => fault;
  proxy.cutAll();
  await eventually(() => source.openStreams === 0);
  const before = { ...to.engine.counters };
  const { outcome, arrived, state } = await pullOnce(to, proxy.address);
  for (const n of arrived) {
    const start = n * CONTRACT_PAGE_BYTES;
    const held = to.memory.bytes.subarray(start, start + 700 + n);
    expect(Buffer.compare(held, testPayload(700 + n, n))).toBe(0);
  }
  to.memory.bytes.fill(0);
  if (state) expect(state).toEqual([4, 5, 6]);
  expect(arrived).toEqual([...Array(outcome.leadingSegments).keys()]);
  const { pullsActive, cuts, stalls, checksumFailures } = to.engine.counters;
  expect(pullsActive).toBe(0);
  const counted = {
    cuts: cuts - before.cuts,
    stalls: stalls - before.stalls,
    checksumFailures: checksumFailures - before.checksumFailures,
  };
  return { outcome, counted };
}

async function closeRig({ source, from, to, proxy }: Rig): Promise<void> {
  await Promise.all([to.close(), from.close(), proxy.close()]);
  expect(source.reading.size + source.openStreams).toBe(0);
}

describe('a spoiled connection', () => {
  test('the sizes that these tests aim at are right', async () => {
    const { from, to, proxy } = await throughProxy();
    const { outcome } = await pullOnce(to, proxy.address);
    expect(outcome.status).toBe('done');
    expect(proxy.bytesDown).toBe(ANSWER_BYTES);
    await Promise.all([to.close(), from.close(), proxy.close()]);
  });

  test('cut at any byte: a final status, and only whole segments', async () => {
    const rig = await throughProxy();
    const lastItemEnds = ANSWER_BYTES - HEADER_BYTES;
    for (let at = 0; at < ANSWER_BYTES; at += 1 + (at % 31)) {
      const { outcome, counted } = await spoiled(rig, { kind: 'cut', direction: 'down', at });
      const isWhole = at >= lastItemEnds;
      expect(outcome.status === 'done').toBe(isWhole);
      expect(outcome.code).toBe(isWhole ? undefined : 'transfer_cut');
      expect(counted.cuts).toBe(isWhole ? 0 : 1);
    }
    await closeRig(rig);
  });

  test('a flipped bit at any byte: never garbage', async () => {
    const rig = await throughProxy();
    for (let at = 0; at < ANSWER_BYTES - HEADER_BYTES; at += 1 + (at % 37)) {
      const { outcome, counted } = await spoiled(rig, { kind: 'flip', direction: 'down', at });
      expect(outcome.status).not.toBe('done');
      expect(outcome.code).toBe('checksum_mismatch');
      expect(counted.checksumFailures).toBe(1);
    }
    await closeRig(rig);
  });

  test('a flipped bit in the request: refused', async () => {
    const rig = await throughProxy();
    for (const at of [0, 2, 3, 8, 14, 33, 40, 60, 90]) {
      const { outcome } = await spoiled(rig, { kind: 'flip', direction: 'up', at });
      expect(outcome).toMatchObject({ status: 'failed', code: 'checksum_mismatch' });
    }
    await closeRig(rig);
  });

  test('silence at any byte: given up after the stall time', async () => {
    const rig = await throughProxy({ stallMs: 60 });
    for (const at of [0, 10, HEADER_BYTES, 500, 1200, ANSWER_BYTES - HEADER_BYTES - 1]) {
      const { outcome, counted } = await spoiled(rig, { kind: 'stall', direction: 'down', at });
      expect(outcome.code).toBe('transfer_stalled');
      expect(counted.stalls).toBe(1);
    }
    await closeRig(rig);
  });

  test('a slow one is not a stalled one', async () => {
    const { from, to, proxy } = await throughProxy({ stallMs: 5_000 });
    proxy.delayMs = 20;
    expect((await pullOnce(to, proxy.address)).outcome.status).toBe('done');
    await Promise.all([to.close(), from.close(), proxy.close()]);
  });
});

describe('connections', () => {
  test('are kept and used again', async () => {
    const { from, to, proxy } = await throughProxy();
    for (let i = 0; i < 10; i += 1) await pullOnce(to, proxy.address);
    expect(proxy.connections).toBe(1);
    await Promise.all([to.close(), from.close(), proxy.close()]);
  });

  test('that died while idle are replaced without a failure', async () => {
    const { from, to, proxy } = await throughProxy();
    await pullOnce(to, proxy.address);
    // The answer to the next request never comes on this connection, but nothing was lost yet.
    proxy.cutAll();
    expect((await pullOnce(to, proxy.address)).outcome.status).toBe('done');
    expect(proxy.connections).toBe(2);
    await Promise.all([to.close(), from.close(), proxy.close()]);
  });

  test('are closed when nobody uses them', async () => {
    const { from, to, proxy } = await throughProxy({ idleMs: 30 });
    await pullOnce(to, proxy.address);
    await new Promise((resolve) => setTimeout(resolve, 60));
    await pullOnce(to, proxy.address);
    expect(proxy.connections).toBe(2);
    await Promise.all([to.close(), from.close(), proxy.close()]);
  });

  test('stay alive while the prefill takes its time', async () => {
    const source = new ScriptedSource();
    const from = await openSide(source, 'l', { keepAliveMs: 20 });
    const to = await openSide(new ScriptedSource(), 'l', { stallMs: 500 });
    const pull = pullOnce(to, from.engine.address);
    // Twice as long as a stall may be.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    for (let n = 0; n < 3; n += 1) source.put(testKey(n), n, 100, n);
    source.putTail(9, 1, 9, Uint8Array.of(1));
    expect((await pull).outcome).toMatchObject({ status: 'done', leadingSegments: 3 });
    expect(to.engine.counters.stalls).toBe(0);
    await Promise.all([to.close(), from.close()]);
  });

  test('a reader that takes nothing is given up, and its pages are free', async () => {
    const source = new ScriptedSource();
    const from = await openSide(source, 'l', { sendStallMs: 50, keepAliveMs: 20 });
    for (let n = 0; n < 60; n += 1) source.put(testKey(n), n, CONTRACT_PAGE_BYTES, n);
    const keys = Buffer.concat(Array.from({ length: 300 }, () => testKeys(0, 60)));
    const raw = connect(parseAddress(from.engine.address)!);
    raw.pause();
    raw.on('error', () => undefined);
    raw.write(Buffer.concat(requestFrame({ keys })));
    await eventually(() => source.openStreams === 1);
    await eventually(() => source.openStreams === 0 && source.reading.size === 0);
    expect(from.engine.counters.stalls).toBe(1);
    raw.destroy();
    await from.close();
  });
});

function requestFrame(request: Partial<baton.v1.IPullRequest>): Uint8Array[] {
  const fields = {
    transferId: 't',
    layout: 'l',
    timeoutMs: 1000,
    keys: testKeys(0, 1),
    ...request,
  };
  return encodeFrame(FrameType.REQUEST, baton.v1.PullRequest.encode(fields).finish());
}

/** What the source says to bytes of a stranger. */
async function answerTo(bytes: Uint8Array): Promise<{ refusal: string; source: ScriptedSource }> {
  const source = new ScriptedSource();
  const from = await openSide(source, 'l');
  const raw = connect(parseAddress(from.engine.address)!);
  const chunks: Buffer[] = [];
  raw.on('error', () => undefined);
  raw.on('data', (chunk: Buffer) => void chunks.push(chunk));
  const closed = new Promise((resolve) => raw.once('close', resolve));
  raw.end(bytes);
  await closed;
  await from.close();
  const answer = Buffer.concat(chunks).subarray(HEADER_BYTES);
  const { code, message } = baton.v1.LinkRefused.decode(answer);
  return { refusal: `${code} ${message}`, source };
}

describe('a stranger', () => {
  test.each<[string, Uint8Array, string]>([
    ['HTTP', Buffer.from('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'.padEnd(64)), 'damaged'],
    ['a frame that is no request', encodeHeader({ type: FrameType.SEGMENT }), 'not expected'],
    [
      'a request without end',
      encodeHeader({ type: FrameType.REQUEST, bytes: 0xffffffff }),
      'not expected',
    ],
    ['garbage inside', Buffer.concat(encodeFrame(1, Buffer.from([0xff, 0xff]))), 'cannot be read'],
    ['half a key', Buffer.concat(requestFrame({ keys: new Uint8Array(15) })), 'keys'],
    ['nothing asked for', Buffer.concat(requestFrame({ keys: new Uint8Array() })), 'keys'],
    ['no id', Buffer.concat(requestFrame({ transferId: '' })), 'transfer_id'],
    ['a long id', Buffer.concat(requestFrame({ planId: 'x'.repeat(300) })), 'plan_id'],
    ['no time limit', Buffer.concat(requestFrame({ timeoutMs: 0 })), 'timeout_ms'],
    ['no layout', Buffer.concat(requestFrame({ layout: '' })), 'layout_mismatch'],
  ])('with %s is told why it is refused', async (_, bytes, reason) => {
    const { refusal, source } = await answerTo(bytes);
    expect(refusal).toContain(reason);
    expect(source.queries).toEqual([]);
  });
});

/** A source that answers with prepared bytes. */
async function pullFromImpostor(answer: Uint8Array): Promise<string | undefined> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.write(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const to = await openSide(new ScriptedSource(), 'l');
  const { outcome } = await pullOnce(to, `127.0.0.1:${port}`);
  expect(outcome.segments).toBe(0);
  await to.close();
  server.close();
  return outcome.code;
}

describe('a source that does not keep to the protocol', () => {
  const segment = (fields: object) => encodeHeader({ type: FrameType.SEGMENT, ...fields });
  test.each<[string, Uint8Array]>([
    ['another segment first', segment({ index: 1, bytes: 1, key: testKey(1) })],
    ['another key', segment({ index: 0, bytes: 1, key: testKey(1) })],
    ['more than a page', segment({ index: 0, bytes: CONTRACT_PAGE_BYTES + 1, key: testKey(0) })],
    ['an empty segment', segment({ index: 0, bytes: 0, key: testKey(0) })],
    ['a tail first', encodeHeader({ type: FrameType.TAIL, bytes: 1 })],
    ['a state first', encodeHeader({ type: FrameType.STATE, bytes: 1 })],
    ['the end first', encodeHeader({ type: FrameType.END })],
    ['an endless refusal', encodeHeader({ type: FrameType.REFUSED, bytes: 0xffffffff })],
    ['a keep-alive with bytes', encodeHeader({ type: FrameType.KEEP_ALIVE, bytes: 1 })],
    ['a request', encodeHeader({ type: FrameType.REQUEST, bytes: 1 })],
    ['an unknown type', encodeHeader({ type: 99 as FrameType })],
    ['a refusal of garbage', Buffer.concat(encodeFrame(7, Buffer.from([0xff, 0xff, 0xff])))],
  ])('%s: a violation, and nothing is taken', async (_, answer) => {
    expect(await pullFromImpostor(answer)).toBe('protocol_violation');
  });
});

test('payloads are not copied in this process', async () => {
  const source = new ScriptedSource();
  const from = await openSide(source, 'l', { maxStreams: 1 });
  const to = await openSide(new ScriptedSource(), 'l', { maxStreams: 1 });
  for (let n = 0; n < 60; n += 1) source.put(testKey(n), n, CONTRACT_PAGE_BYTES, n);
  const listener = { segment: () => undefined, tail: () => undefined };
  const pages = Array.from({ length: 60 }, (_, i) => i);
  const order = {
    transferId: 't',
    planId: 'p',
    address: from.engine.address,
    keys: testKeys(0, 60),
    pages,
    wait: false,
    timeoutMs: 20_000,
  };
  await to.engine.pull(order, listener).done;
  const before = process.memoryUsage();
  let peak = 0;
  for (let i = 0; i < 40; i += 1) {
    await to.engine.pull(order, listener).done;
    peak = Math.max(peak, process.memoryUsage().arrayBuffers);
  }
  const moved = 40 * 60 * CONTRACT_PAGE_BYTES;
  await eventually(() => from.engine.counters.bytesOut === moved + 60 * CONTRACT_PAGE_BYTES);
  expect(to.engine.counters.bytesIn).toBe(from.engine.counters.bytesOut);
  // One copy of what was moved would be 75 MiB of buffers.
  expect(peak - before.arrayBuffers).toBeLessThan(moved / 8);
  await Promise.all([to.close(), from.close()]);
});

test.each<[string, { host: string; port: number } | undefined]>([
  ['127.0.0.1:80', { host: '127.0.0.1', port: 80 }],
  ['[::1]:9000', { host: '::1', port: 9000 }],
  ['worker-1.pod:65535', { host: 'worker-1.pod', port: 65_535 }],
  ['::1:9000', undefined],
  ['host:0', undefined],
  ['host:65536', undefined],
  ['host', undefined],
  ['host:80 ', undefined],
  ['', undefined],
])('address %s', (address, parts) => {
  expect(parseAddress(address)).toEqual(parts);
});
