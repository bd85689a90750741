import { rootKey, segmentKeys, Tier, xorKeys } from '@baton/kv';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCore, type Core } from './core.ts';
import type { Effect } from './effects.ts';
import { FakeAgent } from './testing/fake-agent.ts';
import type { CoreInput, PlanPhase } from './inputs.ts';

const chain = segmentKeys(
  rootKey({ tokenization: 'tok' }),
  Array.from({ length: 12 * 64 }, (_, i) => i),
  64,
);
const keys = (from: number, to: number): Uint8Array => chain.subarray(from * 16, to * 16);
const HELD = [Tier.HBM, Tier.DRAM];

/** A fleet whose messages may be lost, doubled or late, and a core that hears them. */
class World {
  readonly core: Core = createCore({ instanceId: 'c' });
  readonly agents = [
    new FakeAgent({ workerId: 'p1', role: 'prefill' }),
    new FakeAgent({ workerId: 'd1', role: 'decode' }),
    new FakeAgent({ workerId: 'd2', role: 'decode', maxSequences: 2 }),
  ];
  readonly plans: string[] = [];
  readonly #late: CoreInput[] = [];
  #nowMs = 0;
  #requests = 0;

  hear(input: CoreInput, fate: 'heard' | 'lost' | 'twice' | 'late' = 'heard'): void {
    if (fate === 'lost') return;
    if (fate === 'late') this.#late.push(input);
    else this.#step(input);
    if (fate === 'twice') this.#step(input);
  }

  /** What is late arrives now, newest first. */
  arrive(): void {
    for (const input of this.#late.splice(0).reverse()) this.#step(input);
  }

  pass(durationMs: number): void {
    this.#nowMs += durationMs;
    this.#step({ type: 'tick' });
  }

  plan(sessionId: string, segments: number): void {
    this.#requests += 1;
    const request = {
      requestId: `r${this.#requests}`,
      model: 'tiny',
      segmentKeys: keys(0, segments),
      promptTokens: segments * 64 + 1,
      maxOutputTokens: 10,
      excludeWorkers: [],
      traceparent: '',
    };
    this.#step({ type: 'plan', sessionId, request });
  }

  report(planId: string, sessionId: string, phase: PlanPhase): void {
    const report = { planId, phase, outputTokens: 1, computedTokens: 1, ttftMs: 1 };
    this.#step({ type: 'report', sessionId, report: { ...report, code: '' } });
  }

  /**
   * Nothing is lost any more: every agent beats until the longest pause between snapshots is over.
   */
  quiet(): void {
    this.arrive();
    for (let i = 0; i < 35; i += 1) {
      for (const agent of this.agents) this.hear({ type: 'beat', beat: agent.beat() });
      this.pass(2000);
    }
  }

  #step(input: CoreInput): void {
    for (const effect of this.core.step(input, this.#nowMs)) this.#act(effect);
  }

  #act(effect: Effect): void {
    if (effect.type === 'planReply' && effect.reply.kind === 'planned') {
      this.plans.push(effect.reply.planId);
    }
    if (effect.type !== 'requestSnapshot') return;
    const agent = this.agents.find((one) => one.facts.workerId === effect.workerId);
    for (const chunk of agent?.snapshot(effect.snapshotId, 2) ?? []) {
      this.#late.push({ type: 'snapshotChunk', chunk });
    }
    if (this.#quietSnapshots) this.arrive();
  }

  /** In a quiet world snapshots arrive before anything else happens. */
  #quietSnapshots = false;
  answerAtOnce(): void {
    this.#quietSnapshots = true;
  }
}

const beatFate = fc.constantFrom('heard', 'heard', 'lost', 'twice', 'late' as const);
/** `unsaid` is a fault of the agent: what it holds changes and no delta says so. */
const fate = fc.oneof(
  { weight: 15, arbitrary: beatFate },
  { weight: 1, arbitrary: fc.constant('unsaid' as const) },
);
const agentIndex = fc.integer({ min: 0, max: 2 });
const change = fc.record({
  do: fc.constant('change' as const),
  agent: agentIndex,
  kind: fc.constantFrom('store', 'store', 'remove', 'clear'),
  tier: fc.constantFrom(...HELD),
  from: fc.integer({ min: 0, max: 11 }),
  length: fc.integer({ min: 1, max: 5 }),
  fate,
});
const beat = fc.record({ do: fc.constant('beat' as const), agent: agentIndex, fate: beatFate });
const restart = fc.record({ do: fc.constant('restart' as const), agent: agentIndex });
const arrive = fc.record({ do: fc.constant('arrive' as const) });
const pass = fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 2000 }) });
const plan = fc.record({
  do: fc.constant('plan' as const),
  session: fc.constantFrom('g1', 'g2'),
  segments: fc.integer({ min: 0, max: 12 }),
});
const report = fc.record({
  do: fc.constant('report' as const),
  session: fc.constantFrom('g1', 'g2'),
  plan: fc.nat({ max: 20 }),
  phase: fc.constantFrom<PlanPhase>('first_token', 'progress', 'finished', 'aborted', 'failed'),
});
const close = fc.record({
  do: fc.constant('close' as const),
  session: fc.constantFrom('g1', 'g2'),
});
const event = fc.oneof(
  { weight: 12, arbitrary: change },
  { weight: 6, arbitrary: beat },
  { weight: 1, arbitrary: restart },
  { weight: 4, arbitrary: arrive },
  { weight: 2, arbitrary: pass },
  { weight: 4, arbitrary: plan },
  { weight: 4, arbitrary: report },
  { weight: 1, arbitrary: close },
);

