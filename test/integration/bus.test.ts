import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { connectBus, type Bus } from '@baton/bus';
import { baton } from '@baton/proto';
import { connect } from '@nats-io/transport-node';
import { startNatsServer, type NatsServer } from '@baton/test-kit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

const EPOCH = { startedAtMs: 1_764_000_000_000, nonce: 2 ** 52 + 1 };
/** For polls: generous, since it bounds a failure and not a speed. */
const SOON = { timeout: 20_000 };
/** Messages that come much faster than lines may. */
const FLOOD = 100;
const KEYS = Uint8Array.from({ length: 32 }, (_, i) => i);
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

let server: NatsServer;
beforeAll(async () => {
  server = await startNatsServer();
});
afterAll(() => server.stop());

const open: Bus[] = [];
async function bus(name = 'test', url = server.url): Promise<Bus> {
  const connected = await connectBus({ url, name, log: silent });
  open.push(connected);
  return connected;
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

/** Waits until the server knows the subscriptions made so far. */
async function pair(): Promise<{ conductor: Bus; agent: Bus }> {
  const [conductor, agent] = await Promise.all([bus('conductor'), bus('agent')]);
  return { conductor, agent };
}

function nextOf<T>(subscribe: (handler: (message: T) => void) => unknown): Promise<T> {
  return new Promise((resolve) => void subscribe(resolve));
}

async function publishRaw(messages: readonly (readonly [string, Uint8Array])[]): Promise<void> {
  const raw = await connect({ servers: server.url });
  for (const [subject, payload] of messages) raw.publish(subject, payload);
  await raw.drain();
}

describe('each message arrives as it was sent', () => {
  test('beat', async () => {
    const { conductor, agent } = await pair();
    const received = nextOf(conductor.onBeat);
    await conductor.flush();
    const beat = {
      worker: { workerId: 'prefill-1', model: 'tiny', layout: { layers: 2 } },
      epoch: EPOCH,
      lastDeltaSeq: 2 ** 40,
      state: baton.v1.WorkerState.WORKER_STATE_READY,
    };
    expect(agent.publishBeat(beat)).toBe(true);
    expect(await received).toMatchObject(beat);
  });

  test('delta', async () => {
    const { conductor, agent } = await pair();
    const received = nextOf(conductor.onDelta);
    await conductor.flush();
    agent.publishDelta({
      workerId: 'd',
      epoch: EPOCH,
      seq: 7,
      ops: [
        { kind: baton.v1.KvOpKind.KV_OP_KIND_STORE, tier: baton.v1.Tier.TIER_DRAM, keys: KEYS },
      ],
    });
    const delta = await received;
    expect(delta).toMatchObject({ workerId: 'd', epoch: EPOCH, seq: 7 });
    expect(Uint8Array.from(delta.ops[0]?.keys ?? [])).toEqual(KEYS);
  });

  test('transferred and cancel', async () => {
    const { conductor, agent } = await pair();
    const result = nextOf(conductor.onTransferred);
    const cancel = nextOf((handler: (m: baton.v1.CancelPlan) => void) =>
      agent.onCancel('d', handler),
    );
    await Promise.all([conductor.flush(), agent.flush()]);
    agent.publishTransferred({ transferId: 't', workerId: 'd', bytes: 2 ** 35, bytesPerSec: 1e9 });
    conductor.publishCancel('other', { planId: 'not for d' });
    conductor.publishCancel('d', { planId: 'p', reason: 'aborted' });
    expect(await result).toMatchObject({ transferId: 't', bytes: 2 ** 35 });
    expect(await cancel).toMatchObject({ planId: 'p' });
  });

  test('transfer order and its answer', async () => {
    const { conductor, agent } = await pair();
    agent.serveTransfers('d', (order) => ({
      accepted: order.withTail === true,
      code: order.withTail ? '' : 'arena_full',
    }));
    await agent.flush();
    const order = { transferId: 't', planId: 'p', keys: KEYS, traceparent: '' };
    const options = { timeoutMs: 5_000 };
    expect(await conductor.orderTransfer('d', { ...order, withTail: true }, options)).toMatchObject(
      {
        accepted: true,
      },
    );
    expect(await conductor.orderTransfer('d', order, options)).toMatchObject({
      accepted: false,
      code: 'arena_full',
    });
  });

  test('a snapshot of many chunks, in order', async () => {
    const { conductor, agent } = await pair();
    const count = 50;
    const keys = new Uint8Array(512 * 1024);
    agent.serveSnapshots('d', function* ({ snapshotId }) {
      for (let index = 0; index < count; index++) {
        yield { workerId: 'd', epoch: EPOCH, snapshotId, index, count, seq: 9, ops: [{ keys }] };
      }
    });
    await agent.flush();
    const seen: number[] = [];
    const outcome = await conductor.requestSnapshot(
      'd',
      { snapshotId: 3 },
      { timeoutMs: 10_000, onChunk: (chunk) => seen.push(chunk.index) },
    );
    expect(outcome).toEqual({ ok: true, chunks: count });
    expect(seen).toEqual(Array.from({ length: count }, (_, i) => i));
  });
});

describe('what is not a message', () => {
  test('garbage and half messages are counted and harm nobody', async () => {
    const { conductor, agent } = await pair();
    const beats: string[] = [];
    const deltas: number[] = [];
    conductor.onBeat((beat) => beats.push(beat.worker?.workerId ?? ''));
    conductor.onDelta((delta) => deltas.push(delta.seq));
    conductor.onTransferred(() => undefined);
    agent.onCancel('d', () => undefined);
    agent.serveTransfers('d', () => ({ accepted: true }));
    agent.serveSnapshots('d', () => []);
    await Promise.all([conductor.flush(), agent.flush()]);

    const garbage = Uint8Array.from([0xff, 0xff, 0xff, 0xff, 0xff]);
    const delta = (fields: baton.v1.IKvDelta): Uint8Array =>
      baton.v1.KvDelta.encode({ workerId: 'd', epoch: EPOCH, seq: 1, ...fields }).finish();
    const unreadable: string[] = [];
    conductor.onUnreadable((workerId) => unreadable.push(workerId));
    await publishRaw([
      ['baton.v1.beat.d', garbage],
      ['baton.v1.beat.d', new Uint8Array(0)],
      ['baton.v1.beat.d', delta({})],
      [
        'baton.v1.beat.d',
        baton.v1.WorkerBeat.encode({ worker: { workerId: 'e' }, epoch: EPOCH }).finish(),
      ],
      ['baton.v1.delta.d', garbage],
      ['baton.v1.delta.d', delta({}).slice(0, -1)],
      ['baton.v1.delta.other', delta({})],
      ['baton.v1.transferred.d', garbage],
    ]);
    await publishRaw([
      ['baton.v1.transfer.d', garbage],
      ['baton.v1.snapshot.d', garbage],
      ['baton.v1.cancel.d', garbage],
    ]);
    agent.publishBeat({ worker: { workerId: 'd' }, epoch: EPOCH });
    agent.publishDelta({ workerId: 'd', epoch: EPOCH, seq: 2 });
    await expect.poll(() => [beats, deltas], SOON).toEqual([['d'], [2]]);
    expect(conductor.counters.decodeFailures).toBe(8);
    // Each is told of by the worker that it claims to come from.
    expect(unreadable.sort()).toEqual([...new Array<string>(7).fill('d'), 'other']);
    await expect.poll(() => agent.counters.decodeFailures, SOON).toBe(3);
  });

  test('a flood of garbage is counted, not logged line by line', async () => {
    const events: string[] = [];
    const note = (fields: object): void => void events.push((fields as { event: string }).event);
    const log = { info: note, warn: note, error: note };
    const conductor = await connectBus({ url: server.url, name: 'c', log });
    open.push(conductor);
    conductor.onBeat(() => undefined);
    conductor.onDelta(() => {
      throw new Error('broken');
    });
    await conductor.flush();
    const delta = baton.v1.KvDelta.encode({ workerId: 'd', epoch: EPOCH, seq: 1 }).finish();
    const garbage = Uint8Array.from([0xff]);
    const flood = <T>(message: T): T[] => new Array<T>(FLOOD).fill(message);
    await publishRaw([
      ...flood(['baton.v1.beat.d', garbage] as const),
      ...flood(['baton.v1.delta.d', delta] as const),
    ]);
    const { counters } = conductor;
    await expect
      .poll(() => [counters.decodeFailures, counters.handlerFailures], SOON)
      .toEqual([FLOOD, FLOOD]);
    const lines = (event: string): number => events.filter((name) => name === event).length;
    expect(lines('bus_decode_failed')).toBeGreaterThan(0);
    expect(lines('bus_decode_failed')).toBeLessThan(FLOOD);
    expect(lines('bus_handler_failed')).toBeGreaterThan(0);
    expect(lines('bus_handler_failed')).toBeLessThan(FLOOD);
  });

  test('a handler that throws is counted; the next message still comes', async () => {
    const { conductor, agent } = await pair();
    const seen: number[] = [];
    conductor.onDelta(({ seq }) => {
      seen.push(seq);
      if (seq === 1) throw new Error('on purpose');
    });
    agent.serveTransfers('d', () => Promise.reject(new Error('on purpose')));
    await Promise.all([conductor.flush(), agent.flush()]);
    for (const seq of [1, 2]) agent.publishDelta({ workerId: 'd', epoch: EPOCH, seq });
    await expect.poll(() => seen, SOON).toEqual([1, 2]);
    expect(conductor.counters.handlerFailures).toBe(1);
    const order = { transferId: 't' };
    expect(await conductor.orderTransfer('d', order, { timeoutMs: 5_000 })).toMatchObject({
      accepted: false,
      code: 'internal_error',
    });
  });

  test.each(['', 'a.b', '*', '>', 'a b', 'a\r\nPUB x 0', 'x'.repeat(65)])(
    'the worker id %j never reaches a subject',
    async (workerId) => {
      const one = await bus();
      expect(() => one.publishCancel(workerId, { planId: 'p' })).toThrow(/worker_id/);
      expect(() => one.serveSnapshots(workerId, () => [])).toThrow(/worker_id/);
      await expect(one.orderTransfer(workerId, {}, { timeoutMs: 1 })).rejects.toThrow(/worker_id/);
    },
  );

  test('a message larger than NATS takes is refused, not sent', async () => {
    const one = await bus();
    const keys = new Uint8Array(2 * 1024 * 1024);
    expect(one.publishDelta({ workerId: 'd', epoch: EPOCH, seq: 1, ops: [{ keys }] })).toBe(false);
    expect(one.publishDelta({ workerId: 'd', epoch: EPOCH, seq: 1 })).toBe(true);
    await one.flush();
    expect(one.status()).toBe('connected');
  });

  test.each(['http://x', 'nats://', '::::'])('the URL %j is refused', async (url) => {
    await expect(bus('test', url)).rejects.toMatchObject({ code: 'config_invalid' });
  });
});

describe('requests always end', () => {
  const order = { transferId: 't' };

  test('nobody listens', async () => {
    const one = await bus();
    const ack = await one.orderTransfer('nobody', order, { timeoutMs: 60_000 });
    expect(ack).toMatchObject({ accepted: false, code: 'agent_unavailable' });
    const outcome = await one.requestSnapshot(
      'nobody',
      { snapshotId: 1 },
      { timeoutMs: 60_000, onChunk: () => undefined },
    );
    expect(outcome).toEqual({ ok: false, code: 'agent_unavailable' });
  });

  test('nobody answers, or the asker gives up', async () => {
    const { conductor, agent } = await pair();
    agent.serveTransfers('d', () => new Promise(() => undefined));
    agent.serveSnapshots('d', async function* () {
      yield { workerId: 'd', epoch: EPOCH, snapshotId: 1, index: 0, count: 2 };
      await new Promise(() => undefined);
    });
    await agent.flush();
    const late = await conductor.orderTransfer('d', order, { timeoutMs: 50 });
    expect(late.code).toBe('deadline_exceeded');
    const signal = AbortSignal.timeout(50);
    const given = await conductor.orderTransfer('d', order, { timeoutMs: 60_000, signal });
    expect(given.code).toBe('request_aborted');
    let chunks = 0;
    const outcome = await conductor.requestSnapshot(
      'd',
      { snapshotId: 1 },
      { timeoutMs: 200, onChunk: () => chunks++ },
    );
    expect([outcome, chunks]).toEqual([{ ok: false, code: 'deadline_exceeded' }, 1]);
  });

  test('a snapshot with a chunk left out is no snapshot', async () => {
    const { conductor, agent } = await pair();
    agent.serveSnapshots('d', ({ snapshotId }) =>
      [0, 2].map((index) => ({ workerId: 'd', epoch: EPOCH, snapshotId, index, count: 3 })),
    );
    await agent.flush();
    const outcome = await conductor.requestSnapshot(
      'd',
      { snapshotId: 1 },
      { timeoutMs: 5_000, onChunk: () => undefined },
    );
    expect(outcome).toEqual({ ok: false, code: 'protocol_violation' });
  });
});

describe('NATS goes and comes', () => {
  test('killed and restarted: both sides are told, subscriptions come back', async () => {
    const own = await startNatsServer();
    try {
      const [conductor, agent] = await Promise.all([bus('c', own.url), bus('a', own.url)]);
      const statuses: string[] = [];
      const seen: number[] = [];
      conductor.onStatus((status) => statuses.push(status));
      conductor.onDelta(({ seq }) => seen.push(seq));
      await conductor.flush();
      agent.publishDelta({ workerId: 'd', epoch: EPOCH, seq: 1 });
      await expect.poll(() => seen, SOON).toEqual([1]);

      await own.kill();
      await expect
        .poll(() => [conductor.status(), agent.status()], SOON)
        .toEqual(['reconnecting', 'reconnecting']);
      expect(agent.publishDelta({ workerId: 'd', epoch: EPOCH, seq: 2 })).toBe(false);
      expect(agent.counters.dropped).toBe(1);
      const ack = await conductor.orderTransfer('d', { transferId: 't' }, { timeoutMs: 60_000 });
      expect(ack).toMatchObject({ accepted: false, code: 'bus_unavailable' });

      await own.restart();
      await expect
        .poll(() => [conductor.status(), agent.status()], SOON)
        .toEqual(['connected', 'connected']);
      await conductor.flush();
      expect(agent.publishDelta({ workerId: 'd', epoch: EPOCH, seq: 3 })).toBe(true);
      await expect.poll(() => seen, SOON).toEqual([1, 3]);
      expect(statuses).toEqual(['reconnecting', 'connected']);
    } finally {
      await own.stop();
    }
  });

  test('what is published meanwhile is given up, and nothing else is said of it', async () => {
    const own = await startNatsServer();
    const mute = createServer();
    const events: string[] = [];
    const note = (fields: object): void => void events.push((fields as { event: string }).event);
    try {
      const agent = await connectBus({
        url: own.url,
        name: 'a',
        log: { info: note, warn: note, error: note },
      });
      open.push(agent);
      await own.kill();
      await expect.poll(() => agent.status(), SOON).toBe('reconnecting');
      // Once it dials again, nothing is known of any server: this one says nothing.
      mute.listen(own.port, '127.0.0.1');
      const [socket] = (await once(mute, 'connection')) as [Socket];
      expect(agent.publishBeat({ worker: { workerId: 'd' }, epoch: EPOCH })).toBe(false);
      expect(agent.counters.dropped).toBe(1);
      expect(events).toEqual(['bus_disconnected']);
      socket.destroy();
    } finally {
      mute.close();
      await own.stop();
    }
  });

  test('a snapshot under way ends when NATS dies', async () => {
    const own = await startNatsServer();
    try {
      const [conductor, agent] = await Promise.all([bus('c', own.url), bus('a', own.url)]);
      agent.serveSnapshots('d', async function* () {
        yield { workerId: 'd', epoch: EPOCH, snapshotId: 1, index: 0, count: 2 };
        await new Promise(() => undefined);
      });
      await agent.flush();
      const outcome = await conductor.requestSnapshot(
        'd',
        { snapshotId: 1 },
        { timeoutMs: 60_000, onChunk: () => void own.kill() },
      );
      expect(outcome).toEqual({ ok: false, code: 'bus_unavailable' });
    } finally {
      await own.stop();
    }
  });

  test('it waits for a server that starts later, and gives up when told to', async () => {
    const own = await startNatsServer();
    try {
      await own.kill();
      const later = bus('later', own.url);
      const signal = AbortSignal.timeout(100);
      const given = connectBus({ url: own.url, name: 'x', log: silent, signal });
      await expect(given).rejects.toMatchObject({ code: 'bus_unavailable' });
      await own.restart();
      expect((await later).status()).toBe('connected');
    } finally {
      await own.stop();
    }
  });

  test('refused credentials are said at once, and not repeated', async () => {
    const own = await startNatsServer(['--user', 'u', '--pass', 'secret']);
    try {
      const wrong = bus('x', own.url.replace('//', '//u:wrong-one@'));
      await expect(wrong).rejects.toMatchObject({ code: 'bus_unavailable' });
      await expect(wrong).rejects.not.toThrow(/wrong-one/);
      const right = await bus('x', own.url.replace('//', '//u:secret@'));
      expect(right.status()).toBe('connected');
    } finally {
      await own.stop();
    }
  });

  test('a server that hangs counts as gone before a lease can end, and is back when it goes on', async () => {
    const own = await startNatsServer();
    try {
      const one = await bus('x', own.url);
      own.pause();
      await expect.poll(() => one.status(), { timeout: 2_500 }).toBe('reconnecting');
      own.resume();
      await expect.poll(() => one.status(), SOON).toBe('connected');
    } finally {
      own.resume();
      await own.stop();
    }
  });

  test('a server that hangs does not make memory grow without end', async () => {
    const own = await startNatsServer();
    try {
      const one = await bus('x', own.url);
      const keys = new Uint8Array(512 * 1024);
      own.pause();
      let accepted = 0;
      for (let seq = 1; seq <= 400; seq++) {
        if (one.publishDelta({ workerId: 'd', epoch: EPOCH, seq, ops: [{ keys }] })) accepted++;
      }
      own.resume();
      expect(accepted).toBeGreaterThan(100);
      expect(accepted).toBeLessThan(130);
      expect(one.counters.dropped).toBe(400 - accepted);
      await one.flush();
      expect(one.publishDelta({ workerId: 'd', epoch: EPOCH, seq: 401 })).toBe(true);
    } finally {
      own.resume();
      await own.stop();
    }
  });
});

test('the trace of the plan reaches the agent', async () => {
  const { conductor, agent } = await pair();
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const { traceparentOf } = await import('@baton/telemetry');
  const seen: string[] = [];
  agent.serveTransfers('d', (_order, context) => {
    seen.push(traceparentOf(context));
    return { accepted: true };
  });
  await agent.flush();
  await conductor.orderTransfer('d', { transferId: 't', traceparent }, { timeoutMs: 5_000 });
  expect(seen).toEqual([traceparent]);
});

test('closing is quiet and final', async () => {
  const { conductor, agent } = await pair();
  const statuses: string[] = [];
  conductor.onStatus((status) => statuses.push(status));
  const received = nextOf(conductor.onBeat);
  await conductor.flush();
  agent.publishBeat({ worker: { workerId: 'd' }, epoch: EPOCH });
  await agent.close();
  expect((await received).worker?.workerId).toBe('d');
  await conductor.close();
  await conductor.close();
  expect(statuses).toEqual(['closed']);
  expect(conductor.publishBeat({ worker: { workerId: 'd' } })).toBe(false);
});
