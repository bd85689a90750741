import { Tier } from '@baton/kv';
import { describe, expect, test } from 'vitest';
import { FakeAgent } from './testing/fake-agent.ts';
import { roomyAgent, WaitingWorld } from './testing/waiting-world.ts';
import type { CoreOptions } from './options.ts';

const SEGMENT = 64;

/** Workers that do both; a prompt takes 1 ms a token. */
function worldOf(workers: number, options: Partial<CoreOptions> = {}): WaitingWorld {
  const agents = Array.from({ length: workers }, (_, i) => roomyAgent(`w${i}`, 'both'));
  return new WaitingWorld(agents, options);
}

const planIdOf = (world: WaitingWorld, requestId: string): string =>
  world.plan(requestId)?.planId ?? 'none';

describe('what was promised', () => {
  test('one that cannot be in time any more is refused when that is sure, with a time to come again', () => {
    const world = worldOf(1);
    world.ask(1_000);
    const tight = world.ask(300, { ttftSloMs: 800 });
    const loose = world.ask(300, { ttftSloMs: 1_500 });
    expect(world.core.wakeAtMs(0)).toBe(500);
    world.tick(499);
    expect(world.waiting.has(tight)).toBe(true);
    world.tick(500);
    expect(world.refusal(tight)?.code).toBe('slo_unreachable');
    // What is left of the first, and the one that waits.
    expect(world.refusal(tight)?.retryAfterMs).toBe(1_000);
    world.tick(990);
    expect(world.plan(loose)).toBeDefined();
  });

  test('the time to come again is what the fleet has before it', () => {
    const world = worldOf(2);
    for (let i = 0; i < 12; i += 1) world.ask(1_000);
    const late = world.ask(900, { ttftSloMs: 950 });
    world.tick(50);
    expect(world.refusal(late)?.retryAfterMs).toBe((2 * 960 + 10 * 1_000) / 2);
  });

  test.each([
    ['wait is over', { maxWaitMs: 500 }],
    ['first token would be late', { maxWaitMs: 1e9, ttftSloMs: 600 }],
  ])('of many whose %s at once each step refuses some, and the next is due', (_, asked) => {
    const world = worldOf(1);
    world.ask(5_000);
    for (let i = 0; i < 200; i += 1) world.ask(100, asked);
    for (let left = 200; left > 0; left = Math.max(0, left - 64)) {
      expect(world.waiting.size).toBe(left);
      world.tick(502);
      expect(world.core.wakeAtMs(502)).toBe(left > 64 ? 502 : undefined);
    }
    expect(world.waiting.size).toBe(0);
  });

  test('one that would be late where there is room waits for who holds its prefix, as long as that is in time', () => {
    const world = worldOf(2, { policyParameters: { 'kv-centric': { pulls: 0 } } });
    const stem = world.freshKeys(30);
    world.delta((world.agents[0] as FakeAgent).store(Tier.DRAM, stem));
    const first = world.ask(200, { excludeWorkers: ['w1'] });
    const second = world.ask(30 * SEGMENT + 1, { segmentKeys: stem, ttftSloMs: 1_000 });
    expect(world.waiting.has(second)).toBe(true);
    world.nowMs = 210;
    world.report(planIdOf(world, first), 'first_token');
    expect(world.plan(second)?.prefill.workerId).toBe('w0');
  });

  test('only the session of a plan reports of it', () => {
    const world = worldOf(1);
    const first = world.ask(1_000, { session: 'g1' });
    const second = world.ask(500);
    world.core.step(
      {
        type: 'report',
        sessionId: 'g2',
        report: {
          ...{ planId: planIdOf(world, first), phase: 'first_token', outputTokens: 1 },
          ...{ computedTokens: 1, ttftMs: 1, code: '' },
        },
      },
      10,
    );
    world.tick(20);
    expect(world.waiting.has(second)).toBe(true);
    expect(world.core.view.plans().totals.unknownReports).toBe(1);
  });

  test('by default it is the model’s, a part for all and a part for each token that is to be computed', () => {
    const world = worldOf(1, {
      slo: { ttftBaseMs: 100, ttftPerTokenMs: 2, tbtMs: Infinity },
    });
    world.ask(1_000);
    const id = world.ask(300);
    world.tick(399);
    expect(world.waiting.has(id)).toBe(true);
    world.tick(400);
    expect(world.refusal(id)?.code).toBe('slo_unreachable');
  });

  test('what an idle fleet could not do in time is done as well as it can be', () => {
    const world = worldOf(1);
    const first = world.ask(1_000, { ttftSloMs: 10 });
    const second = world.ask(500, { ttftSloMs: 10 });
    expect(world.plan(first)).toBeDefined();
    world.tick(990);
    expect(world.plan(second)).toBeDefined();
  });
});