type WorldEvent = typeof event extends fc.Arbitrary<infer T> ? T : never;

function play(world: World, item: WorldEvent): void {
  const agent = 'agent' in item ? world.agents[item.agent] : undefined;
  switch (item.do) {
    case 'change': {
      if (agent === undefined) return;
      const run = keys(item.from, Math.min(12, item.from + item.length));
      const delta =
        item.kind === 'clear'
          ? agent.clear(item.tier)
          : agent[item.kind === 'store' ? 'store' : 'remove'](item.tier, run);
      if (item.fate !== 'unsaid') return world.hear({ type: 'delta', delta }, item.fate);
      agent.seq -= 1;
      return;
    }
    case 'beat':
      return agent && world.hear({ type: 'beat', beat: agent.beat() }, item.fate);
    case 'restart':
      return agent?.restart();
    case 'arrive':
      return world.arrive();
    case 'pass':
      return world.pass(item.ms);
    case 'plan':
      return world.plan(item.session, item.segments);
    case 'report': {
      const planId = world.plans[item.plan % Math.max(1, world.plans.length)];
      return planId === undefined ? undefined : world.report(planId, item.session, item.phase);
    }
    case 'close':
      return world.hear({ type: 'sessionClosed', sessionId: item.session });
  }
}

const runs = { numRuns: 100 };

test('after quiet the index is what the agents hold, whatever was lost, doubled, late or restarted', () => {
  fc.assert(
    fc.property(fc.array(event, { minLength: 20, maxLength: 80 }), (events) => {
      const world = new World();
      for (const agent of world.agents) world.hear({ type: 'beat', beat: agent.beat() });
      for (const item of events) play(world, item);
      world.answerAtOnce();
      world.quiet();
      for (const agent of world.agents) {
        for (const tier of HELD) {
          const believed = world.core.view.heldKeys(agent.facts.workerId, 0, tier);
          const held = agent.held(tier);
          expect(believed.length).toBe(held.length);
          expect(xorKeys(believed)).toEqual(xorKeys(held));
        }
        const status = world.core.view
          .workers(0)
          .find(({ record }) => record.facts.workerId === agent.facts.workerId);
        expect(status?.sync?.synced).toBe(true);
      }
    }),
    runs,
  );
});

test('bookings are zero once every gateway is gone or silent, and never negative before', () => {
  const zero = { prefillTokens: 0, kvBlocks: 0, streams: 0 };
  fc.assert(
    fc.property(
      fc.array(event, { minLength: 20, maxLength: 80 }),
      fc.boolean(),
      (events, silently) => {
        const world = new World();
        for (const agent of world.agents) world.hear({ type: 'beat', beat: agent.beat() });
        for (const item of events) {
          play(world, item);
          for (const { ranks } of world.core.view.workers(0)) {
            for (const { booked } of ranks) {
              expect(Math.min(...Object.values(booked))).toBeGreaterThanOrEqual(0);
              expect(booked.streams).toBeLessThanOrEqual(60);
            }
          }
        }
        if (silently) world.pass(20_000);
        else {
          for (const session of ['g1', 'g2']) {
            world.hear({ type: 'sessionClosed', sessionId: session });
          }
        }
        // A request that waited may have been served by what the silence gave back.
        if (silently) world.pass(20_000);
        world.quiet();
        for (const { ranks } of world.core.view.workers(0)) {
          for (const { booked } of ranks) expect(booked).toEqual(zero);
        }
        expect(world.core.view.plans()).toMatchObject({ live: 0, waiting: 0 });
      },
    ),
    runs,
  );
});

