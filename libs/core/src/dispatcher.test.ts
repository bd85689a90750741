import { KEY_BYTES, Tier } from '@baton/kv';
import { queueOrders } from '@baton/scheduling';
import { describe, expect, test } from 'vitest';
import { roomyAgent, WaitingWorld } from './testing/waiting-world.ts';
import { FakeAgent } from './testing/fake-agent.ts';
import type { CoreOptions } from './options.ts';

const SEGMENT = 64;

/** Workers that prefill and decode; prompts cost 1 ms a token. */
function worldOf(workers: number, options: Partial<CoreOptions> = {}): WaitingWorld {
  const agents = Array.from({ length: workers }, (_, i) => roomyAgent(`w${i}`, 'both'));
  return new WaitingWorld(agents, options);
}

/** Two prompts that share so many segments and then go their own ways. */
function siblingKeys(world: WaitingWorld, shared: number, own: number): Uint8Array[] {
  const stem = world.freshKeys(shared);
  return [0, 1, 2].map(() => {
    const keys = new Uint8Array((shared + own) * KEY_BYTES);
    keys.set(stem);
    keys.set(world.freshKeys(own), shared * KEY_BYTES);
    return keys;
  });
}

const planIdOf = (world: WaitingWorld, requestId: string): string =>
  world.plan(requestId)?.planId ?? 'none';

