import { baton } from '@baton/proto';
import { expect, test } from 'vitest';
import { beatFrom, chunkFrom, deltaFrom, reportFrom, transferResultFrom } from './messages-in.ts';

const { WorkerBeat, KvDelta, SnapshotChunk, PlanReport, TransferResult } = baton.v1;

/** As it comes from the wire: absent fields are on the prototype. */
function overTheWire<T>(
  type: { encode(message: object): { finish(): Uint8Array }; decode(bytes: Uint8Array): T },
  message: object,
): T {
  return type.decode(type.encode(message).finish());
}

const beat = {
  worker: { workerId: 'w1', role: baton.v1.Role.ROLE_PREFILL, layout: { blockTokens: 64 } },
  epoch: { startedAtMs: 1_764_000_000_000, nonce: 2 ** 52 },
  state: baton.v1.WorkerState.WORKER_STATE_READY,
  lastDeltaSeq: 2 ** 40,
  loads: [{ runningSequences: 2 }],
  tiers: [{ tier: 2, segments: 3, xor: new Uint8Array(16).fill(7) }],
  counters: { bytesIn: 2 ** 45 },
};

test('a beat keeps its large numbers, and what is absent is zero', () => {
  const input = beatFrom(overTheWire(WorkerBeat, beat));
  expect(input).toMatchObject({
    worker: { workerId: 'w1', role: 'prefill', layout: { blockTokens: 64, ranks: 0 } },
    epoch: { startedAtMs: 1_764_000_000_000, nonce: 2 ** 52 },
    state: 'ready',
    lastDeltaSeq: 2 ** 40,
    loads: [{ rank: 0, runningSequences: 2, kvUsedBlocks: 0 }],
    counters: { bytesIn: 2 ** 45, bytesOut: 0, leases: 0 },
  });
  if ('fault' in input) throw new Error(input.fault);
  expect([...(input.tiers[0]?.xor ?? [])]).toEqual(Array(16).fill(7));
  expect(Object.values(input.counters).every((value) => typeof value === 'number')).toBe(true);
});

test('a beat with an unknown role or state is refused by the name of the field', () => {
  const withoutRole = { ...beat, worker: { workerId: 'w1' } };
  expect(beatFrom(overTheWire(WorkerBeat, withoutRole))).toEqual({
    fault: 'worker.role is not known',
  });
  expect(beatFrom(overTheWire(WorkerBeat, { ...beat, state: 9 }))).toEqual({
    fault: 'state is not known',
  });
});

test('operations are told apart, and an unknown kind drops the message as a whole', () => {
  const keys = new Uint8Array(16).fill(1);
  const ops = [
    { kind: 1, tier: 1, rank: 2, keys },
    { kind: 3, tier: 2 },
  ];
  const delta = deltaFrom(overTheWire(KvDelta, { workerId: 'w1', epoch: {}, seq: 4, ops }));
  expect(delta).toMatchObject({
    seq: 4,
    ops: [
      { kind: 'store', tier: 1, rank: 2 },
      { kind: 'clear', tier: 2, rank: 0 },
    ],
  });
  const strange = { workerId: 'w1', ops: [{ kind: 7 }] };
  expect(deltaFrom(overTheWire(KvDelta, strange))).toEqual({ fault: 'ops.kind is not known' });
  expect(chunkFrom(overTheWire(SnapshotChunk, strange))).toEqual({
    fault: 'ops.kind is not known',
  });
});

test('reports and results with unknown values are refused by the name of the field', () => {
  expect(reportFrom(overTheWire(PlanReport, { planId: 'p', phase: 4 }))).toMatchObject({
    phase: 'aborted',
    code: '',
  });
  expect(reportFrom(overTheWire(PlanReport, { planId: 'p' }))).toEqual({
    fault: 'phase is not known',
  });
  const result = { transferId: 't', reason: 2, status: 1, bytes: 2 ** 33 };
  expect(transferResultFrom(overTheWire(TransferResult, result))).toMatchObject({
    reason: 'handover',
    status: 'done',
    bytes: 2 ** 33,
  });
  expect(transferResultFrom(overTheWire(TransferResult, { ...result, status: 0 }))).toEqual({
    fault: 'status is not known',
  });
});
