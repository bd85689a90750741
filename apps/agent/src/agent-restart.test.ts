import { baton } from '@baton/proto';
import { eventually } from '@baton/test-kit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { promptOf } from './testing/fake-engine.ts';
import { TestFleet } from './testing/test-fleet.ts';
import type { TestWorker } from './testing/test-fleet.ts';

const { TIER_HBM } = baton.v1.Tier;

let fleet: TestFleet;
beforeEach(async () => void (fleet = await TestFleet.start()));
afterEach(async () => {
  expect(await fleet.stop()).toEqual([]);
});

/** Another agent takes the place of this worker's; the engine lives on. */
async function restartAgent(worker: TestWorker, settings: object = {}): Promise<void> {
  await worker.agent.stop();
  await eventually(() => worker.engine.hello === undefined);
  fleet.deltas.delete(worker.id);
  worker.agent = await fleet.addAgent(worker.id, settings);
  await eventually(() => worker.engine.hello !== undefined);
}

test('an agent that restarts remembers what its engine holds, and asks for what it missed only', async () => {
  const worker = await fleet.add('p1');
  const [before, missed] = [promptOf(1, 5), promptOf(2, 2)];
  await worker.engine.store(before);
  await eventually(() => fleet.held('p1', TIER_HBM).size === 5);
  await worker.agent.stop();
  await worker.engine.store(missed);
  await restartAgent(worker);
  const all = new Set([...before.hex, ...missed.hex]);
  await eventually(() => fleet.held('p1', TIER_HBM).size === 7);
  expect(fleet.held('p1', TIER_HBM)).toEqual(all);
  await eventually(() => fleet.agrees('p1'));
  expect(worker.agent.counters).toMatchObject({ replayedBatches: 1, eventResets: 0 });
});

test('without a journal it reads everything that the engine still has', async () => {
  const settings = { events: { journal: false } };
  const worker = await fleet.add('p1', settings);
  await worker.engine.store(promptOf(1, 5));
  await eventually(() => fleet.held('p1', TIER_HBM).size === 5);
  await restartAgent(worker, settings);
  await eventually(() => fleet.held('p1', TIER_HBM).size === 5);
  expect(worker.agent.counters).toMatchObject({ replayedBatches: 1, eventResets: 0 });
});

test('where no state can be kept the agent says so and works all the same', async () => {
  const worker = await fleet.add('p1', { stateFolder: '/proc/no-such-place' });
  await worker.engine.store(promptOf(1, 5));
  await eventually(() => fleet.held('p1', TIER_HBM).size === 5);
  const [line] = fleet.logged.filter(({ event }) => event === 'kv_journal_failed');
  expect(line?.message).toMatch(/^no journal of KV events: .*set BATON_STATE_FOLDER/);
});
