import { sampleFacts, type Role, type WorkerFacts } from '@baton/cluster';
import { KEY_BYTES, Tier } from '@baton/kv';
import { expect, test } from 'vitest';
import { FakeAgent } from './testing/fake-agent.ts';
import { WaitingWorld } from './testing/waiting-world.ts';

const SEGMENT = 64;
const { capabilities, layout } = sampleFacts();
/** As of an engine that nobody stands beside. */
const alone = {
  approximate: true,
  transferAddress: '',
  layout: { ...layout, connector: '' },
  capabilities: { ...capabilities, pullPrefix: false, exportPrefix: false },
};

function engine(workerId: string, changes: Partial<WorkerFacts> = {}): FakeAgent {
  return new FakeAgent({ workerId, role: 'both', ...alone, ...changes });
}

/** Who does what, and what prefill has of it already. */
function served(world: WaitingWorld, keys: Uint8Array): [string, string, number] {
  const id = world.ask((keys.length / KEY_BYTES) * SEGMENT + 1, { segmentKeys: keys });
  const plan = world.plan(id);
  if (plan === undefined) throw new Error(`${id} was not planned`);
  for (const phase of ['prefilled', 'first_token', 'finished'] as const) {
    world.report(plan.planId, phase);
  }
  return [plan.prefill.workerId, plan.decode.workerId, plan.prefill.heldTokens];
}

const heldBy = (world: WaitingWorld, workerId: string): number =>
  world.core.view.heldKeys(workerId, 0, Tier.HBM).length / KEY_BYTES;

test('what a worker was given counts as held from when it was computed', () => {
  const world = new WaitingWorld([engine('a'), engine('b')]);
  const keys = world.freshKeys(4);
  const id = world.ask(4 * SEGMENT + 1, { segmentKeys: keys });
  const planId = world.plan(id)?.planId ?? '';
  const first = world.plan(id)?.prefill.workerId ?? '';
  expect(heldBy(world, first)).toBe(0);
  world.report(planId, 'first_token');
  expect(heldBy(world, first)).toBe(4);
  world.report(planId, 'finished');
  for (let i = 0; i < 4; i += 1) {
    expect(served(world, keys)).toEqual([first, first, 4 * SEGMENT]);
  }
  for (const agent of world.agents) world.beat(agent);
  expect(heldBy(world, first)).toBe(4);
  // Nobody is asked for an account of a guess.
  const { workers } = world.core.view.index();
  expect(workers.map(({ sync }) => sync?.counters.mismatches)).toEqual([0, 0]);
});

test('one that failed before its prompt was computed holds nothing', () => {
  const world = new WaitingWorld([engine('a')]);
  const id = world.ask(4 * SEGMENT + 1, { segmentKeys: world.freshKeys(4) });
  world.report(world.plan(id)?.planId ?? '', 'failed');
  expect(heldBy(world, 'a')).toBe(0);
});

test('the least recently used makes room, the end of a prompt before its beginning', () => {
  const world = new WaitingWorld([engine('a', { kvCapacityBlocks: 8, maxModelTokens: 1_000 })]);
  const [one, other, third] = [world.freshKeys(3), world.freshKeys(3), world.freshKeys(3)];
  for (const keys of [one, other, one, third]) served(world, keys);
  expect(heldBy(world, 'a')).toBe(8);
  const heldOf = (keys: Uint8Array): number => {
    const id = world.ask(3 * SEGMENT + 1, { segmentKeys: keys });
    const plan = world.plan(id);
    world.report(plan?.planId ?? '', 'failed');
    return (plan?.prefill.heldTokens ?? NaN) / SEGMENT;
  };
  // By then it is forgotten what was computed a moment ago.
  world.tick(10_000);
  expect([one, other, third].map(heldOf)).toEqual([3, 2, 3]);
});

test('an engine that comes again holds nothing, whatever was under way', () => {
  const world = new WaitingWorld([engine('a')]);
  const keys = world.freshKeys(4);
  const id = world.ask(4 * SEGMENT + 1, { segmentKeys: keys });
  const [agent] = world.agents;
  if (agent === undefined) throw new Error('no agent');
  agent.restart();
  world.beat(agent);
  world.report(world.plan(id)?.planId ?? '', 'first_token');
  expect(heldBy(world, 'a')).toBe(0);
  expect(served(world, keys)).toEqual(['a', 'a', 0]);
});

test('a pair whose engines move KV themselves: both hold the prompt; one whose engines cannot is none', () => {
  const pair = (connector: string): FakeAgent[] =>
    (['prefill', 'decode'] satisfies Role[]).map((role) =>
      engine(role, { role, layout: { ...layout, connector } }),
    );
  const world = new WaitingWorld(pair('nixl'));
  // Engines move it whether or not agents can be reached.
  world.bus(false);
  const keys = world.freshKeys(6);
  expect(served(world, keys)).toEqual(['prefill', 'decode', 0]);
  expect([heldBy(world, 'prefill'), heldBy(world, 'decode')]).toEqual([6, 6]);
  expect(served(new WaitingWorld(pair('')), keys)).toEqual(['decode', 'decode', 0]);
});
