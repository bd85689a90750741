import { expect, test } from 'vitest';
import { WorkerRig } from '../testing/worker-rig.ts';
import { fittedCost } from './fitted.ts';

const cost = fittedCost({
  ...{ name: 'measured', kvBytesPerToken: 100, chunkTokens: 100, firstToken: 'prefill' },
  prefill: { fixedMs: 50, perTokenMs: 1, perPairMs: 0 },
  decode: { fixedMs: 10, perSequenceMs: 0, perKvTokenMs: 0 },
});

test('a prompt costs the fixed part once, in however many chunks it is computed', () => {
  expect(cost.prefillMs(250, 0)).toBe(300);
  const rig = new WorkerRig({ cost, fleet: { prefill: 1, decode: 1 } });
  rig.submit(0, rig.run(0, 250, 1), 0, 0);
  // Twenty tokens of it are there by then.
  rig.submit(1_000, rig.run(1, 45, 1, [0, 1, 900, 901, 902]), 0, 0);
  rig.settle();
  expect(rig.log).toEqual(['300 r0 prefilled', '1075 r1 prefilled']);
});

test('prompts that share a step cost the fixed part each, as they would alone', () => {
  const rig = new WorkerRig({ cost, fleet: { prefill: 1, decode: 1 } });
  for (const [index, tokens] of [10, 130, 60].entries()) {
    rig.submit(0, rig.run(index, tokens, 1), 0, 0);
  }
  rig.settle();
  // 10 alone, then 100 of the second, then its last 30 with the third.
  expect(rig.log).toEqual(['60 r0 prefilled', '350 r1 prefilled', '350 r2 prefilled']);
  expect(rig.worker().totals.busyMs).toBe(10 + 130 + 60 + 3 * 50);
});
