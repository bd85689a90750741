import { parentPort, workerData } from 'node:worker_threads';
import { toBatonError } from '@baton/kv';
import type { ReplayRun, ReplaySetup } from './replay-plan.ts';
import { runReplay, type ReplayRow } from './replay-run.ts';
import { readSource } from './replay-source.ts';

export interface ThreadTask {
  setup: ReplaySetup;
  run: ReplayRun;
}

export type ThreadMessage =
  | { kind: 'progress'; done: number }
  | { kind: 'row'; row: ReplayRow }
  | { kind: 'failed'; code: string; message: string };

const PROGRESS_STEPS = 100;

const { setup, run } = workerData as ThreadTask;
const tell = (message: ThreadMessage): void => parentPort?.postMessage(message);
try {
  const requests = readSource(setup.source, setup.seed);
  const step = Math.max(1, Math.floor(requests.length / PROGRESS_STEPS));
  const row = runReplay(setup, run, requests, (done) => {
    if (done % step === 0) tell({ kind: 'progress', done });
  });
  tell({ kind: 'row', row });
} catch (error) {
  const { code, message } = toBatonError(error);
  tell({ kind: 'failed', code, message });
}
