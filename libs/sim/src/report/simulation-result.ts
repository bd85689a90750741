import type { PlansStatus } from '@baton/core';
import type { Role } from '@baton/cluster';
import type { WorkerTotals } from '../engine/sim-worker.ts';
import type { RequestRecord } from './request-record.ts';

export interface WorkerResult extends WorkerTotals {
  workerId: string;
  role: Role;
  /** Most blocks of HBM that were ever taken, of `hbmBlocks`. */
  peakBlocks: number;
}

/** What somebody still holds when no request is left. All zero, or something was not given back. */
export interface LeftBehind {
  bookedPrefillTokens: number;
  bookedKvBlocks: number;
  bookedStreams: number;
  livePlans: number;
  waitingRequests: number;
  transfers: number;
  /** HBM that requests use, of all workers. */
  usedBlocks: number;
}

export interface SimulationResult {
  /** One for each request, in the trace's order. */
  requests: RequestRecord[];
  workers: WorkerResult[];
  policy: string;
  plans: PlansStatus['totals'];
  transfers: PlansStatus['transfers'];
  /** Times that the core asked a worker for everything that it holds. */
  resyncs: number;
  /** Virtual time until the last request was settled. */
  durationMs: number;
  leftBehind: LeftBehind;
}
