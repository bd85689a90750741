import type { Epoch, Role, TierState, WorkerBeat, WorkerFacts, WorkerState } from '@baton/cluster';
import type { CoreInput, KvDelta, PlanPhase, PlanReport, SnapshotChunk } from '@baton/core';
import type { KvOp, KvOpKind } from '@baton/index';
import { baton } from '@baton/proto';
import type { TransferResult, TransferStatus } from '@baton/transfers';

/** A message that cannot be used: the field that is wrong. */
export interface Unusable {
  fault: string;
}

const { Role: ProtoRole, WorkerState: ProtoState, KvOpKind: ProtoOp } = baton.v1;
const { PlanPhase: ProtoPhase, TransferStatus: ProtoStatus } = baton.v1;
const NO_KEYS = new Uint8Array(0);

const roles: Readonly<Record<number, Role>> = {
  [ProtoRole.ROLE_PREFILL]: 'prefill',
  [ProtoRole.ROLE_DECODE]: 'decode',
  [ProtoRole.ROLE_BOTH]: 'both',
};

const states: Readonly<Record<number, WorkerState>> = {
  [ProtoState.WORKER_STATE_STARTING]: 'starting',
  [ProtoState.WORKER_STATE_READY]: 'ready',
  [ProtoState.WORKER_STATE_DRAINING]: 'draining',
  [ProtoState.WORKER_STATE_LEAVING]: 'leaving',
};

const opKinds: Readonly<Record<number, KvOpKind>> = {
  [ProtoOp.KV_OP_KIND_STORE]: 'store',
  [ProtoOp.KV_OP_KIND_REMOVE]: 'remove',
  [ProtoOp.KV_OP_KIND_CLEAR]: 'clear',
};

const phases: Readonly<Record<number, PlanPhase>> = {
  [ProtoPhase.PLAN_PHASE_FIRST_TOKEN]: 'first_token',
  [ProtoPhase.PLAN_PHASE_PROGRESS]: 'progress',
  [ProtoPhase.PLAN_PHASE_FINISHED]: 'finished',
  [ProtoPhase.PLAN_PHASE_ABORTED]: 'aborted',
  [ProtoPhase.PLAN_PHASE_FAILED]: 'failed',
};

const statuses: Readonly<Record<number, TransferStatus>> = {
  [ProtoStatus.TRANSFER_STATUS_DONE]: 'done',
  [ProtoStatus.TRANSFER_STATUS_PARTIAL]: 'partial',
  [ProtoStatus.TRANSFER_STATUS_FAILED]: 'failed',
  [ProtoStatus.TRANSFER_STATUS_CANCELLED]: 'cancelled',
};

const counterNames = [
  'pullsStarted',
  'pullsCompleted',
  'pullsFailed',
  'pullsActive',
  'segmentsIn',
  'segmentsOut',
  'bytesIn',
  'bytesOut',
  'checksumFailures',
  'stalls',
  'cuts',
  'tokensReused',
  'tokensTransferred',
  'tokensComputed',
  'handoversReceived',
  'handoversFailed',
  'pinnedPages',
  'leases',
  'eventGaps',
  'eventDecodeFailures',
] as const satisfies readonly (keyof baton.v1.IAgentCounters)[];

export function beatFrom(message: baton.v1.WorkerBeat): WorkerBeat | Unusable {
  const { worker } = message;
  const role = roles[worker?.role ?? 0];
  const state = states[message.state];
  if (role === undefined) return { fault: 'worker.role is not known' };
  if (state === undefined) return { fault: 'state is not known' };
  return {
    worker: factsFrom(worker ?? {}, role),
    epoch: epochFrom(message.epoch),
    state,
    reason: message.reason,
    lastDeltaSeq: message.lastDeltaSeq,
    loads: message.loads.map((load) => ({
      rank: load.rank ?? 0,
      runningSequences: load.runningSequences ?? 0,
      waitingSequences: load.waitingSequences ?? 0,
      pendingPrefillTokens: load.pendingPrefillTokens ?? 0,
      kvUsedBlocks: load.kvUsedBlocks ?? 0,
      prefillTokensPerSec: load.prefillTokensPerSec ?? 0,
      decodeTokensPerSec: load.decodeTokensPerSec ?? 0,
    })),
    tiers: message.tiers.map(tierFrom),
    counters: countersFrom(message.counters),
    leaseMs: message.leaseMs,
  };
}

export function deltaFrom(message: baton.v1.KvDelta): KvDelta | Unusable {
  const ops = opsFrom(message.ops);
  if ('fault' in ops) return ops;
  const { workerId, seq } = message;
  return { workerId, epoch: epochFrom(message.epoch), seq, ops };
}