describe('when a request is bound to a worker', () => {
  test('the next as soon as the one before is nearly done, the shortest first', () => {
    const world = worldOf(1);
    const [first, long, short] = [world.ask(1_000), world.ask(500), world.ask(200)];
    expect([world.plan(first) !== undefined, world.waiting.size]).toEqual([true, 2]);
    expect(world.core.wakeAtMs(0)).toBe(990);
    world.tick(989);
    expect(world.waiting.size).toBe(2);
    world.tick(990);
    expect([...world.waiting.keys()]).toEqual([long]);
    expect(world.plan(short)).toBeDefined();
  });

  test('a worker of which nothing is known is given work at once, until something is measured', () => {
    const world = new WaitingWorld([roomyAgent('w0', 'both')], {}, 0);
    const [first, second] = [world.ask(1_000), world.ask(1_000)];
    expect(world.waiting.size).toBe(0);
    world.nowMs = 500;
    world.report(planIdOf(world, first), 'first_token');
    const third = world.ask(1_000);
    expect(world.waiting.has(third)).toBe(true);
    world.nowMs = 1_000;
    world.report(planIdOf(world, second), 'first_token');
    expect(world.waiting.size).toBe(0);
  });

  test('a prompt that is computed makes room, though the first token is decode’s to give', () => {
    const agents = [roomyAgent('p', 'prefill'), roomyAgent('d', 'decode')];
    const world = new WaitingWorld(agents);
    const [first, second] = [world.ask(1_000), world.ask(1_000)];
    world.nowMs = 600;
    world.report(planIdOf(world, first), 'prefilled');
    expect(world.plan(second)?.prefill.workerId).toBe('p');
    const booked = (): unknown[] =>
      world.core.view.workers(world.nowMs).map(({ ranks }) => ranks[0]?.booked.streams);
    expect(booked()).toEqual([2, 1]);
    world.report(planIdOf(world, first), 'first_token');
    expect(booked()).toEqual([2, 1]);
    expect(world.core.view.prefillCosts()[0]?.observations).toBe(1);
    for (const id of [first, second]) world.report(planIdOf(world, id), 'finished');
    expect(booked()).toEqual([0, 0]);
  });

  test('bound at once, it waits in the engine', () => {
    const world = worldOf(1, { queue: 'immediate' });
    for (let i = 0; i < 5; i += 1) world.ask(1_000);
    expect(world.waiting.size).toBe(0);
    expect(world.core.wakeAtMs(0)).toBeUndefined();
  });

  test('what an engine computes for others is load, too', () => {
    const world = worldOf(2);
    const [one, other] = world.agents as [FakeAgent, FakeAgent];
    world.beat(one, 5_000);
    const first = world.ask(300);
    expect(world.plan(first)?.prefill.workerId).toBe('w1');
    world.beat(other, 5_000);
    world.nowMs = 400;
    world.report(planIdOf(world, first), 'first_token');
    world.beat(other, 5_000);
    const second = world.ask(300);
    expect(world.waiting.has(second)).toBe(true);
    world.beat(one, 0);
    expect(world.plan(second)?.prefill.workerId).toBe('w0');
  });

  test('one whose KV has no room at decode keeps nobody waiting', () => {
    const prefill = [roomyAgent('p0', 'prefill'), roomyAgent('p1', 'prefill')];
    const decode = new FakeAgent({ workerId: 'd', role: 'decode', kvCapacityBlocks: 20 });
    const world = new WaitingWorld([...prefill, decode]);
    const running = world.ask(8 * SEGMENT);
    const big = world.ask(18 * SEGMENT, { priority: 0 });
    const small = world.ask(5 * SEGMENT);
    expect([world.waiting.has(big), world.waiting.has(small)]).toEqual([true, false]);
    for (const id of [running, small]) world.report(planIdOf(world, id), 'finished');
    expect(world.plan(big)).toBeDefined();
  });

  test.each(queueOrders)('%s: one who cannot use the idle worker keeps nobody waiting', (queue) => {
    const world = worldOf(2, { queue });
    const [first, second] = [world.ask(900), world.ask(300)];
    const choosy = world.ask(100, { excludeWorkers: ['w1'], priority: 0, tenant: 'a' });
    const free = world.ask(300);
    world.nowMs = 310;
    world.report(planIdOf(world, second), 'first_token');
    expect(world.plan(first)?.prefill.workerId).toBe('w0');
    expect([world.waiting.has(choosy), world.waiting.has(free)]).toEqual([true, false]);
    world.nowMs = 910;
    world.report(planIdOf(world, first), 'first_token');
    expect(world.plan(choosy)?.prefill.workerId).toBe('w0');
  });

  test('one that is kept from its room beyond the bound of its wait is overtaken by nobody', () => {
    const prefill = [roomyAgent('p0', 'prefill'), roomyAgent('p1', 'prefill')];
    const decode = new FakeAgent({ workerId: 'd', role: 'decode', kvCapacityBlocks: 20 });
    const world = new WaitingWorld([...prefill, decode], { waitBoundMs: 2_000 });
    const running = world.ask(8 * SEGMENT);
    const big = world.ask(18 * SEGMENT);
    world.tick(2_500);
    const small = world.ask(2 * SEGMENT);
    expect([world.waiting.has(big), world.waiting.has(small)]).toEqual([true, true]);
    world.report(planIdOf(world, running), 'finished');
    expect(world.plan(big)).toBeDefined();
  });

  test('many for whom decode has no room do not hold up one for whom it has', () => {
    const prefill = roomyAgent('p', 'prefill');
    const decode = new FakeAgent({ workerId: 'd', role: 'decode', kvCapacityBlocks: 20 });
    const world = new WaitingWorld([prefill, decode], { waitBoundMs: 1e9 });
    const stem = world.freshKeys(18);
    world.delta(prefill.store(Tier.HBM, stem));
    world.ask(8 * SEGMENT);
    // Nearly all of their prompts is held: by the order they are first.
    for (let i = 0; i < 40; i += 1) world.ask(18 * SEGMENT + 1, { segmentKeys: stem });
    const small = world.ask(3 * SEGMENT);
    world.tick(520);
    for (let i = 0; i < 8 && world.waiting.has(small); i += 1) {
      expect(world.core.wakeAtMs(520)).toBe(520);
      world.tick(520);
    }
    expect(world.plan(small)).toBeDefined();
    expect(world.waiting.size).toBe(40);
  });

  test('of a fleet without prefill workers those that decode compute in the same order', () => {
    const world = new WaitingWorld([roomyAgent('d', 'decode')]);
    world.ask(1_000);
    const [long, short] = [world.ask(500), world.ask(200)];
    world.tick(990);
    expect([world.waiting.has(long), world.waiting.has(short)]).toEqual([true, false]);
  });
});

