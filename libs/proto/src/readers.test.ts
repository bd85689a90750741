import { Tier } from '@baton/kv';
import { describe, expect, test } from 'vitest';
import {
  baton,
  fleetMessage,
  planReplyMessage,
  readBeat,
  readDelta,
  readEngineHello,
  readFleet,
  readLoad,
  readPlanReply,
  readPlanReport,
  readPlanRequest,
  readSnapshotChunk,
  readTransferOrder,
  readTransferResult,
  transferOrderMessage,
  transferResultMessage,
} from './index.ts';
import * as samples from './testing/wire-samples.ts';

type Fields = Record<string, unknown>;

interface Kind {
  name: string;
  sample: object;
  read: (message: object) => unknown;
  /** What the domain gets of the sample. */
  given: unknown;
}

const { beatSample, chunkSample, deltaSample, fleetSample, helloSample } = samples;
const { orderSample, planReplySample, refusalSample } = samples;
const ops = deltaSample.ops.map(({ tier, rank, keys }, i) => ({
  ...{ kind: ['store', 'clear'][i], holding: ['resumePoints', 'kv'][i] },
  ...{ tier, rank, keys },
}));
const { hints, ...planRequest } = samples.planRequestSample;
const order = { ...orderSample, reason: 'handover', destinationWorker: 'w2' };

const kinds: Kind[] = [
  {
    name: 'WorkerBeat',
    sample: beatSample,
    read: readBeat,
    given: { ...beatSample, state: 'ready', worker: { ...beatSample.worker, role: 'decode' } },
  },
  {
    name: 'EngineHello',
    sample: helloSample,
    read: readEngineHello,
    given: helloSample,
  },
  { name: 'Load', sample: samples.loadSample, read: readLoad, given: samples.loadSample },
  { name: 'KvDelta', sample: deltaSample, read: readDelta, given: { ...deltaSample, ops } },
  {
    name: 'SnapshotChunk',
    sample: chunkSample,
    read: readSnapshotChunk,
    given: { ...chunkSample, ops },
  },
  {
    name: 'PlanRequest',
    sample: samples.planRequestSample,
    read: readPlanRequest,
    given: { ...planRequest, ...hints },
  },
  {
    name: 'PlanReport',
    sample: samples.planReportSample,
    read: readPlanReport,
    given: { ...samples.planReportSample, phase: 'failed' },
  },
  {
    name: 'PlanReply',
    sample: planReplySample,
    read: readPlanReply,
    given: { ...planReplySample, kind: 'planned', mode: 'disaggregated' },
  },
  {
    name: 'PlanReply',
    sample: refusalSample,
    read: readPlanReply,
    given: { kind: 'refused', requestId: refusalSample.requestId, ...refusalSample.refusal },
  },
  { name: 'FleetUpdate', sample: fleetSample, read: readFleet, given: fleetSample.models },
  {
    name: 'TransferOrder',
    sample: orderSample,
    read: (message) => readTransferOrder(message, 'w2'),
    given: order,
  },
  {
    name: 'TransferResult',
    sample: samples.resultSample,
    read: readTransferResult,
    given: { ...samples.resultSample, status: 'partial' },
  },
];

interface MessageType {
  encode(message: object): { finish(): Uint8Array };
  decode(bytes: Uint8Array): object;
}

/** As it comes from the wire: absent fields are on the prototype. */
function overTheWire(name: string, message: object): object {
  const type = (baton.v1 as unknown as Record<string, MessageType>)[name];
  if (type === undefined) throw new Error(`no message ${name}`);
  return type.decode(type.encode(message).finish());
}

/** Ways to every leaf of a message. */
function leavesOf(value: unknown, way: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return [way];
  return Object.entries(value).flatMap(([name, inner]) => leavesOf(inner, [...way, name]));
}

function at(message: unknown, way: string[]): unknown {
  return way.reduce((inner, name) => (inner as Fields)[name], message);
}

