import type { RankLoad } from '@baton/cluster';
import { expect, test } from 'vitest';
import { plannedLeg } from './planned-leg.ts';
import { roomyAgent } from './testing/waiting-world.ts';

const choice = {
  ...{ workerId: 'w', rank: 1, heldSegments: 2, loadedSegments: 0, adapterMs: 0 },
  ...{ prefillTokens: 0, prefillMs: 0, kvBlocks: 0 },
};
const facts = roomyAgent('w', 'both').beat().worker;
const epoch = { startedAtMs: 5, nonce: 1 };
const load = (rank: number) => ({ rank }) as RankLoad;

test('a rank is named where there are several, and only there', () => {
  const several = plannedLeg(choice, 64, { facts, loads: [load(0), load(1)], epoch });
  expect(several.epoch).toEqual(epoch);
  expect(several).toMatchObject({ workerId: 'w', heldTokens: 128, rank: 1, engine: facts.engine });
  expect(
    plannedLeg({ ...choice, rank: 0 }, 64, { facts, loads: [load(0)], epoch }).rank,
  ).toBeUndefined();
  expect(plannedLeg(choice, 64, { facts, loads: [], epoch }).rank).toBeUndefined();
});

test('of a worker that is gone its id is left', () => {
  expect(plannedLeg(choice, 64, undefined)).toMatchObject({ workerId: 'w', engineUrl: '' });
});
