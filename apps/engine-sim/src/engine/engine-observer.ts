import type { EngineRun } from './engine-run.ts';

export type RunEnd = 'stop' | 'length' | 'abort' | 'error';

/** Told what an engine does, for its metrics. Times are engine time, ms. */
export interface EngineObserver {
  submitted(run: EngineRun): void;
  admitted(run: EngineRun, cachedTokens: number): void;
  preempted(run: EngineRun): void;
  stepped(tokens: number): void;
  token(run: EngineRun, nowMs: number): void;
  ended(run: EngineRun, end: RunEnd, nowMs: number): void;
}
