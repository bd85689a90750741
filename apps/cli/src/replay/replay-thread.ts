import { parentPort, workerData } from 'node:worker_threads';
import { toBatonError } from '@baton/kv';
import type { TraceRequest } from '@baton/sim';
import type { ReplayRun, ReplaySetup } from './replay-plan.ts';
import { runReplay, type ReplayRow } from './replay-run.ts';
import { readSource } from './replay-source.ts';

export interface ThreadTask {
  setup: ReplaySetup;
  run: ReplayRun;
  /**
   * Of a trace, which is read once: it may be a pipe, or a log that goes on. Undefined for a generated workload.
   */
  requests: [TraceRequest, ...TraceRequest[]] | undefined;
}

export type ThreadMessage =
  | { kind: 'progress'; done: number }
  | { kind: 'row'; row: ReplayRow }
  | { kind: 'failed'; code: string; message: string };

const PROGRESS_STEPS = 100;

const { setup, run, requests: given } = workerData as ThreadTask;
const tell = (message: ThreadMessage): void => parentPort?.postMessage(message);
try {
  const requests = given ?? readSource(setup.source, setup.seed);
  const step = Math.max(1, Math.floor(requests.length / PROGRESS_STEPS));
  const row = runReplay(setup, run, requests, (done) => {
    if (done % step === 0) tell({ kind: 'progress', done });
  });
  tell({ kind: 'row', row });
} catch (error) {
  const { code, message } = toBatonError(error);
  tell({ kind: 'failed', code, message });
}