describe('who does not wait', () => {
  test('one that wants no wait is refused at once, or served at once', () => {
    const world = worldOf(1);
    expect(world.plan(world.ask(300, { maxWaitMs: 0 }))).toBeDefined();
    expect(world.refusal(world.ask(300, { maxWaitMs: 0 }))?.code).toBe('no_capacity');
    expect(world.waiting.size).toBe(0);
  });

  test('one that no worker may serve is refused at once, also while others wait, and changes nothing for them', () => {
    const world = worldOf(1);
    world.ask(1_000);
    const waiting = world.ask(100, { ttftSloMs: 2_000 });
    const nobody = world.ask(2_000, { excludeWorkers: ['w0'] });
    expect(world.refusal(nobody)?.code).toBe('no_worker');
    world.tick(1_950);
    expect(world.waiting.has(waiting)).toBe(false);
  });

  test('one whose gateway is gone waits for nothing, and keeps nobody waiting', () => {
    const world = worldOf(1);
    world.ask(1_000);
    world.ask(200, { session: 'g2' });
    const other = world.ask(300);
    world.close('g2');
    expect([...world.waiting.keys()]).toEqual([other]);
    expect(world.core.view.plans().waiting).toBe(1);
    world.tick(990);
    expect(world.plan(other)).toBeDefined();
  });
});

describe('siblings of a prompt that is being computed', () => {
  const started = (options: Partial<CoreOptions> = {}, workers = 2) => {
    const world = worldOf(workers, options);
    const [a, b, c] = siblingKeys(world, 20, 1) as [Uint8Array, Uint8Array, Uint8Array];
    const first = world.ask(21 * SEGMENT, { segmentKeys: a });
    const sibling = world.ask(21 * SEGMENT, { segmentKeys: b });
    return { world, keys: { a, b, c }, first, sibling };
  };

  test('one waits for the prefix although another worker is idle, and that worker takes others', () => {
    const { world, sibling } = started();
    expect(world.waiting.has(sibling)).toBe(true);
    expect(world.plan(world.ask(500))?.prefill.workerId).toBe('w1');
  });

  test('it is planned where the prefix is as soon as that is there', () => {
    const { world, keys, first, sibling } = started();
    const [agent] = world.agents as [FakeAgent];
    world.nowMs = 21 * SEGMENT;
    const delta = agent.store(Tier.HBM, keys.a);
    world.delta(delta);
    world.report(planIdOf(world, first), 'first_token');
    expect(world.plan(sibling)).toMatchObject({ prefill: { workerId: 'w0' } });
    expect(world.plan(sibling)?.prefill.heldTokens).toBe(20 * SEGMENT);
  });

  test('the prefix counts before its events have come', () => {
    const { world, first, sibling } = started();
    world.nowMs = 21 * SEGMENT;
    world.report(planIdOf(world, first), 'first_token');
    expect(world.plan(sibling)?.prefill).toMatchObject({
      workerId: 'w0',
      heldTokens: 20 * SEGMENT,
    });
  });

  test('without a report it is looked at again when the prefix was to be there', () => {
    const { world, sibling } = started();
    const wakeAtMs = world.core.wakeAtMs(0) as number;
    expect(wakeAtMs).toBeGreaterThan(19 * SEGMENT);
    world.tick(wakeAtMs);
    world.tick(21 * SEGMENT);
    expect(world.plan(sibling)).toBeDefined();
  });

  test.each<[string, (world: WaitingWorld, planId: string) => void]>([
    ['fails', (world, planId) => world.report(planId, 'failed')],
    ['is aborted', (world, planId) => world.report(planId, 'aborted')],
    ['has lost its worker', (world) => world.leave(world.agents[0] as FakeAgent)],
  ])('when its plan %s they are planned at once', (_, happen) => {
    const { world, first, sibling } = started();
    world.nowMs = 100;
    happen(world, planIdOf(world, first));
    expect(world.plan(sibling)).toBeDefined();
  });

  test('when the gateway of its plan is gone, or silent, they are planned at once', () => {
    for (const isSilent of [false, true]) {
      const world = worldOf(2, { planLeaseMs: 300 });
      const [a, b] = siblingKeys(world, 20, 1) as [Uint8Array, Uint8Array];
      world.ask(21 * SEGMENT, { segmentKeys: a, session: 'g2' });
      const sibling = world.ask(21 * SEGMENT, { segmentKeys: b });
      expect(world.waiting.has(sibling)).toBe(true);
      if (isSilent) world.tick(300);
      else world.close('g2');
      expect(world.plan(sibling)).toBeDefined();
    }
  });

  test('many of them do not keep the worker from one that shares nothing', () => {
    const world = worldOf(2);
    const stem = world.freshKeys(20);
    world.ask(20 * SEGMENT + 1, { segmentKeys: stem });
    for (let i = 0; i < 40; i += 1) world.ask(20 * SEGMENT + 1, { segmentKeys: stem });
    expect(world.waiting.size).toBe(40);
    const other = world.ask(30 * SEGMENT);
    expect(world.plan(other)?.prefill.workerId).toBe('w1');
  });

  test('more of them than one step looks at are looked at in the next, which is due at once', () => {
    const world = worldOf(2, { waitBoundMs: 1e9 });
    const stem = world.freshKeys(20);
    world.ask(20 * SEGMENT + 1, { segmentKeys: stem });
    world.ask(100);
    for (let i = 0; i < 100; i += 1) world.ask(20 * SEGMENT + 1, { segmentKeys: stem });
    const other = world.ask(30 * SEGMENT);
    world.tick(90);
    for (let i = 0; i < 4 && world.waiting.has(other); i += 1) {
      expect(world.core.wakeAtMs(90)).toBe(90);
      world.tick(90);
    }
    expect(world.plan(other)?.prefill.workerId).toBe('w1');
    expect(world.core.wakeAtMs(90)).toBeGreaterThan(90);
  });

  test('who finds no room is not bound to wait for a prefix that comes later than room does', () => {
    const world = worldOf(2);
    const [a, b] = siblingKeys(world, 20, 1) as [Uint8Array, Uint8Array];
    const slow = world.ask(21 * SEGMENT, { segmentKeys: a });
    const other = world.ask(4_990);
    // The one with the prefix is late: nobody knows when it will be there.
    world.nowMs = 4_000;
    const sibling = world.ask(21 * SEGMENT, { segmentKeys: b });
    world.nowMs = 5_000;
    world.report(planIdOf(world, other), 'first_token');
    expect(world.plan(slow)?.prefill.workerId).toBe('w0');
    expect(world.plan(sibling)?.prefill.workerId).toBe('w1');
  });
});

