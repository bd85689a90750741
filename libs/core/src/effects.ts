import type { Capabilities, Epoch, PoolAdapter } from '@baton/cluster';
import type { ErrorCode, MeetingPoint } from '@baton/kv';
import type { PlanMode } from '@baton/scheduling';
import type { TransferOrder } from '@baton/transfers';
import type { Resync } from './worker-sync.ts';

export interface PlannedLeg {
  workerId: string;
  engineUrl: string;
  /** Prompt tokens that the worker is believed to hold. */
  heldTokens: number;
  /** What speaks there, and what moves its KV. */
  engine: string;
  connector: string;
  blockTokens: number;
  /** Where it can be met for a handover, for connectors that need it. */
  meetingPoint: MeetingPoint | undefined;
  /** It runs no whole request. */
  pairOnly: boolean;
  /** Of several data-parallel ranks behind its URL, the one to ask; undefined where there is one. */
  rank: number | undefined;
  /** Its incarnation; undefined of a worker that is gone. */
  epoch: Epoch | undefined;
}

export interface PlanAnswer {
  kind: 'planned';
  requestId: string;
  planId: string;
  mode: PlanMode;
  /** The same worker as `decode` in aggregated mode. */
  prefill: PlannedLeg;
  decode: PlannedLeg;
  /** Prompt tokens that a transfer brings to the prefill worker. */
  prefixTokens: number;
  /** The prefill engine is to be told of the turn that the request said is kept. */
  readsTurn: boolean;
  predictedTtftMs: number;
  leaseMs: number;
  /** Leading prompt tokens that anybody in the fleet holds. */
  matchedTokens: number;
  candidates: number;
}

export interface PlanRefusal {
  kind: 'refused';
  requestId: string;
  code: ErrorCode;
  message: string;
  /** 0 when trying again is of no use. */
  retryAfterMs: number;
}

export interface PoolView {
  model: string;
  tokenization: string;
  segmentTokens: number;
  maxModelTokens: number;
  workers: { workerId: string; engineUrl: string }[];
  ready: boolean;
  /** What every one of its workers can do. */
  capabilities: Capabilities;
  /** LoRA adapters, by name. */
  adapters: readonly PoolAdapter[];
}

export type Effect =
  | { type: 'planReply'; sessionId: string; reply: PlanAnswer | PlanRefusal }
  | { type: 'transferOrder'; order: TransferOrder }
  | { type: 'cancelPlan'; workerId: string; planId: string; reason: string }
  | { type: 'requestSnapshot'; workerId: string; snapshotId: number }
  /** For every session. */
  | { type: 'fleetUpdate'; pools: PoolView[] }
  | { type: 'workerJoined'; workerId: string; replaced: boolean }
  | { type: 'workerLost'; workerId: string; reason: 'lease' | 'left' }
  | { type: 'workerRefused'; workerId: string; reason: string }
  | ({ type: 'resync'; workerId: string } & Resync);
