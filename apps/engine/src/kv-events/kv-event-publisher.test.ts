import { decode } from '@msgpack/msgpack';
import { Dealer, Subscriber } from 'zeromq';
import { afterEach, expect, test } from 'vitest';
import { CacheEvents } from './cache-events.ts';
import { KvEventPublisher } from './kv-event-publisher.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const KEY = (byte: number): Uint8Array => new Uint8Array(16).fill(byte);

async function publisher(bufferSteps = 100): Promise<KvEventPublisher> {
  const opened = await KvEventPublisher.open({
    endpoint: 'tcp://127.0.0.1:*',
    replayEndpoint: 'tcp://127.0.0.1:*',
    bufferSteps,
    bufferBytes: 1 << 20,
    highWaterMark: 1000,
    now: () => 1_700_000_000_500,
  });
  closers.push(() => opened.close());
  return opened;
}

function dealer(endpoint: string): Dealer {
  const socket = new Dealer({ linger: 0 });
  closers.push(() => socket.close());
  socket.connect(endpoint);
  return socket;
}

async function replay(socket: Dealer, from: number): Promise<Buffer[][]> {
  const seq = Buffer.alloc(8);
  seq.writeBigUInt64BE(BigInt(from));
  await socket.send(['', seq]);
  const replies: Buffer[][] = [];
  for (;;) {
    const reply = await socket.receive();
    replies.push(reply);
    if (reply[2]?.readBigUInt64BE() === 0xffff_ffff_ffff_ffffn) return replies;
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a subscriber gets three frames with counting sequence numbers', async () => {
  const events = await publisher();
  const subscriber = new Subscriber({ linger: 0 });
  closers.push(() => subscriber.close());
  subscriber.connect(events.endpoint);
  subscriber.subscribe();
  // Subscriptions travel by themselves: send until the first one arrives.
  const received = subscriber.receive();
  let first: Buffer[] | undefined;
  void received.then((frames) => (first = frames));
  while (first === undefined) {
    events.add([{ type: 'AllBlocksCleared' }]);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  events.add([
    { type: 'BlockRemoved', blockHash: KEY(1) },
    { type: 'BlockRemoved', blockHash: KEY(2) },
  ]);
  let frames = first;
  let previous = -1n;
  while (JSON.stringify(decode(frames[2] ?? Buffer.of())).includes('AllBlocksCleared')) {
    expect(frames).toHaveLength(3);
    expect(frames[0]).toHaveLength(0);
    const seq = frames[1]?.readBigUInt64BE() ?? 0n;
    if (previous !== -1n) expect(seq).toBe(previous + 1n);
    previous = seq;
    frames = await subscriber.receive();
  }
  const payload = new Uint8Array(frames[2] ?? Buffer.of());
  const [ts, batch, rank] = decode(payload) as [number, object[], number];
  expect([ts, rank]).toEqual([1_700_000_000.5, 0]);
  expect(batch).toEqual([
    { type: 'BlockRemoved', block_hashes: [KEY(1)], medium: 'GPU', group_idx: 0 },
    { type: 'BlockRemoved', block_hashes: [KEY(2)], medium: 'GPU', group_idx: 0 },
  ]);
});

test('replay gives what is still held from a sequence number on, then the end marker', async () => {
  const events = await publisher(3);
  for (let i = 0; i < 5; i += 1) {
    events.add([{ type: 'BlockRemoved', blockHash: KEY(i) }]);
    await nextTurn();
  }
  const socket = dealer(events.replayEndpoint);
  const all = await replay(socket, 0);
  expect(all.map((frames) => frames.length)).toEqual([4, 4, 4, 4]);
  expect(all.map((frames) => frames[2]?.toString('hex'))).toEqual([
    '0000000000000002',
    '0000000000000003',
    '0000000000000004',
    'ffffffffffffffff',
  ]);
  expect(all.map((frames) => [frames[0]?.length, frames[1]?.length])).toEqual(
    all.map(() => [0, 0]),
  );
  expect(all.at(-1)?.[3]).toHaveLength(0);
  expect(await replay(socket, 4)).toHaveLength(2);
  expect(await replay(socket, 9)).toHaveLength(1);
});

test('a request of another shape is passed over', async () => {
  const events = await publisher();
  events.add([{ type: 'AllBlocksCleared' }]);
  await nextTurn();
  const socket = dealer(events.replayEndpoint);
  await socket.send('nonsense');
  await socket.send(['', Buffer.alloc(3)]);
  expect(await replay(socket, 0)).toHaveLength(2);
});

test('a port in use is an error, and nothing stays open', async () => {
  const events = await publisher();
  await expect(
    KvEventPublisher.open({
      endpoint: 'tcp://127.0.0.1:*',
      replayEndpoint: events.replayEndpoint,
      bufferSteps: 1,
      bufferBytes: 1,
      highWaterMark: 1,
      now: () => 0,
    }),
  ).rejects.toThrow(/in use/i);
});

test('chains start with a null parent, and a salted one names its salt', () => {
  const cache = new CacheEvents(2);
  const root = KEY(9);
  cache.noteSalt(root, 'tenant-a');
  const keys = Uint8Array.of(...KEY(1), ...KEY(2));
  const tokens = Int32Array.of(5, 6, 7, 8);
  expect(cache.of({ type: 'stored', keys, parentKey: root, isChainStart: true, tokens })).toEqual([
    {
      type: 'BlockStored',
      blockHashes: [KEY(1), KEY(2)],
      parentBlockHash: null,
      tokenIds: tokens,
      blockSize: 2,
      extraKeys: [['tenant-a'], null],
    },
  ]);
  expect(
    cache.of({ type: 'stored', keys: KEY(3), parentKey: KEY(2), isChainStart: false, tokens }),
  ).toMatchObject([{ parentBlockHash: KEY(2), extraKeys: [null] }]);
  expect(cache.of({ type: 'removed', keys })).toHaveLength(2);
  expect(cache.of({ type: 'cleared' })).toEqual([{ type: 'AllBlocksCleared' }]);
});
