import { expect, test } from 'vitest';
import type { RequestRun } from './request-run.ts';
import { WorkerRig } from '../testing/worker-rig.ts';

test('a prompt is computed in chunks, then a token comes with each step', () => {
  const rig = new WorkerRig({ hbmBlocks: 1_000 });
  rig.submit(5, rig.run(1, 1_500, 3));
  rig.settle();
  expect(rig.log).toEqual(['1505 r1 first token', '1525 r1 finished']);
  expect(rig.worker().totals).toMatchObject({ busyMs: 1_520, steps: 4, computedTokens: 1_500 });
});

test('first come, first served, and prompts share a step up to the chunk', () => {
  const rig = new WorkerRig({ fleet: { prefill: 1, decode: 1 }, hbmBlocks: 1_000 });
  for (const [index, tokens] of [300, 900, 100].entries()) {
    rig.submit(0, rig.run(index, tokens, 1), 0, 0);
  }
  rig.settle();
  // The first one goes alone, because nobody else is there yet; 900 and 100 fit one chunk.
  expect(rig.log).toEqual(['300 r0 prefilled', '1300 r1 prefilled', '1300 r2 prefilled']);
});

test('decoding goes on between the chunks of a prompt, and mixed steps take both times', () => {
  const rig = new WorkerRig({ hbmBlocks: 1_000 });
  rig.submit(0, rig.run(0, 100, 4));
  rig.submit(101, rig.run(1, 2_000, 1));
  rig.settle();
  // A step of 10 alone, then two mixed ones of 1,010.
  expect(rig.log).toEqual([
    '100 r0 first token',
    '2130 r0 finished',
    '2130 r1 first token',
    '2130 r1 finished',
  ]);
});

test('a prefix that is there is not computed again, but for the last token', () => {
  const rig = new WorkerRig();
  const blocks = [1, 2, 3, 4];
  rig.submit(0, rig.run(0, 40, 1, blocks));
  rig.submit(100, rig.run(1, 40, 1, blocks));
  rig.submit(200, rig.run(2, 35, 1, [1, 2, 9, 8]));
  const last = rig.run(3, 41, 1, [...blocks, 7]);
  rig.submit(300, last);
  rig.settle();
  const firsts = rig.log.filter((line) => line.endsWith('first token'));
  expect(firsts).toEqual([
    '40 r0 first token',
    '110 r1 first token',
    '215 r2 first token',
    '301 r3 first token',
  ]);
  expect(last.record).toMatchObject({ reusedBlocks: 4, computedTokens: 1 });
});

test('a prompt whose prefix is being pulled does not hold up those behind it, and keeps its place', () => {
  const rig = new WorkerRig({ fleet: { prefill: 1, decode: 1 }, chunkTokens: 50 });
  const { prefill } = rig.worker();
  const pulling = rig.run(0, 50, 1);
  rig.queue.push(0, (nowMs) => {
    prefill.submit(pulling, 0, 2);
    for (const index of [1, 2, 3]) prefill.submit(rig.run(index, 50, 1), 0, 0);
    expect(prefill.pendingTokens).toBe(30 + 150);
    rig.worker().kick(nowMs);
  });
  rig.queue.push(60, () => prefill.pullEnded(pulling));
  rig.settle();
  expect(rig.log.map((line) => line.split(' ')[1])).toEqual(['r1', 'r2', 'r0', 'r3']);
  expect(prefill.pendingTokens).toBe(0);
  expect(prefill.waiting).toBe(0);
});

test('a prompt that does not fit waits until there is room, and nobody passes it', () => {
  const rig = new WorkerRig({ hbmBlocks: 10, chunkTokens: 1_000 });
  rig.submit(0, rig.run(0, 60, 5));
  rig.submit(1, rig.run(1, 50, 5));
  rig.submit(2, rig.run(2, 10, 5));
  rig.settle();
  const finished = rig.log.filter((line) => line.endsWith('finished'));
  expect(finished).toEqual(['100 r0 finished', '200 r1 finished', '200 r2 finished']);
  expect(rig.worker().cache.peakBlocks).toBeLessThanOrEqual(10);
  expect(rig.worker().cache.blocksInUse).toBe(0);
});

test('no more sequences run than the engine takes', () => {
  const rig = new WorkerRig({ maxSequences: 1 });
  rig.submit(0, rig.run(0, 10, 3));
  rig.submit(0, rig.run(1, 10, 3));
  rig.settle();
  expect(rig.log.filter((line) => line.endsWith('finished'))).toEqual([
    '30 r0 finished',
    '60 r1 finished',
  ]);
});

test('what left HBM is loaded from below at the rate of its tier', () => {
  // 1,000 bytes a block: a block takes 1 ms from DRAM.
  const tiers = { hbmBlocks: 5, dramBlocks: 10, dramBytesPerSec: 1e6 };
  const rig = new WorkerRig(tiers);
  const again = rig.run(2, 45, 1, [1, 2, 3, 4, 5]);
  rig.submit(0, rig.run(0, 45, 1, [1, 2, 3, 4, 5]));
  rig.submit(100, rig.run(1, 45, 1));
  rig.submit(200, again);
  rig.settle();
  expect(rig.log.filter((line) => line.includes('r2 first'))).toEqual(['209 r2 first token']);
  expect(again.record).toMatchObject({ reusedBlocks: 4, computedTokens: 5 });
});

test('from SSD comes what the plan counts on, and the measured rates are told', () => {
  // A block takes 1 ms from DRAM and 2 ms from SSD.
  const rates = { dramBytesPerSec: 1e6, ssdBytesPerSec: 5e5 };
  const rig = new WorkerRig({ hbmBlocks: 5, dramBlocks: 1, ssdBlocks: 10, ...rates });
  const again = (index: number, ownBlocks: number): RequestRun => {
    const run = rig.run(index, 45, 1, [1, 2, 3, 4, 5]);
    run.ownBlocks = ownBlocks;
    return run;
  };
  const [none, some] = [again(2, 0), again(4, 3)];
  rig.submit(0, rig.run(0, 45, 1, [1, 2, 3, 4, 5]));
  rig.submit(100, rig.run(1, 45, 1));
  rig.submit(200, none);
  expect(rig.worker().loadRates).toEqual({ dramBytesPerSec: 0, ssdBytesPerSec: 0 });
  rig.submit(300, rig.run(3, 45, 1));
  rig.submit(400, some);
  rig.settle();
  // The first block left HBM last, and is in DRAM.
  expect(none.record).toMatchObject({ reusedBlocks: 1, computedTokens: 35 });
  expect(some.record).toMatchObject({ reusedBlocks: 3, computedTokens: 15 });
  expect(rig.log).toContain(`${400 + 1 + 2 * 2 + 15} r4 first token`);
  expect(rig.worker().loadRates).toEqual(rates);
});

test('the times between tokens: the mean, and that of the longest tenth', () => {
  const rig = new WorkerRig({ hbmBlocks: 1_000 });
  const run = rig.run(0, 10, 21);
  rig.submit(0, run);
  rig.submit(15, rig.run(1, 500, 1));
  rig.settle();
  // Nineteen steps of 10 ms and one of 510; the tenth of 20 gaps are two.
  expect(run.record.meanTbtMs).toBeCloseTo((19 * 10 + 510) / 20);
  expect(run.record.tailTbtMs).toBeCloseTo((510 + 10) / 2);
});
