import { rootKey, segmentKeys } from '@baton/kv';
import { expect, test } from 'vitest';
import { KeptTurns, MAX_KEPT_NUMBERS, MAX_KEPT_TURNS, TURN_MS } from './kept-turns.ts';
import type { PlanLeg } from './request-plan.ts';

const SEGMENT = 4;
const epoch = { startedAtMs: 7, nonce: 1 };
const place = (salt = '', model = 'm') => ({
  ...{ model, root: rootKey({ tokenization: 't', salt }), segmentTokens: SEGMENT },
});
const leg = (workerId = 'd', of = epoch): PlanLeg => ({
  ...{ workerId, engineUrl: '', heldTokens: 0, engine: 'vllm', connector: 'nixl', blockTokens: 4 },
  ...{ meetingPoint: undefined, pairOnly: false, rank: undefined, epoch: of },
});
const run = (length: number, from = 0): number[] => Array.from({ length }, (_, i) => from + i);

function world() {
  let nowMs = 0;
  const turns = new KeptTurns(() => nowMs);
  return {
    turns,
    pass: (ms: number) => (nowMs += ms),
    keep: (tokenIds: number[], at = place(), who = leg(), blocks = 3) =>
      turns.keep(at, who, { params: { remote_block_ids: [run(blocks)] }, tokenIds }),
    find: (prompt: number[], at = place()) =>
      turns.find(at.model, segmentKeys(at.root, prompt, SEGMENT), prompt),
  };
}

test('a prompt that goes on from a turn finds it, and only such a one', () => {
  const { keep, find } = world();
  keep(run(10));
  expect(find(run(10))).toMatchObject({ workerId: 'd', epoch, tokens: 10, tail: [8, 9] });
  expect(find(run(30))?.tokens).toBe(10);
  // Not all of it, another end, another beginning, another salt, another model.
  expect(find(run(9))).toBeUndefined();
  expect(find([...run(9), 0, 1, 2])).toBeUndefined();
  expect(find([5, ...run(12, 1)])).toBeUndefined();
  expect(find(run(30), place('other'))).toBeUndefined();
  expect(find(run(30), place('', 'adapter'))).toBeUndefined();
});

test('the longest turn is found, the shorter one where the longer one does not fit', () => {
  const { keep, find } = world();
  keep(run(10));
  keep(run(21));
  expect(find(run(30))?.tokens).toBe(21);
  expect(find([...run(15), 0, 0, 0, 0, 0, 0])?.tokens).toBe(10);
});

test('it is given out once, and only for so long', () => {
  const { turns, keep, find, pass } = world();
  keep(run(10));
  const turn = find(run(12));
  if (turn === undefined) throw new Error('it was kept');
  expect(turns.take(turn)).toEqual({ remote_block_ids: [[0, 1, 2]] });
  expect([turns.take(turn), find(run(12)), turns.size]).toEqual([undefined, undefined, 0]);
  keep(run(10));
  const late = find(run(12));
  pass(TURN_MS);
  expect(find(run(12))).toBeUndefined();
  expect(late && turns.take(late)).toBeUndefined();
  expect(turns.taken).toBe(1);
});

test('what an engine kept goes with it', () => {
  const { turns, keep, find } = world();
  keep(run(10));
  keep(run(10, 50), place(), leg('e'));
  expect(turns.isKeeper(leg())).toBe(true);
  turns.keepOnly(new Set(['d']));
  expect([find(run(12))?.workerId, find(run(12, 50))]).toEqual(['d', undefined]);
  expect(turns.isKeeper(leg('e'))).toBe(false);
  const reborn = leg('d', { startedAtMs: 8, nonce: 0 });
  expect(turns.isKeeper(reborn)).toBe(false);
  keep(run(10, 70), place(), reborn);
  // It has said so itself: what it kept before is not there any more.
  expect([find(run(12)), find(run(12, 70))?.tokens]).toEqual([undefined, 10]);
});

test('what cannot be found again, or is not worth it, shows that a worker keeps turns', () => {
  const { turns, keep } = world();
  turns.keep(place(), leg(), { params: {}, tokenIds: undefined });
  keep(run(3), place(), leg('e'));
  const ageless: PlanLeg = { ...leg('f'), epoch: undefined };
  keep(run(9), place(), ageless);
  expect(turns.size).toBe(0);
  expect([leg(), leg('e'), ageless].map((one) => turns.isKeeper(one))).toEqual([true, true, false]);
});

test('the oldest give way, by number and by size', () => {
  const { turns, keep, find } = world();
  for (let i = 0; i <= MAX_KEPT_TURNS; i += 1) keep(run(4, i * 10));
  expect(turns.size).toBe(MAX_KEPT_TURNS);
  expect([find(run(5, 0)), find(run(5, 10))?.tokens]).toEqual([undefined, 4]);
  const blocks = MAX_KEPT_NUMBERS / 2;
  for (const from of [1, 2, 3]) keep(run(4, from * 1e6), place(), leg(), blocks);
  expect(turns.size).toBe(2);
  expect(find(run(5, 3e6))?.tokens).toBe(4);
});
