import { queueOrders } from '@baton/scheduling';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PlanPhase } from './inputs.ts';
import { defaultCoreOptions, type CoreOptions } from './options.ts';
import { roomyAgent, WaitingWorld } from './testing/waiting-world.ts';

const { dispatchAheadMs } = defaultCoreOptions;
const unbounded = { waitBoundMs: 1e9, maxWaitMs: 1e9 };

const ask = fc.record({
  do: fc.constant('ask' as const),
  tokens: fc.integer({ min: 1, max: 600 }),
  session: fc.constantFrom('g1', 'g2'),
  tenant: fc.constantFrom('', 'a', 'b'),
  priority: fc.constantFrom(5, 5, 0),
  exclude: fc.constantFrom('', '', '', 'w0', 'w1'),
  ttftSloMs: fc.constantFrom(undefined, undefined, 1_500),
});
const report = fc.record({
  do: fc.constant('report' as const),
  which: fc.nat(30),
  phase: fc.constantFrom<PlanPhase>('first_token', 'first_token', 'finished', 'failed'),
});
const event = fc.oneof(
  { weight: 10, arbitrary: ask },
  { weight: 6, arbitrary: report },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('pass' as const),
      ms: fc.integer({ min: 1, max: 400 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('beat' as const), which: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('leave' as const), which: fc.nat(2) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('close' as const),
      session: fc.constantFrom('g1', 'g2'),
    }),
  },
);
type WorldEvent = typeof event extends fc.Arbitrary<infer T> ? T : never;

function play(world: WaitingWorld, left: Set<string>, item: WorldEvent): void {
  const agent = 'which' in item ? world.agents[item.which] : undefined;
  switch (item.do) {
    case 'ask': {
      const { tokens, exclude, session, tenant, priority, ttftSloMs } = item;
      const asked = { session, tenant, priority, ttftSloMs };
      world.ask(tokens, { ...asked, excludeWorkers: exclude === '' ? [] : [exclude] });
      return;
    }
    case 'report': {
      const plans = [...world.computing];
      const planId = plans[item.which % Math.max(1, plans.length)];
      return planId === undefined ? undefined : world.report(planId, item.phase);
    }
    case 'pass':
      return world.tick(world.nowMs + item.ms);
    case 'beat':
      if (agent === undefined) return;
      left.delete(agent.facts.workerId);
      return world.beat(agent);
    case 'leave':
      if (agent === undefined || left.has(agent.facts.workerId)) return;
      left.add(agent.facts.workerId);
      return world.leave(agent);
    case 'close':
      return world.close(item.session);
  }
}

/** Who waits although a worker that could take it has room. */
function keptWaiting(world: WaitingWorld, left: ReadonlySet<string>): string[] {
  const workers = world.agents
    .filter(({ facts }) => facts.role !== 'decode' && !left.has(facts.workerId))
    .map(({ facts }) => facts.workerId)
    .filter((workerId) => world.queueMs(workerId) <= dispatchAheadMs - 1e-6);
  const waiting = [...world.waiting.values()];
  // There is more to look at than one step does.
  if (world.core.wakeAtMs(world.nowMs) === world.nowMs) return [];
  return waiting.flatMap(({ requestId, excludeWorkers }) =>
    workers.filter((id) => !excludeWorkers.includes(id)).map((id) => `${requestId} for ${id}`),
  );
}

describe.each(['prefill', 'both'] as const)('a fleet of workers for %s', (role) => {
  const agents = () => [
    roomyAgent('w0', role),
    roomyAgent('w1', role),
    roomyAgent('w2', role),
    ...(role === 'prefill' ? [roomyAgent('d', 'decode')] : []),
  ];

  test.each<Partial<CoreOptions>>([
    ...queueOrders.map((queue) => ({ queue })),
    { policy: 'round-robin' },
    { policy: 'least-tokens', queue: 'fcfs' },
  ])('nothing waits while an eligible worker is idle: %o', (options) => {
    fc.assert(
      fc.property(fc.array(event, { minLength: 20, maxLength: 80 }), (events) => {
        const world = new WaitingWorld(agents(), { ...unbounded, ...options });
        const left = new Set<string>();
        for (const item of events) {
          play(world, left, item);
          expect(keptWaiting(world, left)).toEqual([]);
          expect(world.core.view.plans().waiting).toBe(world.waiting.size);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('whatever happens, in the end nobody waits and nothing is booked', () => {
    fc.assert(
      fc.property(fc.array(event, { minLength: 20, maxLength: 80 }), (events) => {
        const world = new WaitingWorld(agents(), unbounded);
        const left = new Set<string>();
        for (const item of events) play(world, left, item);
        for (const agent of world.agents) world.beat(agent);
        for (let i = 0; world.computing.size > 0 || world.waiting.size > 0; i += 1) {
          expect(i).toBeLessThan(1_000);
          for (const planId of world.computing) world.report(planId, 'finished');
          world.tick(world.nowMs + 50);
        }
        for (const session of ['g1', 'g2']) world.close(session);
        for (const { ranks } of world.core.view.workers(world.nowMs)) {
          for (const { booked } of ranks) {
            expect(booked).toEqual({ prefillTokens: 0, kvBlocks: 0, streams: 0 });
          }
        }
        expect(world.core.view.plans()).toMatchObject({ live: 0, waiting: 0 });
      }),
      { numRuns: 60 },
    );
  });
});

test('a tick at the time that was said plans the next, and no engine stands still while somebody waits', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 30, max: 900 }), { minLength: 1, maxLength: 25 }),
      fc.integer({ min: 1, max: 3 }),
      fc.double({ min: 0, max: 1e9, noNaN: true }),
      (prompts, count, startMs) => {
        const agents = Array.from({ length: count }, (_, i) => roomyAgent(`w${i}`, 'both'));
        const world = new WaitingWorld(agents, unbounded);
        world.tick(startMs);
        for (const tokens of prompts) world.ask(tokens);
        while (world.waiting.size > 0) {
          const waiting = world.waiting.size;
          const wakeAtMs = world.core.wakeAtMs(world.nowMs) ?? Infinity;
          const [planId, endMs] = world.nextEnd();
          // The way to the engine is shorter than what is left when the next is planned.
          expect(wakeAtMs).toBeGreaterThan(world.nowMs);
          expect(Math.min(wakeAtMs, endMs)).toBeLessThan(Infinity);
          if (endMs <= wakeAtMs) {
            world.nowMs = endMs;
            world.report(planId, 'first_token');
            const stillWaiting = world.waiting.size > 0;
            for (const { facts } of stillWaiting ? agents : []) {
              expect(world.queueMs(facts.workerId)).toBeGreaterThan(dispatchAheadMs);
            }
          } else {
            world.tick(wakeAtMs);
            expect(world.waiting.size).toBeLessThan(waiting);
          }
        }
        expect(world.core.wakeAtMs(world.nowMs)).toBeUndefined();
      },
    ),
    { numRuns: 200 },
  );
});
