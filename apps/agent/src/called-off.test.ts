import { eventually } from '@baton/test-kit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { promptOf } from './testing/fake-engine.ts';
import { TestFleet } from './testing/test-fleet.ts';
import type { TestWorker } from './testing/test-fleet.ts';

let fleet: TestFleet;
let p1: TestWorker;
let d1: TestWorker;
beforeEach(async () => {
  fleet = await TestFleet.start();
  [p1, d1] = [await fleet.add('p1'), await fleet.add('d1')];
});
afterEach(async () => {
  expect(await fleet.stop()).toEqual([]);
});

const { keys } = promptOf(1, 3);
const endOf = async () => {
  await eventually(() => fleet.results.length === 1);
  return fleet.logged.find(({ event }) => event === 'transfer');
};

test('an order whose source has heard of the cancel first is called off, not failed', async () => {
  fleet.bus.publishCancel('p1', { planId: 'a', reason: 'test' });
  // Heard once it refuses what belongs to the plan.
  await eventually(async () => (await p1.engine.reserve('late', 'a', keys)).refused);
  p1.engine.end('late', 'a', 'prefill', 'aborted');
  await fleet.order(d1, p1, { planId: 'a', keys, withTail: true });
  expect(await endOf()).toMatchObject({ level: 'info', code: 'transfer_cancelled' });
});

test('a request that its client ends is called off', async () => {
  await fleet.order(d1, p1, { planId: 'a', keys, withTail: true });
  d1.engine.end('decode-a', 'a', 'decode', 'aborted');
  expect(await endOf()).toMatchObject({ level: 'info', message: 'transfer called off' });
});

test('a source that is gone is a fault', async () => {
  await p1.agent.stop();
  await fleet.order(d1, p1, { planId: 'a', keys, withTail: true, sourceAddress: '127.0.0.1:1' });
  expect(await endOf()).toMatchObject({ level: 'warn', code: 'agent_unavailable' });
});
