import { BatonError, isErrorCode, toBatonError, type MeetingPoint } from '@baton/kv';
import { readPlanReply, type baton } from '@baton/proto';
import { PLAN_ANSWER_MS } from '../config.ts';
import type { PlanSession } from '../ports.ts';

export interface PlanLeg {
  workerId: string;
  engineUrl: string;
  /** Prompt tokens that the worker was believed to hold. */
  heldTokens: number;
  /** What speaks there, and what moves its KV. */
  engine: string;
  connector: string;
  /** Of its KV cache. */
  blockTokens: number;
  /** Where decode can meet it for a handover, for connectors that need it. */
  meetingPoint: MeetingPoint | undefined;
  /** It runs no whole request. */
  pairOnly: boolean;
  /** Of several data-parallel ranks behind its URL, the one to ask; undefined where there is one. */
  rank: number | undefined;
  /** Its incarnation; undefined where nobody says. */
  epoch: { startedAtMs: number; nonce: number } | undefined;
}

export interface Plan {
  planId: string;
  mode: 'aggregated' | 'disaggregated';
  prefill: PlanLeg;
  decode: PlanLeg;
  /** Leading prompt tokens that the prefill worker has once its prefix transfers are done; 0 where there are none. */
  prefixTokens: number;
  /** The prefill engine is to be told of the kept turn that was asked with. */
  readsTurn: boolean;
  /** 0 when the plan has no lease. */
  leaseMs: number;
}

/**
 * The conductor's plan within `limitMs`. The conductor hears how much of that the request may wait for room, so that it
 * refuses before its answer comes too late, whatever its own limit is.
 * @throws BatonError with the reason of a refusal, or why there is no answer.
 */
export async function requestPlan(
  session: PlanSession,
  request: Omit<baton.v1.IPlanRequest, 'maxWaitMs'>,
  limitMs: number,
  signal: AbortSignal,
): Promise<Plan> {
  let reply: baton.v1.IPlanReply;
  const maxWaitMs = Math.max(1, limitMs - PLAN_ANSWER_MS);
  try {
    reply = await session.plan({ ...request, maxWaitMs }, signal, limitMs);
  } catch (error) {
    const fault = toBatonError(error);
    if (fault.code !== 'deadline_exceeded') throw fault;
    const message = `The conductor did not answer within ${limitMs} ms.`;
    throw new BatonError('conductor_unavailable', message, { cause: fault });
  }
  return planOf(reply);
}

function planOf(reply: baton.v1.IPlanReply): Plan {
  const read = readPlanReply(reply);
  if ('fault' in read) throw new BatonError('protocol_violation', read.fault);
  if (read.kind === 'planned') {
    const { prefixTokens: pulled, prefill } = read;
    return { ...read, prefixTokens: pulled > 0 ? prefill.heldTokens + pulled : 0 };
  }
  const { code, message, retryAfterMs } = read;
  const known = isErrorCode(code) ? code : 'no_worker';
  throw new BatonError(known, message || undefined, { details: { retryAfterMs } });
}