export function chunkFrom(message: baton.v1.SnapshotChunk): SnapshotChunk | Unusable {
  const ops = opsFrom(message.ops);
  if ('fault' in ops) return ops;
  const { workerId, snapshotId, index, count, seq } = message;
  return { workerId, epoch: epochFrom(message.epoch), snapshotId, index, count, seq, ops };
}

export function transferResultFrom(message: baton.v1.TransferResult): TransferResult | Unusable {
  const status = statuses[message.status];
  if (status === undefined) return { fault: 'status is not known' };
  return {
    transferId: message.transferId,
    workerId: message.workerId,
    status,
    segments: message.segments,
    bytes: message.bytes,
    durationMs: message.durationMs,
    bytesPerSec: message.bytesPerSec,
    backend: message.backend,
    code: message.code,
  };
}

export function planFrom(
  sessionId: string,
  message: baton.v1.PlanRequest,
  traceparent: string,
): CoreInput {
  const { requestId, model, segmentKeys, promptTokens, maxOutputTokens } = message;
  const { excludeWorkers, maxWaitMs } = message;
  const request = {
    requestId,
    model,
    segmentKeys,
    promptTokens,
    maxOutputTokens,
    excludeWorkers,
    traceparent,
    maxWaitMs: maxWaitMs > 0 ? maxWaitMs : undefined,
  };
  return { type: 'plan', sessionId, request };
}

export function reportFrom(message: baton.v1.PlanReport): PlanReport | Unusable {
  const phase = phases[message.phase];
  if (phase === undefined) return { fault: 'phase is not known' };
  const { planId, outputTokens, computedTokens, ttftMs, code } = message;
  return { planId, phase, outputTokens, computedTokens, ttftMs, code };
}

function factsFrom(worker: baton.v1.IWorker, role: Role): WorkerFacts {
  const layout = worker.layout ?? {};
  const can = worker.capabilities ?? {};
  return {
    workerId: worker.workerId ?? '',
    role,
    model: worker.model ?? '',
    engine: worker.engine ?? '',
    engineUrl: worker.engineUrl ?? '',
    transferAddress: worker.transferAddress ?? '',
    layout: {
      modelRevision: layout.modelRevision ?? '',
      dtype: layout.dtype ?? '',
      layers: layout.layers ?? 0,
      ranks: layout.ranks ?? 0,
      blockTokens: layout.blockTokens ?? 0,
      connector: layout.connector ?? '',
      connectorVersion: layout.connectorVersion ?? '',
      bytesPerToken: layout.bytesPerToken ?? 0,
      segmentBytes: layout.segmentBytes ?? 0,
    },
    tokenization: worker.tokenization ?? '',
    segmentTokens: worker.segmentTokens ?? 0,
    maxModelTokens: worker.maxModelTokens ?? 0,
    kvCapacityBlocks: worker.kvCapacityBlocks ?? 0,
    maxSequences: worker.maxSequences ?? 0,
    capabilities: {
      pullPrefix: can.pullPrefix ?? false,
      exportPrefix: can.exportPrefix ?? false,
      overlapHandover: can.overlapHandover ?? false,
      firstTokenFromPrefill: can.firstTokenFromPrefill ?? false,
      takeSalt: can.takeSalt ?? false,
      takeTokens: can.takeTokens ?? false,
      release: can.release ?? false,
      migrate: can.migrate ?? false,
      callTools: can.callTools ?? false,
    },
    dramCapacitySegments: worker.dramCapacitySegments ?? 0,
  };
}

function epochFrom(epoch: baton.v1.IEpoch | null | undefined): Epoch {
  return { startedAtMs: epoch?.startedAtMs ?? 0, nonce: epoch?.nonce ?? 0 };
}

function tierFrom(state: baton.v1.ITierState): TierState {
  return {
    tier: state.tier ?? 0,
    rank: state.rank ?? 0,
    segments: state.segments ?? 0,
    capacitySegments: state.capacitySegments ?? 0,
    xor: state.xor ?? NO_KEYS,
  };
}

/**
 * An operation of a kind that is not known makes the message unusable: skipping it would lose what
 * it said.
 */
function opsFrom(ops: readonly baton.v1.IKvOp[]): KvOp[] | Unusable {
  const known: KvOp[] = [];
  for (const op of ops) {
    const kind = opKinds[op.kind ?? 0];
    if (kind === undefined) return { fault: 'ops.kind is not known' };
    known.push({ kind, tier: op.tier ?? 0, rank: op.rank ?? 0, keys: op.keys ?? NO_KEYS });
  }
  return known;
}

function countersFrom(
  counters: baton.v1.IAgentCounters | null | undefined,
): Record<string, number> {
  return Object.fromEntries(counterNames.map((name) => [name, counters?.[name] ?? 0]));
}
