import { expect, test } from 'vitest';
import { roomyAgent, WaitingWorld } from './testing/waiting-world.ts';

test('a prefill worker is needed until decode has given a token, a decode worker until the end', () => {
  const world = new WaitingWorld([roomyAgent('p', 'prefill'), roomyAgent('d', 'decode')]);
  const planId = world.plan(world.ask(640))?.planId ?? '';
  const needed = (): number[] => ['p', 'd', 'x'].map((worker) => world.core.view.using(worker));
  const seen = [needed()];
  for (const phase of ['prefilled', 'first_token', 'progress', 'finished'] as const) {
    world.report(planId, phase);
    seen.push(needed());
  }
  expect(seen).toEqual([
    [1, 1, 0],
    [1, 1, 0],
    [0, 1, 0],
    [0, 1, 0],
    [0, 0, 0],
  ]);
});

test('one that does it all is needed once', () => {
  const world = new WaitingWorld([roomyAgent('w', 'both')]);
  const planId = world.plan(world.ask(640))?.planId ?? '';
  expect(world.core.view.using('w')).toBe(1);
  world.report(planId, 'failed');
  expect(world.core.view.using('w')).toBe(0);
});
