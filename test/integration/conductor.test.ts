import { connectBus, type Bus } from '@baton/bus';
import { rootKey, segmentKeys, xorKeys } from '@baton/kv';
import { baton } from '@baton/proto';
import { openSession, type ConductorSession } from '@baton/rpc';
import {
  startNatsServer,
  startService,
  type NatsServer,
  type ServiceProcess,
} from '@baton/test-kit';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

const { Role, WorkerState, PlanMode, PlanPhase } = baton.v1;
const BEAT_MS = 100;
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
/** For polls: bounds a failure, not a speed. */
const SOON = { timeout: 20_000, interval: 20 };
const SEGMENTS = 5;
const keys = segmentKeys(
  rootKey({ tokenization: 'tok' }),
  Array.from({ length: SEGMENTS * 64 }, (_, i) => i),
  64,
);

/** Each agent is an incarnation of its own, so that workers of an earlier test are not meant. */
let incarnations = 0;

/** A worker's agent without a worker. */
class TestAgent {
  readonly bus: Bus;
  readonly workerId: string;
  readonly role: baton.v1.Role;
  readonly epoch: baton.v1.IEpoch = { startedAtMs: ++incarnations };
  readonly orders: baton.v1.TransferOrder[] = [];
  readonly cancels: string[] = [];
  snapshots = 0;
  seq = 0;
  held: Uint8Array = new Uint8Array(0);
  #timer: NodeJS.Timeout | undefined;

  constructor(bus: Bus, workerId: string, role: baton.v1.Role) {
    this.bus = bus;
    this.workerId = workerId;
    this.role = role;
    bus.serveTransfers(workerId, (order) => {
      this.orders.push(order);
      return { accepted: true };
    });
    bus.onCancel(workerId, ({ planId }) => void this.cancels.push(planId));
    bus.serveSnapshots(workerId, ({ snapshotId }) => {
      this.snapshots += 1;
      const ops = [{ kind: 1, tier: 2, rank: 0, keys: this.held }];
      return [{ workerId, epoch: this.epoch, snapshotId, index: 0, count: 1, seq: this.seq, ops }];
    });
  }

  beat(state = WorkerState.WORKER_STATE_READY): void {
    this.bus.publishBeat({
      worker: {
        workerId: this.workerId,
        role: this.role,
        model: 'tiny',
        engine: 'llama',
        engineUrl: `http://${this.workerId}.invalid`,
        transferAddress: `${this.workerId}:1`,
        layout: {
          modelRevision: 'a',
          dtype: 'f16',
          layers: 2,
          ranks: 1,
          blockTokens: 64,
          connector: 'llama',
          connectorVersion: '1',
          bytesPerToken: 64,
          segmentBytes: 4096,
        },
        tokenization: 'tok',
        segmentTokens: 64,
        maxModelTokens: 8192,
        kvCapacityBlocks: 256,
        maxSequences: 8,
        capabilities: { overlapHandover: true },
      },
      epoch: this.epoch,
      state,
      lastDeltaSeq: this.seq,
      tiers: [{ tier: 2, segments: this.held.length / 16, xor: xorKeys(this.held) }],
      leaseMs: 1000,
    });
  }

  start(): void {
    this.#timer = setInterval(() => this.beat(), BEAT_MS);
    this.beat();
  }

