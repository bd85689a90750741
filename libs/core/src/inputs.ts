import type { Epoch, WorkerBeat } from '@baton/cluster';
import type { KvOp } from '@baton/index';
import type { Adapter } from '@baton/kv';
import type { TransferResult } from '@baton/transfers';

/** Changes of what a worker holds; `seq` counts from 1 within an epoch, without gaps. */
export interface KvDelta {
  workerId: string;
  epoch: Epoch;
  seq: number;
  ops: readonly KvOp[];
}

/** One of `count` parts of what a worker holds, as of delta `seq`. Only stores count. */
export interface SnapshotChunk {
  workerId: string;
  epoch: Epoch;
  snapshotId: number;
  index: number;
  count: number;
  seq: number;
  ops: readonly KvOp[];
}

/** What a decode worker has kept of a conversation's last turn, as whoever asks for a plan knows it. */
export interface KeptTurnClaim {
  workerId: string;
  /** That of the worker when it answered. */
  epoch: Epoch;
  /** Leading tokens of the prompt that is to be planned. */
  tokens: number;
}

export interface PlanRequest {
  requestId: string;
  /** The base model, also with an adapter. */
  model: string;
  /** Its segment keys are those of this adapter. */
  adapter?: Adapter | undefined;
  /** Packed keys of the prompt's whole segments. */
  segmentKeys: Uint8Array;
  promptTokens: number;
  /** 0 when the client sets no limit. */
  maxOutputTokens: number;
  /** Workers that failed for this request before. */
  excludeWorkers: readonly string[];
  /** W3C trace context that orders carry on, or empty. */
  traceparent: string;
  /** Longest wait that the asker allows; the core's own limit holds as well. */
  maxWaitMs?: number | undefined;
  /** Of the client's conversation; empty or absent when it names none. */
  sessionId?: string | undefined;
  /** Whose request it is: tenants share turns. */
  tenant?: string | undefined;
  /** From 0 to `LAST_PRIORITY`, less is first; `DEFAULT_PRIORITY` where nothing is said. */
  priority?: number | undefined;
  /** Promised time to the first token, instead of the model's. */
  ttftSloMs?: number | undefined;
  /** Promised time between two tokens, instead of the model's. */
  tbtSloMs?: number | undefined;
  /** What the prefill engine could read instead of computing it. */
  keptTurn?: KeptTurnClaim | undefined;
}

export type PlanPhase =
  'prefilled' | 'first_token' | 'progress' | 'finished' | 'aborted' | 'failed';

export interface PlanReport {
  planId: string;
  phase: PlanPhase;
  outputTokens: number;
  computedTokens: number;
  ttftMs: number;
  code: string;
}

export type CoreInput =
  | { type: 'beat'; beat: WorkerBeat }
  | { type: 'delta'; delta: KvDelta }
  | { type: 'snapshotChunk'; chunk: SnapshotChunk }
  /** The request got no answer, or its answer broke off; `reason` in words. */
  | { type: 'snapshotFailed'; workerId: string; snapshotId: number; reason: string }
  /** A delta or chunk of this worker came that could not be read. */
  | { type: 'unreadable'; workerId: string }
  | { type: 'plan'; sessionId: string; request: PlanRequest }
  | { type: 'report'; sessionId: string; report: PlanReport }
  | { type: 'sessionClosed'; sessionId: string }
  | { type: 'transferred'; result: TransferResult }
  /** An agent refused an order, or the order could not be delivered. */
  | { type: 'transferRefused'; transferId: string; code: string }
  /** An adapter is about to be unloaded, or stays after all; see `Cluster.setLeaving`. */
  | { type: 'adapterLeaving'; workerId: string; adapter: Adapter; isLeaving: boolean }
  /** Whether messages reach agents and come from them. True at the start. */
  | { type: 'bus'; connected: boolean }
  /**
   * Nothing was taken for so long although time went on, because the process stood still: what was not heard meanwhile
   * says nothing of whoever should have been.
   */
  | { type: 'paused'; durationMs: number }
  | { type: 'tick' }
  /** Nothing has happened: the core goes on with what waits, see `Core.hasWork`. */
  | { type: 'work' };
