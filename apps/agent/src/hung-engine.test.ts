import { LINK_SILENCE_MS } from '@baton/engine-link';
import { baton } from '@baton/proto';
import { eventually } from '@baton/test-kit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FakeEngine, promptOf } from './testing/fake-engine.ts';
import { TestFleet } from './testing/test-fleet.ts';

const { TIER_HBM } = baton.v1.Tier;
const { WORKER_STATE_READY, WORKER_STATE_STARTING } = baton.v1.WorkerState;

let fleet: TestFleet;
beforeEach(async () => void (fleet = await TestFleet.start()));
afterEach(async () => {
  expect(await fleet.stop()).toEqual([]);
});

const stateOf = (id: string) => fleet.beats.get(id)?.state;

test('a hung engine is not ready while it says nothing, and is afterwards, in the same epoch', async () => {
  const { engine } = await fleet.add('p1');
  const { epoch } = fleet.beats.get('p1') ?? {};
  const prompt = promptOf(1, 2);
  await engine.prefill('before', prompt.keys);
  engine.hang();
  await eventually(() => stateOf('p1') === WORKER_STATE_STARTING);
  expect(fleet.beats.get('p1')).toMatchObject({
    reason: `the engine has said nothing for ${LINK_SILENCE_MS} ms`,
    epoch,
  });
  engine.goOn();
  await eventually(() => stateOf('p1') === WORKER_STATE_READY);
  expect(fleet.beats.get('p1')).toMatchObject({ reason: '', epoch });
  expect(engine.closes).toEqual([]);
  const { segments } = await engine.load({ requestId: 'r', planId: '', keys: prompt.keys });
  expect(segments).toHaveLength(2);
  engine.end('r', '', 'aggregated');
  const told = fleet.logged.filter(({ event }) => event.startsWith('engine_'));
  expect(told.map(({ event }) => event)).toEqual(['engine_ready', 'engine_hung', 'engine_ready']);
});

test('an engine that talks as it should stays ready for longer than a silence', async () => {
  const { engine } = await fleet.add('p1');
  const before = engine.timesCalled;
  await new Promise((resolve) => setTimeout(resolve, LINK_SILENCE_MS + 500));
  const states = new Set(fleet.states.slice(fleet.states.indexOf('p1 WORKER_STATE_READY')));
  expect(states).toEqual(new Set(['p1 WORKER_STATE_READY']));
  // The agent talks, too.
  expect(engine.timesCalled - before).toBeGreaterThanOrEqual(2);
});

test('what only the cache of a hung engine holds is not waited for', async () => {
  const [p1, d1] = [await fleet.add('p1'), await fleet.add('d1')];
  const prompt = promptOf(2, 3);
  await p1.engine.store(prompt);
  await eventually(() => fleet.held('p1', TIER_HBM).size === 3);
  p1.engine.hang();
  await eventually(() => stateOf('p1') === WORKER_STATE_STARTING);
  await fleet.order(d1, p1, { planId: 'a', keys: prompt.keys });
  await eventually(() => fleet.results.length === 1);
  expect(fleet.results[0]).toMatchObject({ segments: 0, code: 'segment_not_found' });
  expect(fleet.results[0]?.durationMs).toBeLessThan(2_000);
  p1.engine.goOn();
  expect(p1.engine.exportsAsked).toBe(0);
});

test('a worker is ready only once its engine has told its load', async () => {
  const agent = await fleet.addAgent('p1');
  const engine = await FakeEngine.start(fleet.socketPath('p1'));
  engine.hang();
  fleet.workers.push({ id: 'p1', agent, engine, socketPath: fleet.socketPath('p1') });
  await eventually(() => stateOf('p1') === WORKER_STATE_STARTING);
  expect(fleet.beats.get('p1')?.reason).toBe('the engine has not told its load yet');
  engine.loadReport = { prefillTokensPerSec: 1234 };
  engine.goOn();
  await eventually(() => stateOf('p1') === WORKER_STATE_READY);
  expect(fleet.beats.get('p1')?.loads[0]?.prefillTokensPerSec).toBe(1234);
});