function changed(message: object, way: string[], value: unknown): object {
  const copy = structuredClone(message);
  (at(copy, way.slice(0, -1)) as Fields)[way.at(-1) ?? ''] = value;
  return copy;
}

/** No field of the contract takes it. */
function nonsense(value: unknown): unknown {
  if (typeof value === 'number') return -1;
  if (typeof value === 'string') return 'x'.repeat(100_000);
  return value instanceof Uint8Array ? new Uint8Array(17) : 'yes';
}

/** As the contract spells it. */
function fieldName(message: string, way: string[]): string {
  const snake = way.map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  return [message, ...snake].join('.').replace(/\.(\d+)/g, '[$1]');
}

describe.each(kinds)('$name', ({ name, sample, read, given }) => {
  test('a good message is given as it was sent', () => {
    // A clone has plain arrays of bytes where the decoder gives buffers.
    expect(structuredClone(read(overTheWire(name, sample)))).toEqual(given);
  });

  /** Text for people is cut, not refused. */
  const forPeople = ['WorkerBeat.reason', 'PlanReply.refusal.message'];
  const leaves = leavesOf(sample).map((way) => [fieldName(name, way), way] as const);

  test.each(leaves.filter(([field]) => !forPeople.includes(field)))(
    '%s is checked, and named when it is wrong',
    (field, way) => {
      const { fault } = read(changed(sample, way, nonsense(at(sample, way)))) as Fields;
      // A list of plain values is one field.
      expect(fault).toContain(
        `${field.replace(/(exclude_workers|used|engine_ids)\[\d+\]/, '$1')} must`,
      );
    },
  );
});

test('a fault says what would be right', () => {
  const { worker } = beatSample;
  const faults = [
    readBeat({ ...beatSample, worker: { ...worker, role: 9 as never } }),
    readBeat({ ...beatSample, leaseMs: 0 }),
    readBeat({ ...beatSample, epoch: null }),
    readBeat({ ...beatSample, worker: { ...worker, workerId: 'a.b' } }),
    readBeat({ ...beatSample, worker: { ...worker, segmentTokens: 65 } }),
    readBeat({ ...beatSample, worker: { ...worker, segmentTokens: 1 << 20 } }),
    readBeat({ ...beatSample, worker: { ...worker, engineUrl: 'file:///etc' } }),
    readBeat({ ...beatSample, worker: { ...worker, model: '' } }),
    readBeat({
      ...beatSample,
      worker: { ...worker, layout: { ...worker.layout, blockTokens: 0 } },
    }),
    readBeat({ ...beatSample, loads: [{ prefillTokensPerSec: NaN }] }),
    readBeat({ ...beatSample, loads: Array.from({ length: 1025 }, () => ({})) }),
    readBeat({ ...beatSample, loads: [{ rank: 1024 }] }),
    readDelta({ ...deltaSample, seq: 2 ** 60 }),
    readSnapshotChunk({ ...chunkSample, index: 2 }),
    readDelta({ ...deltaSample, ops: [{ kind: 4 as never, tier: 1 }] }),
    readTransferOrder({ ...orderSample, sourceAddress: '127.0.0.1' }, 'w2'),
    readTransferOrder({ ...orderSample, keys: null, withTail: false }, 'w2'),
  ].map((outcome) => ('fault' in outcome ? outcome.fault : undefined));
  expect(faults).toEqual([
    'WorkerBeat.worker.role must be 1 (prefill), 2 (decode), 3 (both), not 9',
    'WorkerBeat.lease_ms must be a whole number, at least 1, not 0',
    'WorkerBeat.epoch is missing',
    'WorkerBeat.worker.worker_id must be 1 to 64 of A-Z a-z 0-9 _ -',
    'WorkerBeat.worker.segment_tokens must be a multiple of layout.block_tokens 16, not 65',
    `WorkerBeat.worker.segment_tokens must be a whole number, 1 to 65536, not ${1 << 20}`,
    'WorkerBeat.worker.engine_url must be an http URL',
    'WorkerBeat.worker.model is missing',
    'WorkerBeat.worker.layout.block_tokens must be a whole number, at least 1, not 0',
    'WorkerBeat.loads[0].prefill_tokens_per_sec must be a number of at least 0, not NaN',
    'WorkerBeat.loads must have at most 1024 entries, not 1025',
    'WorkerBeat.loads[0].rank must be a whole number, 0 to 1023, not 1024',
    `KvDelta.seq must be a whole number, at least 1, not ${2 ** 60}`,
    'SnapshotChunk.index must be a whole number, 0 to 1, not 2',
    'KvDelta.ops[0].kind must be 1 (store), 2 (remove), 3 (clear), not 4',
    'TransferOrder.source_address must be host:port',
    'TransferOrder.keys must not be empty without a tail',
  ]);
});

