import { expect, test } from 'vitest';
import type { CoreOptions } from './options.ts';
import { roomyAgent, WaitingWorld } from './testing/waiting-world.ts';

const SLO_MS = 20;

/**
 * One prefill worker of 1,000 prompt tokens a second and one decode worker, whose steps take 10 ms and 4 ms
 * for each stream.
 */
function worldOf(options: Partial<CoreOptions> = {}): DecodingWorld {
  const slo = { ttftBaseMs: Infinity, ttftPerTokenMs: 0, tbtMs: SLO_MS };
  const world = new DecodingWorld([roomyAgent('p', 'prefill'), roomyAgent('d', 'decode')], {
    slo,
    ...options,
  });
  world.learn();
  return world;
}

class DecodingWorld extends WaitingWorld {
  /** Answers of 100 tokens with one to four streams at a time. */
  learn(): void {
    for (let round = 0; round < 60; round += 1) {
      const streams = 1 + (round % 4);
      const ids = Array.from({ length: streams }, () => this.run({ tbtSloMs: 1e9 }));
      this.pass(100 * (10 + 4 * streams));
      for (const id of ids) this.end(id, 101);
    }
  }

  /** A request whose prompt is computed at once. Returns its plan's id. */
  run(asked: Parameters<WaitingWorld['ask']>[1] = {}): string {
    const id = this.plan(this.ask(200, { maxOutputTokens: 0, ...asked }))?.planId;
    if (id === undefined) throw new Error('no room');
    this.pass(210);
    this.report(id, 'first_token');
    return id;
  }

  end(planId: string, outputTokens: number): void {
    this.report(planId, 'finished', outputTokens);
  }

  pass(ms: number): void {
    this.tick(this.nowMs + ms);
    for (const agent of this.agents) this.beat(agent);
  }
}

test('an answer waits where tokens would come slower than promised, until another has ended', () => {
  const world = worldOf();
  const first = world.run();
  world.run();
  const third = world.ask(200, { maxOutputTokens: 0 });
  expect(world.waiting.has(third)).toBe(true);
  world.end(first, 50);
  expect(world.plan(third)?.decode.workerId).toBe('d');
});

test('a request may ask for less or more than the model promises', () => {
  const world = worldOf();
  world.run();
  world.run();
  const patient = world.ask(200, { maxOutputTokens: 0, tbtSloMs: 30 });
  expect(world.plan(patient)).toBeDefined();
  world.pass(210);
  const strict = world.ask(200, { maxOutputTokens: 0, tbtSloMs: 15 });
  expect(world.waiting.has(strict)).toBe(true);
});

test('what even an idle worker could not keep is done as well as it can be', () => {
  const world = worldOf();
  const id = world.ask(200, { maxOutputTokens: 0, tbtSloMs: 1 });
  expect(world.plan(id)).toBeDefined();
});

test('who is refused in the end is told why', () => {
  const world = worldOf({ maxWaitMs: 500 });
  world.run();
  world.run();
  const third = world.ask(200, { maxOutputTokens: 0 });
  world.pass(501);
  expect(world.refusal(third)?.code).toBe('no_capacity');
  // The first answer began 711 ms ago; 101 tokens take 18 ms each beside another.
  const retryAfterMs = world.refusal(third)?.retryAfterMs ?? 0;
  expect(Math.abs(retryAfterMs - (101 * 18 - 711)) / retryAfterMs).toBeLessThan(0.2);
  const [refused] = world.core.view.lastPlans(1);
  expect(refused?.explanation?.ineligible).toContainEqual({
    workerId: 'd',
    reason: 'tokens would come slower than promised',
  });
});

test.each([
  ['predicted', false],
  ['current', true],
] as const)('answers that begin while the prompt is computed: %s load', (decodeLoad, isPlanned) => {
  const world = worldOf({ decodeLoad });
  world.ask(100, { maxOutputTokens: 0 });
  world.pass(95);
  world.ask(100, { maxOutputTokens: 0 });
  world.pass(95);
  const third = world.ask(100, { maxOutputTokens: 0 });
  expect(world.plan(third) !== undefined).toBe(isPlanned);
});

test('without a promise, and while nothing was measured, nobody is held back', () => {
  const slo = { ttftBaseMs: Infinity, ttftPerTokenMs: 0, tbtMs: Infinity };
  const unbound = worldOf({ slo });
  for (let i = 0; i < 6; i += 1) unbound.run();
  const fresh = new DecodingWorld([roomyAgent('p', 'prefill'), roomyAgent('d', 'decode')], {
    slo: { ...slo, tbtMs: 1 },
  });
  for (let i = 0; i < 6; i += 1) fresh.run();
  expect(unbound.core.view.decodeCosts()[0]?.observations).toBeGreaterThan(100);
});
