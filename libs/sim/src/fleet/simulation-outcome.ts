import type { Core } from '@baton/core';
import type { RequestRun } from '../engine/request-run.ts';
import type { SimWorker } from '../engine/sim-worker.ts';
import type { LeftBehind, SimulationResult } from '../report/simulation-result.ts';

export interface Outcome {
  runs: readonly RequestRun[];
  workers: readonly SimWorker[];
  core: Core;
  nowMs: number;
  durationMs: number;
  resyncs: number;
  transfers: number;
}

/** What is to be known of a simulation that has ended. */
export function simulationResult(outcome: Outcome): SimulationResult {
  const { runs, workers, core, durationMs, resyncs } = outcome;
  const { policy, totals, transfers } = core.view.plans();
  return {
    requests: runs.map(({ record }) => record),
    workers: workers.map(({ workerId, facts, totals: own, cache }) => ({
      ...{ workerId, role: facts.role, ...own },
      peakBlocks: cache.peakBlocks,
    })),
    ...{ policy, plans: totals, transfers, resyncs, durationMs },
    leftBehind: leftBehind(outcome),
  };
}

function leftBehind({ core, workers, transfers, nowMs }: Outcome): LeftBehind {
  const left: LeftBehind = {
    bookedPrefillTokens: 0,
    bookedKvBlocks: 0,
    bookedStreams: 0,
    livePlans: core.view.plans().live,
    waitingRequests: core.view.plans().waiting,
    transfers,
    usedBlocks: workers.reduce((sum, { cache }) => sum + cache.blocksInUse, 0),
  };
  for (const { ranks } of core.view.workers(nowMs)) {
    for (const { booked } of ranks) {
      left.bookedPrefillTokens += booked.prefillTokens;
      left.bookedKvBlocks += booked.kvBlocks;
      left.bookedStreams += booked.streams;
    }
  }
  return left;
}
