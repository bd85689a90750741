import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { BatonError, isErrorCode } from '@baton/kv';
import type { ReplayRow } from './replay-run.ts';
import type { ThreadMessage, ThreadTask } from './replay-thread.ts';

/**
 * Runs each task in a thread of its own, as many at a time as there are cores, and gives the rows in
 * the order of the tasks.
 *
 * @param onProgress requests that are settled, of all tasks together
 * @throws BatonError what the first task that failed had to say
 */
export async function runThreads(
  tasks: readonly ThreadTask[],
  onProgress: (settled: number) => void,
): Promise<ReplayRow[]> {
  const rows: ReplayRow[] = [];
  const settled = tasks.map(() => 0);
  const workers = new Set<Worker>();
  let next = 0;
  const takeTurns = async (): Promise<void> => {
    for (let i = next++; i < tasks.length; i = next++) {
      const task = tasks[i] as ThreadTask;
      const show = (done: number): void => {
        settled[i] = done;
        onProgress(settled.reduce((sum, count) => sum + count, 0));
      };
      const row = await inThread(task, workers, show);
      rows[i] = row;
      // A thread tells of every so many requests, hardly ever of the last one.
      show(row.requests);
    }
  };
  const threads = Math.min(availableParallelism(), tasks.length);
  try {
    await Promise.all(Array.from({ length: threads }, takeTurns));
  } finally {
    for (const worker of workers) void worker.terminate();
  }
  return rows;
}

function inThread(
  task: ThreadTask,
  workers: Set<Worker>,
  onProgress: (done: number) => void,
): Promise<ReplayRow> {
  const worker = new Worker(new URL('./replay-thread.ts', import.meta.url), { workerData: task });
  workers.add(worker);
  return new Promise<ReplayRow>((resolve, reject) => {
    worker.on('message', (message: ThreadMessage) => {
      if (message.kind === 'progress') onProgress(message.done);
      else if (message.kind === 'row') resolve(message.row);
      else {
        const code = isErrorCode(message.code) ? message.code : 'internal_error';
        reject(new BatonError(code, message.message));
      }
    });
    worker.once('error', reject);
    worker.once('exit', (code) =>
      reject(new BatonError('internal_error', `a simulation ended without a result (${code})`)),
    );
  }).finally(() => workers.delete(worker));
}