test('what is absent has the default of the contract', () => {
  const beat = readBeat(
    overTheWire('WorkerBeat', { ...beatSample, loads: [{}], tiers: [], counters: null }),
  );
  if ('fault' in beat) throw new Error(beat.fault);
  expect(beat.loads).toEqual([
    Object.fromEntries(Object.keys(samples.loadSample).map((k) => [k, 0])),
  ]);
  expect(beat.counters).toEqual(
    Object.fromEntries(Object.keys(beatSample.counters).map((name) => [name, 0])),
  );
  const request = { requestId: 'r', model: 'm', promptTokens: 1 };
  expect(readPlanRequest(overTheWire('PlanRequest', request))).toMatchObject({
    maxOutputTokens: 0,
    excludeWorkers: [],
    maxWaitMs: undefined,
    sessionId: '',
    tenant: '',
    priority: 5,
    ttftSloMs: undefined,
    tbtSloMs: undefined,
  });
});

test('a tier that a newer sender knows does not spoil what is sent with it', () => {
  const newer = { kind: 1, tier: 6 as never, keys: new Uint8Array(16) };
  const sent = { ...deltaSample, ops: [newer, ...deltaSample.ops] };
  const delta = readDelta(overTheWire('KvDelta', sent));
  expect('fault' in delta ? delta : delta.ops.map(({ tier }) => tier)).toEqual([6, 1, 3]);
  const state = { ...beatSample.tiers[0], tier: 6 };
  const beat = readBeat(overTheWire('WorkerBeat', { ...beatSample, tiers: [state] }));
  expect('fault' in beat ? beat : beat.tiers).toMatchObject([{ tier: 6, segments: 3 }]);
});

test('text for people is cut', () => {
  const beat = readBeat({ ...beatSample, reason: 'x'.repeat(100_000) });
  expect(beat).toMatchObject({ reason: 'x'.repeat(4096) });
});

test('what is written is read as it was', () => {
  const read = readTransferOrder(orderSample, 'w2');
  const result = readTransferResult(samples.resultSample);
  const plan = readPlanReply(planReplySample);
  const refusal = readPlanReply(refusalSample);
  const pools = readFleet(fleetSample);
  for (const outcome of [read, result, plan, refusal, pools]) {
    if ('fault' in outcome) throw new Error(outcome.fault);
  }
  expect(transferOrderMessage(read as never)).toEqual(orderSample);
  expect(transferResultMessage(result as never)).toEqual(samples.resultSample);
  expect(planReplyMessage(plan as never)).toEqual(planReplySample);
  expect(planReplyMessage(refusal as never)).toEqual(refusalSample);
  expect(fleetMessage(pools as never)).toEqual(fleetSample);
});

test('tiers have the numbers of the contract', () => {
  for (const [name, number] of Object.entries(Tier)) {
    expect(baton.v1.Tier[`TIER_${name}` as 'TIER_HBM']).toBe(number);
  }
  expect(Object.keys(Tier)).toHaveLength(Object.keys(baton.v1.Tier).length - 1);
});