describe('thousands who wait', () => {
  const matchesPerDecision = (waiting: number): number => {
    const agents = Array.from({ length: 4 }, (_, i) => roomyAgent(`w${i}`, 'both'));
    const world = new WaitingWorld(agents, {
      maxWaiting: 20_000,
      waitBoundMs: 1e9,
      maxWaitMs: 1e9,
    });
    for (let i = 0; i < waiting + 4; i += 1) {
      world.ask(200 + ((i * 7_919) % 2_000), { tenant: `t${i % 50}` });
    }
    expect(world.waiting.size).toBe(waiting);
    const before = world.matches;
    let planned = 0;
    while (planned < 10) {
      const [planId, endMs] = world.nextEnd();
      world.nowMs = endMs;
      const left = world.waiting.size;
      world.report(planId, 'first_token');
      planned += left - world.waiting.size;
    }
    return (world.matches - before) / planned;
  };

  test('a decision among 10,000 looks up no more prompts than one among 20', () => {
    const few = matchesPerDecision(20);
    expect(few).toBeLessThanOrEqual(12);
    expect(matchesPerDecision(10_000)).toBeLessThanOrEqual(few + 4);
  });
});

test('a worker that drains is given nothing and is no help to those who wait', () => {
  const world = worldOf(2);
  const [one] = world.agents as [FakeAgent];
  world.core.step({ type: 'beat', beat: one.beat({ state: 'draining', leaseMs: 60_000 }) }, 0);
  const [first, second] = [world.ask(500), world.ask(500)];
  expect(world.plan(first)?.prefill.workerId).toBe('w1');
  expect(world.waiting.has(second)).toBe(true);
});
