import { DEFAULT_PRIORITY, LAST_PRIORITY } from '@baton/kv';
import type {
  PlanAnswer,
  PlannedLeg,
  PlanPhase,
  PlanRefusal,
  PlanReport,
  PlanRequest,
  PoolView,
} from '@baton/core';
import { FieldReader, read, type Unusable, type WireNumbers } from './field-reader.ts';
import { baton } from './generated/baton.js';
import {
  adapterFrom,
  capabilitiesFrom,
  epochFrom,
  meetingPointFrom,
  workerIdFrom,
} from './worker-messages.ts';

/** A plan as a gateway gets it. */
export type PlanReply = Omit<PlanAnswer, 'predictedTtftMs' | 'matchedTokens' | 'candidates'>;

/** Why there is no plan; the code may be one that the reader does not know. */
export type RefusalReply = Omit<PlanRefusal, 'code'> & { code: string };

const { PlanMode: WireMode, PlanPhase: WirePhase } = baton.v1;

const modes: WireNumbers<PlanAnswer['mode']> = {
  aggregated: WireMode.PLAN_MODE_AGGREGATED,
  disaggregated: WireMode.PLAN_MODE_DISAGGREGATED,
};

const phases: WireNumbers<PlanPhase> = {
  prefilled: WirePhase.PLAN_PHASE_PREFILLED,
  first_token: WirePhase.PLAN_PHASE_FIRST_TOKEN,
  progress: WirePhase.PLAN_PHASE_PROGRESS,
  finished: WirePhase.PLAN_PHASE_FINISHED,
  aborted: WirePhase.PLAN_PHASE_ABORTED,
  failed: WirePhase.PLAN_PHASE_FAILED,
};

export function readPlanRequest(message: baton.v1.IPlanRequest): PlanRequest | Unusable {
  return read(() => {
    const request = new FieldReader(message, 'PlanRequest');
    const maxWaitMs = request.whole('maxWaitMs');
    const hints = request.optional('hints');
    const keptTurn = request.optional('keptTurn');
    const adapter = request.optional('adapter');
    const ttftSloMs = hints?.whole('ttftSloMs') ?? 0;
    const tbtSloMs = hints?.whole('tbtSloMs') ?? 0;
    return {
      requestId: request.name('requestId', 1),
      model: request.name('model', 1),
      ...(adapter !== undefined && { adapter: adapterFrom(adapter) }),
      segmentKeys: request.keys('segmentKeys'),
      promptTokens: request.whole('promptTokens', 1),
      maxOutputTokens: request.whole('maxOutputTokens'),
      excludeWorkers: request.names('excludeWorkers'),
      traceparent: request.name('traceparent'),
      maxWaitMs: maxWaitMs > 0 ? maxWaitMs : undefined,
      sessionId: hints?.name('sessionId') ?? '',
      tenant: hints?.name('tenant') ?? '',
      priority: hints?.whole('priority', 0, LAST_PRIORITY) ?? DEFAULT_PRIORITY,
      ttftSloMs: ttftSloMs > 0 ? ttftSloMs : undefined,
      tbtSloMs: tbtSloMs > 0 ? tbtSloMs : undefined,
      keptTurn: keptTurn && {
        workerId: workerIdFrom(keptTurn),
        epoch: epochFrom(keptTurn.inner('epoch')),
        tokens: keptTurn.whole('tokens', 1),
      },
    };
  });
}

export function readPlanReport(message: baton.v1.IPlanReport): PlanReport | Unusable {
  return read(() => {
    const report = new FieldReader(message, 'PlanReport');
    return {
      planId: report.name('planId', 1),
      phase: report.word('phase', phases),
      outputTokens: report.whole('outputTokens'),
      computedTokens: report.whole('computedTokens'),
      ttftMs: report.amount('ttftMs'),
      code: report.name('code'),
    };
  });
}

export function planReplyMessage(reply: PlanAnswer | PlanRefusal): baton.v1.IPlanReply {
  if (reply.kind === 'refused') {
    const { requestId, code, message, retryAfterMs } = reply;
    return { requestId, refusal: { code, message, retryAfterMs } };
  }
  const { requestId, planId, prefixTokens, readsTurn, leaseMs } = reply;
  return {
    requestId,
    planId,
    mode: modes[reply.mode],
    prefill: legMessage(reply.prefill),
    decode: legMessage(reply.decode),
    prefixTokens,
    leaseMs,
    ...(readsTurn && { readsTurn }),
  };
}

export function readPlanReply(message: baton.v1.IPlanReply): PlanReply | RefusalReply | Unusable {
  return read(() => {
    const reply = new FieldReader(message, 'PlanReply');
    const requestId = reply.name('requestId', 1);
    const refusal = reply.optional('refusal');
    if (refusal !== undefined) {
      return {
        kind: 'refused' as const,
        requestId,
        code: refusal.name('code', 1),
        message: refusal.words('message'),
        retryAfterMs: refusal.whole('retryAfterMs'),
      };
    }
    return {
      kind: 'planned' as const,
      requestId,
      planId: reply.name('planId', 1),
      mode: reply.word('mode', modes),
      prefill: legFrom(reply.inner('prefill')),
      decode: legFrom(reply.inner('decode')),
      prefixTokens: reply.whole('prefixTokens'),
      readsTurn: reply.flag('readsTurn'),
      leaseMs: reply.whole('leaseMs'),
    };
  });
}

export function fleetMessage(pools: readonly PoolView[]): baton.v1.IFleetUpdate {
  return { models: pools.map((pool) => ({ ...pool, adapters: [...pool.adapters] })) };
}

/** The pools that a gateway may use. */
export function readFleet(message: baton.v1.IFleetUpdate): PoolView[] | Unusable {
  return read(() => new FieldReader(message, 'FleetUpdate').each('models').map(poolFrom));
}

function poolFrom(pool: FieldReader<baton.v1.IModelPool>): PoolView {
  return {
    model: pool.name('model', 1),
    tokenization: pool.name('tokenization', 1),
    segmentTokens: pool.whole('segmentTokens', 1),
    maxModelTokens: pool.whole('maxModelTokens', 1),
    workers: pool.each('workers').map((worker) => ({
      workerId: workerIdFrom(worker),
      engineUrl: worker.name('engineUrl', 1),
    })),
    ready: pool.flag('ready'),
    capabilities: capabilitiesFrom(pool.optional('capabilities')),
    adapters: pool.each('adapters').map((served) => ({
      ...adapterFrom(served),
      ready: served.flag('ready'),
    })),
  };
}

function legMessage({ meetingPoint, rank, epoch, ...leg }: PlannedLeg): baton.v1.ILeg {
  return {
    ...leg,
    ...(rank !== undefined && { rank }),
    ...(epoch !== undefined && { epoch }),
    ...(meetingPoint !== undefined && {
      meetingPoint: { ...meetingPoint, engineIds: [...meetingPoint.engineIds] },
    }),
  };
}

function legFrom(leg: FieldReader<baton.v1.ILeg>): PlannedLeg {
  const epoch = leg.optional('epoch');
  return {
    workerId: workerIdFrom(leg),
    engineUrl: leg.name('engineUrl', 1),
    heldTokens: leg.whole('heldTokens'),
    engine: leg.name('engine'),
    connector: leg.name('connector'),
    blockTokens: leg.whole('blockTokens'),
    meetingPoint: meetingPointFrom(leg.optional('meetingPoint')),
    pairOnly: leg.flag('pairOnly'),
    rank: leg.has('rank') ? leg.whole('rank') : undefined,
    epoch: epoch && epochFrom(epoch),
  };
}
