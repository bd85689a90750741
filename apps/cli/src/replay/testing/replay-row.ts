import type { ReplayRow } from '../replay-run.ts';

/** Figures of a run that never was, one like the other but for what is given. */
export function replayRow(changes: Partial<ReplayRow> = {}): ReplayRow {
  return {
    ...{ workload: 'trace.jsonl', policy: 'kv-centric', queue: 'shortest', pulls: true },
    ...{ requests: 100, rejected: 3 },
    ...{ ttftMeanMs: 1_468, ttftP50Ms: 445, ttftP90Ms: 3_200, ttftP99Ms: 18_816 },
    ...{ ttftMaxMs: 46_351, within30s: 0.97, tbtMeanMs: 16.07, tbtP99Ms: 30.5 },
    ...{ tokensWithinSlo: 0.955, requestsWithinSlo: 0.96, wastedTokens: 0 },
    ...{ tokenHitRatio: 0.36, blockHitRatio: 0.35, bytesMoved: 40.9e12, loadSpread: 1.015 },
    ttftCurveMs: [20, 400, 46_351, null],
    cpuMs: 67_000,
    ...changes,
  };
}
