import { sampleFacts } from '@baton/cluster';
import { expect, test } from 'vitest';
import { FakeAgent } from './testing/fake-agent.ts';
import { WaitingWorld } from './testing/waiting-world.ts';

const { layout } = sampleFacts();
const limits = { kvCapacityBlocks: 100_000, maxSequences: 1_000, maxModelTokens: 1e6 };

test.each(['modelRevision', 'connectorVersion', 'dtype'] as const)(
  'workers of two kinds of %s serve one model side by side, and KV never goes from one kind to the other',
  (field) => {
    const pairOf = (kind: string): FakeAgent[] =>
      (['prefill', 'decode'] as const).map(
        (role) =>
          new FakeAgent({
            ...{ workerId: `${kind}-${role}`, role, ...limits },
            layout: { ...layout, [field]: kind },
          }),
      );
    const world = new WaitingWorld([...pairOf('old'), ...pairOf('new')]);
    const prompt = world.freshKeys(10);
    const pairs = new Set<string>();
    for (let i = 0; i < 12; i += 1) {
      // Some have a beginning that one kind holds already.
      const plan = world.plan(world.ask(641, i % 2 === 0 ? { segmentKeys: prompt } : {}));
      if (plan === undefined) throw new Error('every request is planned');
      pairs.add(`${plan.prefill.workerId} → ${plan.decode.workerId}`);
      for (const phase of ['prefilled', 'first_token'] as const) world.report(plan.planId, phase);
    }
    expect([...pairs].sort()).toEqual(['new-prefill → new-decode', 'old-prefill → old-decode']);
    const orders = world.core.view.workers(world.nowMs).flatMap(({ transfers }) => transfers);
    expect(orders.length).toBeGreaterThan(0);
    for (const { sourceWorker, destinationWorker } of orders) {
      expect(sourceWorker.slice(0, 3)).toBe(destinationWorker.slice(0, 3));
    }
  },
);
