import { expect, test } from 'vitest';
import { expectedWait, poissonRequests } from '../testing/poisson-requests.ts';
import { WorkerRig } from '../testing/worker-rig.ts';

const SERVICE_MS = 1_000;

test.each([0.5, 0.8])('at load %f the mean wait is that of an M/D/1 queue', (load) => {
  const rig = new WorkerRig({ fleet: { prefill: 1, decode: 1 }, hbmBlocks: 1_000_000 });
  const requests = poissonRequests(200_000, load, SERVICE_MS, 5);
  const worker = rig.worker();
  let waitedMs = 0;
  rig.onPrefilled = (run, nowMs) => (waitedMs += nowMs - run.record.arrivalMs - SERVICE_MS);
  const arrive = (i: number): void => {
    const request = requests[i];
    if (request === undefined) return;
    rig.queue.push(request.atMs, (nowMs) => {
      worker.prefill.submit(rig.runOf(request, i), 0, 0);
      worker.kick(nowMs);
      arrive(i + 1);
    });
  };
  arrive(0);
  rig.settle();
  expect(worker.totals.prefillLegs).toBe(requests.length);
  const ratio = waitedMs / requests.length / SERVICE_MS / expectedWait(load);
  expect(Math.abs(ratio - 1)).toBeLessThan(0.02);
});
