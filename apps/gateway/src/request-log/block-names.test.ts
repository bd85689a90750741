import { rootKey, segmentKeys } from '@baton/kv';
import { expect, test } from 'vitest';
import { blockNames, type BlockNames } from './block-names.ts';

const SEGMENT = 4;

interface Prompt {
  tokens: number[];
  model?: string;
  cacheSalt?: string;
}

function named(
  { tokens, model = 'm', cacheSalt }: Prompt,
  salt = 'a secret of some kind',
): BlockNames {
  const root = rootKey({ tokenization: 't', salt: cacheSalt });
  const keys = segmentKeys(root, tokens, SEGMENT);
  const prompt = { model, tokens, segmentTokens: SEGMENT, rootKey: root, segmentKeys: keys };
  return blockNames(salt, prompt);
}

const counting = (from: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => from + i);
const common = (a: number[], b: number[]): number[] => a.filter((name) => b.includes(name));

test.each([
  [1, 1],
  [4, 1],
  [5, 2],
  [11, 3],
  [4_000, 1_000],
])(
  'a prompt of %d tokens has %d blocks, each with two numbers that JSON carries',
  (count, blocks) => {
    const { prefixes, contents } = named({ tokens: counting(0, count) });
    expect([prefixes.length, contents.length]).toEqual([blocks, blocks]);
    for (const name of [...prefixes, ...contents]) {
      expect(name).toBeLessThan(2 ** 53);
      expect(Number.isSafeInteger(name)).toBe(true);
    }
    expect(new Set([...prefixes, ...contents]).size).toBe(2 * blocks);
  },
);

test('they use all of the 53 bits', () => {
  const { prefixes, contents } = named({ tokens: counting(0, 4_000) });
  for (const bit of [0, 4, 5, 20, 47, 52]) {
    const set = [...prefixes, ...contents].filter((name) => Math.floor(name / 2 ** bit) % 2 === 1);
    expect(set.length / 2_000).toBeGreaterThan(0.4);
    expect(set.length / 2_000).toBeLessThan(0.6);
  }
});

test('equal beginnings have equal names up to the block that differs, and none behind it', () => {
  const one = named({ tokens: [...counting(0, 8), 100, ...counting(9, 8)] });
  const two = named({ tokens: [...counting(0, 8), 101, ...counting(9, 8)] });
  expect(two.prefixes.slice(0, 2)).toEqual(one.prefixes.slice(0, 2));
  expect(common(one.prefixes, two.prefixes)).toHaveLength(2);
  // By content only the block that differs is another one.
  expect(two.contents.map((name, i) => name === one.contents[i])).toEqual([
    ...[true, true, false, true, true],
  ]);
});

test('the unfinished last block is named by what is before it and in it', () => {
  const name = (tokens: number[]) => named({ tokens }).prefixes.at(-1);
  expect(name([1, 2, 3, 4, 5])).toBe(name([1, 2, 3, 4, 5]));
  expect(name([1, 2, 3, 4, 5])).not.toBe(name([1, 2, 3, 4, 6]));
  expect(name([1, 2, 3, 4, 5])).not.toBe(name([1, 2, 3, 9, 5]));
  expect(name([1, 2, 3, 4, 5])).not.toBe(name([1, 2, 3, 4, 5, 6]));
  expect(name([5])).toBe(name([5]));
  expect(name([5])).not.toBe(name([0, 0, 0, 0, 5]));
});

test('requests that may not share KV share no prefix; what their blocks say stays the same', () => {
  const tokens = counting(0, 10);
  const [one, two] = [named({ tokens, cacheSalt: 'one' }), named({ tokens, cacheSalt: 'two' })];
  expect(common(one.prefixes, two.prefixes)).toEqual([]);
  expect(two.contents).toEqual(one.contents);
});

test('another model and another salt have no name in common with these', () => {
  const tokens = counting(0, 10);
  const all = (names: BlockNames) => [...names.prefixes, ...names.contents];
  const mine = all(named({ tokens }));
  expect(common(mine, all(named({ tokens, model: 'other' })))).toEqual([]);
  expect(common(mine, all(named({ tokens }, 'another secret of the kind')))).toEqual([]);
});

test('with an equal salt they are the same for ever', () => {
  expect(named({ tokens: [1, 2, 3, 4, 5] })).toEqual({
    prefixes: [7660038650247237, 6867500447244412],
    contents: [3161266635365920, 8115064099419571],
  });
});