test('equal inputs give equal effects', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 40 }), (events) => {
      const played = [new World(), new World()].map((world) => {
        for (const item of events) play(world, item);
        world.quiet();
        return [world.plans, world.core.view.lastPlans(1000)];
      });
      expect(played[0]).toEqual(played[1]);
    }),
    { numRuns: 50 },
  );
});

test('plans kept for explanation are the last ones, with what explains them', () => {
  const core = createCore({ instanceId: 'c', keptPlans: 3 });
  const agent = new FakeAgent({ workerId: 'd1', role: 'decode' });
  core.step({ type: 'beat', beat: agent.beat() }, 0);
  for (let i = 1; i <= 5; i += 1) {
    const request = {
      requestId: `r${i}`,
      model: 'tiny',
      segmentKeys: keys(0, 1),
      promptTokens: 65,
      maxOutputTokens: 1,
      excludeWorkers: [],
      traceparent: '',
    };
    core.step({ type: 'plan', sessionId: 'g1', request }, i);
    const report = { planId: `c-${i}`, outputTokens: 7, computedTokens: 65, ttftMs: 4 };
    const rest = { code: '', phase: 'finished' as const };
    core.step({ type: 'report', sessionId: 'g1', report: { ...report, ...rest } }, i + 10);
  }
  expect(core.view.lastPlans(10).map((plan) => plan.planId)).toEqual(['c-5', 'c-4', 'c-3']);
  expect(core.view.plan('c-1')).toBeUndefined();
  expect(core.view.plan('c-5')).toMatchObject({
    state: 'finished',
    ttftMs: 4,
    outputTokens: 7,
    explanation: { policy: 'kv-centric', candidates: [{ outcome: 'chosen' }] },
  });
});

test('the line is bounded: who finds it full is refused at once', () => {
  const core = createCore({ instanceId: 'c', maxWaiting: 1 });
  const agent = new FakeAgent({ workerId: 'd1', role: 'decode', maxSequences: 1 });
  core.step({ type: 'beat', beat: agent.beat() }, 0);
  const ask = (requestId: string): Effect[] => {
    const rest = { excludeWorkers: [], traceparent: '', maxOutputTokens: 1 };
    const request = {
      requestId,
      model: 'tiny',
      segmentKeys: keys(0, 0),
      promptTokens: 5,
      ...rest,
    };
    return core.step({ type: 'plan', sessionId: 'g1', request }, 1);
  };
  expect(ask('r1')).toMatchObject([{ reply: { kind: 'planned' } }]);
  expect(ask('r2')).toEqual([]);
  expect(ask('r3')).toMatchObject([{ reply: { kind: 'refused', code: 'no_capacity' } }]);
});

test.each([
  ['prompt_tokens', { promptTokens: 0 }],
  ['max_output_tokens', { maxOutputTokens: -1 }],
  ['segment_keys', { segmentKeys: keys(0, 1) }],
  ['segment_keys', { segmentKeys: new Uint8Array(17) }],
])('a request with a wrong %s is refused and the field named', (field, change) => {
  const core = createCore({ instanceId: 'c' });
  const agent = new FakeAgent({ workerId: 'd1', role: 'decode' });
  core.step({ type: 'beat', beat: agent.beat() }, 0);
  const request = {
    requestId: 'r',
    model: 'tiny',
    segmentKeys: keys(0, 2),
    promptTokens: 130,
    maxOutputTokens: 1,
    excludeWorkers: [],
    traceparent: '',
    ...change,
  };
  const [effect] = core.step({ type: 'plan', sessionId: 'g1', request }, 1);
  expect(effect).toMatchObject({ reply: { kind: 'refused', code: 'invalid_request' } });
  expect(JSON.stringify(effect)).toContain(field);
});

test('an agent that beats under an id that a newer one has taken is told of, one that has left is not', () => {
  const core = createCore({ instanceId: 'c' });
  const agent = new FakeAgent({ workerId: 'd1', role: 'decode' });
  const beat = (state: 'ready' | 'leaving'): CoreInput => ({
    type: 'beat',
    beat: agent.beat({ loads: [], state }),
  });
  const older = beat('ready');
  agent.restart();
  core.step(beat('ready'), 0);
  const refused = { type: 'workerRefused', workerId: 'd1', reason: expect.stringMatching(/newer/) };
  expect(core.step(older, 1)).toEqual([refused]);
  core.step(beat('leaving'), 2);
  expect(core.step(beat('ready'), 3)).toEqual([]);
  expect(core.step(older, 4)).toEqual([refused]);
});