  /** Stores everything; `lost` says nothing about it until the next beat. */
  hold(lost = false): void {
    this.seq += 1;
    this.held = keys;
    if (lost) return;
    const ops = [{ kind: 1, tier: 2, rank: 0, keys }];
    this.bus.publishDelta({
      workerId: this.workerId,
      epoch: this.epoch,
      seq: this.seq,
      ops,
    });
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

let nats: NatsServer;
let conductor: ServiceProcess;
let agents: TestAgent[];
let buses: Bus[];
let sessions: ConductorSession[];
let fleets: baton.v1.FleetUpdate[];

async function agent(workerId: string, role: baton.v1.Role): Promise<TestAgent> {
  const bus = await connectBus({ url: nats.url, name: workerId, log: silent });
  buses.push(bus);
  const one = new TestAgent(bus, workerId, role);
  await bus.flush();
  agents.push(one);
  one.start();
  return one;
}

async function gateway(id: string): Promise<ConductorSession> {
  const session = openSession({
    target: conductor.endpoints['grpc'] ?? '',
    hello: { gatewayId: id },
    onFleet: (fleet) => void fleets.push(fleet),
    log: silent,
  });
  sessions.push(session);
  await expect.poll(() => session.connected, SOON).toBe(true);
  return session;
}

async function admin<T>(path: string): Promise<T> {
  const answer = await fetch(`${conductor.endpoints['admin']}${path}`);
  return (await answer.json()) as T;
}

interface Workers {
  workers: {
    workerId: string;
    state: string;
    loads: { booked: Record<string, number> }[];
    tiers: { indexedSegments: number }[];
    sync: { synced: boolean };
  }[];
}

async function workers(): Promise<Workers['workers']> {
  return (await admin<Workers>('/workers')).workers;
}

async function booked(): Promise<number> {
  const all = await workers();
  return all
    .flatMap((worker) => worker.loads)
    .flatMap((load) => Object.values(load.booked))
    .reduce((sum, value) => sum + value, 0);
}

const planRequest = (requestId: string): baton.v1.IPlanRequest => ({
  requestId,
  model: 'tiny',
  segmentKeys: keys,
  promptTokens: SEGMENTS * 64 + 3,
  maxOutputTokens: 16,
});

async function startConductor(): Promise<ServiceProcess> {
  const args = ['--nats-url', nats.url, '--grpc-port', '0', '--admin-port', '0'];
  return startService('conductor', 'conductor', args, { BATON_PLAN_LEASE_MS: '2000' });
}

async function pair(): Promise<{ prefill: TestAgent; decode: TestAgent }> {
  const prefill = await agent('prefill-1', Role.ROLE_PREFILL);
  const decode = await agent('decode-1', Role.ROLE_DECODE);
  await expect.poll(async () => (await workers()).length, SOON).toBe(2);
  return { prefill, decode };
}

beforeAll(async () => {
  nats = await startNatsServer();
  conductor = await startConductor();
});
afterAll(async () => {
  await conductor.stop();
  await nats.stop();
});
beforeEach(() => {
  [agents, buses, sessions, fleets] = [[], [], [], []];
});
afterEach(async () => {
  for (const session of sessions) session.close();
  for (const one of agents) {
    one.stop();
    one.beat(WorkerState.WORKER_STATE_LEAVING);
  }
  await expect.poll(workers, SOON).toEqual([]);
  await Promise.all(buses.map((bus) => bus.close()));
});

test('a plan is answered, its transfer ordered, and its bookings fall with the report', async () => {
  const { decode } = await pair();
  const session = await gateway('g1');
  await expect.poll(() => fleets.at(-1)?.models?.[0]?.ready, SOON).toBe(true);
  const trace = '0af7651916cd43dd8448eb211c80319c';
  const traceparent = `00-${trace}-b7ad6b7169203331-01`;
  const reply = await session.plan({ ...planRequest('r1'), traceparent });
  expect(reply).toMatchObject({
    mode: PlanMode.PLAN_MODE_DISAGGREGATED,
    prefill: { workerId: 'prefill-1', engineUrl: 'http://prefill-1.invalid', heldTokens: 0 },
    decode: { workerId: 'decode-1' },
    leaseMs: 2000,
  });
  await expect.poll(() => decode.orders.length, SOON).toBe(1);
  expect(decode.orders[0]).toMatchObject({
    planId: reply.planId,
    sourceWorker: 'prefill-1',
    sourceAddress: 'prefill-1:1',
    withTail: true,
    reason: baton.v1.TransferReason.TRANSFER_REASON_HANDOVER,
  });
  expect(decode.orders[0]?.traceparent).toContain(trace);
  expect(Buffer.from(decode.orders[0]?.keys ?? []).equals(keys)).toBe(true);
  expect(await booked()).toBeGreaterThan(0);

  decode.bus.publishTransferred({
    transferId: decode.orders[0]?.transferId ?? '',
    workerId: 'decode-1',
    status: baton.v1.TransferStatus.TRANSFER_STATUS_DONE,
    segments: 5,
    bytes: 20_480,
  });
  decode.hold();
  const ended = (): Promise<{ transfers: { status: string }[] }> => admin(`/plans/${reply.planId}`);
  await expect.poll(async () => (await ended()).transfers[0]?.status, SOON).toBe('done');
  session.report({ planId: reply.planId, phase: PlanPhase.PLAN_PHASE_FINISHED, ttftMs: 12 });
  await expect.poll(booked, SOON).toBe(0);
  expect(await ended()).toMatchObject({ state: 'finished', ttftMs: 12 });
  expect(decode.cancels).toEqual([]);

  const again = await session.plan(planRequest('r2'));
  expect(again).toMatchObject({
    mode: PlanMode.PLAN_MODE_AGGREGATED,
    decode: { workerId: 'decode-1', heldTokens: SEGMENTS * 64 },
  });
});

test('a refusal is a reply with a code', async () => {
  await pair();
  const session = await gateway('g1');
  const reply = await session.plan({ ...planRequest('r1'), model: 'other' });
  expect(reply).toMatchObject({ planId: '', refusal: { code: 'model_not_found' } });
});

test('a gateway that is gone or silent leaves no booking, and agents are told', async () => {
  const { prefill, decode } = await pair();
  const session = await gateway('g1');
  const first = await session.plan(planRequest('r1'));
  session.close();
  await expect.poll(() => decode.cancels, SOON).toEqual([first.planId]);
  await expect.poll(() => prefill.cancels, SOON).toEqual([first.planId]);
  const silentOne = await gateway('g2');
  const second = await silentOne.plan(planRequest('r2'));
  await expect.poll(() => decode.cancels, SOON).toEqual([first.planId, second.planId]);
  expect(await booked()).toBe(0);
});

test('a lost delta is found by the next beat and only that worker is asked again', async () => {
  const { prefill, decode } = await pair();
  prefill.hold(true);
  const indexed = async (): Promise<number | undefined> =>
    (await workers()).find(({ workerId }) => workerId === 'prefill-1')?.tiers[0]?.indexedSegments;
  await expect.poll(indexed, SOON).toBe(SEGMENTS);
  expect(prefill.snapshots).toBe(1);
  expect(decode.snapshots).toBe(0);
});

test('what cannot be is dropped by the name of its field; a delta is found missing like one that is lost', async () => {
  const { prefill, decode } = await pair();
  const { bus, workerId, epoch } = prefill;
  prefill.seq += 1;
  const ops = [{ kind: 9 as baton.v1.KvOpKind, tier: 2, keys }];
  bus.publishDelta({ workerId, epoch, seq: prefill.seq, ops });
  bus.publishTransferred({ workerId, transferId: 't', status: 9 as baton.v1.TransferStatus });
  decode.bus.publishBeat({ worker: { workerId: 'decode-1' }, epoch: decode.epoch });
  for (const field of ['KvDelta.ops[0].kind', 'TransferResult.status', 'WorkerBeat.worker.']) {
    await expect.poll(() => conductor.output().join(), SOON).toContain(field);
  }
  await expect.poll(() => prefill.snapshots, SOON).toBe(1);
  expect((await workers()).map((worker) => worker.workerId)).toEqual(['decode-1', 'prefill-1']);
});

test('a restarted conductor has the whole index back, and the gateway its session', async () => {
  const { prefill } = await pair();
  prefill.hold();
  const port = conductor.endpoints['grpc']?.split(':')[1] ?? '';
  const session = await gateway('g1');
  await conductor.kill();
  await expect.poll(() => session.connected, SOON).toBe(false);
  conductor = await startService('conductor', 'conductor', [
    ...['--nats-url', nats.url, '--grpc-port', port, '--admin-port', '0'],
  ]);
  await expect
    .poll(async () => (await workers()).filter(({ sync }) => sync.synced).length, SOON)
    .toBe(2);
  await expect.poll(() => session.connected, SOON).toBe(true);
  const reply = await session.plan(planRequest('r1'));
  expect(reply.prefill).toMatchObject({ workerId: 'prefill-1', heldTokens: SEGMENTS * 64 });
});

test('while NATS is away requests run alone on a decode worker; when it is back, all is as before', async () => {
  await pair();
  const session = await gateway('g1');
  await nats.kill();
  const bus = async (): Promise<string> => (await admin<{ bus: string }>('/health')).bus;
  await expect.poll(bus, SOON).toBe('reconnecting');
  const away = await session.plan(planRequest('r1'));
  expect(away.mode).toBe(PlanMode.PLAN_MODE_AGGREGATED);
  await nats.restart();
  await expect.poll(bus, SOON).toBe('connected');
  await expect
    .poll(async () => {
      const reply = await session.plan(planRequest(`r${Math.random()}`));
      session.report({ planId: reply.planId, phase: PlanPhase.PLAN_PHASE_ABORTED });
      return reply.mode;
    }, SOON)
    .toBe(PlanMode.PLAN_MODE_DISAGGREGATED);
  expect(conductor.hasExited()).toBe(false);
});

test('a worker that says goodbye or falls silent leaves the fleet at once or with its lease', async () => {
  const { prefill, decode } = await pair();
  await gateway('g1');
  prefill.stop();
  prefill.beat(WorkerState.WORKER_STATE_LEAVING);
  const ids = async (): Promise<string[]> => (await workers()).map(({ workerId }) => workerId);
  await expect.poll(ids, SOON).toEqual(['decode-1']);
  decode.stop();
  await expect.poll(ids, SOON).toEqual([]);
  await expect.poll(() => fleets.at(-1)?.models, SOON).toEqual([]);
});

test('a port in use is one sentence and an exit', async () => {
  const taken = new URL(conductor.endpoints['admin'] ?? '').port;
  const second = startService('conductor', 'second', [
    ...['--nats-url', nats.url, '--grpc-port', '0', '--admin-port', taken],
  ]);
  await expect(second).rejects.toThrow(new RegExp(`ended with 1[^]*port ${taken}[^]*in use`));
});
