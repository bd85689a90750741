import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  canPair,
  decodeBlocks,
  eligibleRanks,
  leastMs,
  promptBlocks,
  RESERVED_OUTPUT_TOKENS,
  type Eligible,
} from './eligibility.ts';
import type { RankView } from './policy.ts';
import { sampleFleet, sampleQuery, sampleRank } from './testing/fleet-sample.ts';

const query = sampleQuery({ promptTokens: 640 });
const ids = (ranks: readonly RankView[]): string[] => ranks.map(({ facts }) => facts.workerId);
const shown = ({ prefill, decode, whole, hasPairs, isBusy }: Eligible) => ({
  prefill: ids(prefill),
  decode: ids(decode),
  whole: ids(whole),
  hasPairs,
  isBusy,
});
const other = { ...sampleRank('x').facts.layout, dtype: 'f32' };

describe('who may run what', () => {
  test('by role: one of both roles may prefill for others, decode, and do both', () => {
    const ranks = [sampleRank('p'), sampleRank('d', 'decode'), sampleRank('w', 'both')];
    expect(shown(eligibleRanks(query, sampleFleet(ranks)))).toEqual({
      prefill: ['p', 'w'],
      decode: ['d', 'w'],
      whole: ['d', 'w'],
      hasPairs: true,
      isBusy: false,
    });
  });

  test('one that runs legs of pairs only decodes, and never does both', () => {
    const d = sampleRank('d', 'decode');
    const ranks = [sampleRank('p'), { ...d, facts: { ...d.facts, pairOnly: true } }];
    expect(shown(eligibleRanks(query, sampleFleet(ranks)))).toEqual({
      prefill: ['p'],
      decode: ['d'],
      whole: [],
      hasPairs: true,
      isBusy: false,
    });
  });

  test('while nothing can be moved nobody prefills for another', () => {
    const ranks = [sampleRank('p'), sampleRank('d', 'decode')];
    const found = eligibleRanks(query, sampleFleet(ranks, { transfersPossible: false }));
    expect(shown(found)).toMatchObject({
      prefill: [],
      decode: ['d'],
      whole: ['d'],
      hasPairs: false,
    });
  });

  test('one without room may still decode; it is busy, not gone', () => {
    const ranks = [sampleRank('p', 'prefill', { hasRoom: false }), sampleRank('d', 'decode')];
    const found = eligibleRanks(query, sampleFleet(ranks));
    expect(shown(found)).toEqual({
      prefill: [],
      decode: ['d'],
      whole: ['d'],
      hasPairs: true,
      isBusy: true,
    });
    expect(found.ineligible).toEqual([{ workerId: 'p', reason: 'busy with prefills' }]);
    const whole = [sampleRank('w', 'both', { hasRoom: false })];
    expect(shown(eligibleRanks(query, sampleFleet(whole)))).toMatchObject({
      decode: ['w'],
      whole: [],
      isBusy: true,
    });
  });

  test.each<[string, Partial<Parameters<typeof sampleRank>[2]>, boolean]>([
    ['draining', { state: 'draining' }, false],
    ['failed for this request before', {}, false],
    ['prompt exceeds its KV cache', { facts: { kvCapacityBlocks: 9 } }, false],
    ['KV cache full', { load: { kvBlocks: 502 } }, true],
    ['all sequences taken', { load: { streams: 16 } }, true],
  ])(
    '%s: said once, however many ranks, and busy only where it passes',
    (reason, changes, isBusy) => {
      const ranks = [0, 1].map((rank) => sampleRank('w', 'both', { ...changes, rank }));
      const excluded = new Set(reason.startsWith('failed') ? ['w'] : []);
      const found = eligibleRanks({ ...query, excluded }, sampleFleet(ranks));
      expect(shown(found)).toMatchObject({ decode: [], whole: [], isBusy });
      expect(found.ineligible).toEqual([{ workerId: 'w', reason }]);
    },
  );

  test('the limits themselves are still possible', () => {
    // 640 prompt tokens and 32 of output are 11 blocks of 64.
    const changes = { load: { kvBlocks: 501, streams: 15 }, facts: { kvCapacityBlocks: 512 } };
    const exact = [sampleRank('w', 'both', changes), sampleRank('p', 'prefill')];
    expect(ids(eligibleRanks(query, sampleFleet(exact)).decode)).toEqual(['w']);
    const small = [sampleRank('w', 'both', { facts: { kvCapacityBlocks: 10 } })];
    expect(ids(eligibleRanks(query, sampleFleet(small)).whole)).toEqual(['w']);
  });

  test('a prefill worker needs no room for output', () => {
    const ranks = [sampleRank('p', 'prefill', { load: { kvBlocks: 512, streams: 16 } })];
    expect(ids(eligibleRanks(query, sampleFleet(ranks)).prefill)).toEqual(['p']);
  });

  test('those whose KV the others cannot read make no pair', () => {
    const ranks = [
      sampleRank('p', 'prefill', { facts: { layout: other } }),
      sampleRank('d', 'decode'),
      sampleRank('w', 'both'),
    ];
    const only = eligibleRanks(query, sampleFleet(ranks.slice(0, 2)));
    expect(shown(only)).toMatchObject({ prefill: ['p'], decode: ['d'], hasPairs: false });
    expect(eligibleRanks(query, sampleFleet(ranks)).hasPairs).toBe(true);
  });
});

test('ranks of one worker are no pair, whatever their layout', () => {
  const [a, b] = [sampleRank('w', 'both'), sampleRank('w', 'both', { rank: 1 })];
  expect(canPair(a, b)).toBe(false);
  expect(canPair(a, sampleRank('d', 'decode'))).toBe(true);
  expect(canPair(a, sampleRank('d', 'decode', { facts: { layout: other } }))).toBe(false);
});

test('blocks at decode: the prompt, and output up to what is reserved, never more than there are', () => {
  const rank = sampleRank('d', 'decode');
  const blocks = (promptTokens: number, maxOutputTokens: number): number =>
    decodeBlocks(sampleQuery({ promptTokens }, { maxOutputTokens }), rank);
  const reserved = RESERVED_OUTPUT_TOKENS / 64;
  expect([blocks(640, 1), blocks(640, 64), blocks(640, 65)]).toEqual([11, 11, 12]);
  expect([blocks(640, 0), blocks(640, 100_000)]).toEqual([10 + reserved, 10 + reserved]);
  expect(blocks(500 * 64, 0)).toBe(512);
  expect(promptBlocks(sampleQuery({ promptTokens: 641 }), rank)).toBe(11);
});

test('the least time is that of who prefills, of all or of those with room', () => {
  const ranks = [
    sampleRank('d', 'decode'),
    sampleRank('draining', 'prefill', { state: 'draining' }),
    sampleRank('excluded'),
    sampleRank('p', 'prefill', { hasRoom: false }),
    sampleRank('q'),
  ];
  const ms: Record<string, number> = { d: 1, draining: 1, excluded: 1, p: 5, q: 9 };
  const least = (of: readonly RankView[], isNow: boolean): number =>
    leastMs(
      { ...query, excluded: new Set(['excluded']) },
      sampleFleet(of),
      isNow,
      ({ facts }) => ms[facts.workerId] ?? 0,
    );
  expect([least(ranks, false), least(ranks, true)]).toEqual([5, 9]);
  expect(least(ranks.slice(0, 4), true)).toBe(Infinity);
  // Where nobody prefills, those that decode compute prompts as well.
  expect(least(ranks.slice(0, 3), true)).toBe(1);
  expect(least([], false)).toBe(Infinity);
});

const rankArbitrary = fc.record({
  role: fc.constantFrom('prefill', 'decode', 'both' as const),
  state: fc.constantFrom('ready', 'ready', 'draining' as const),
  hasRoom: fc.boolean(),
  kvBlocks: fc.integer({ min: 480, max: 512 }),
  streams: fc.integer({ min: 14, max: 16 }),
});

test('whatever the fleet: those who may do the whole have room and may decode; busy means that room would help', () => {
  fc.assert(
    fc.property(
      fc.array(rankArbitrary, { maxLength: 6 }),
      fc.boolean(),
      (samples, transfersPossible) => {
        const ranks = samples.map(({ role, state, hasRoom, kvBlocks, streams }, i) =>
          sampleRank(`w${i}`, role, { state, hasRoom, load: { kvBlocks, streams } }),
        );
        const fleet = sampleFleet(ranks, { transfersPossible });
        const found = eligibleRanks(query, fleet);
        expect(found.whole).toEqual(found.decode.filter(({ hasRoom }) => hasRoom));
        expect([...found.prefill, ...found.whole].every(({ hasRoom }) => hasRoom)).toBe(true);
        const emptied = ranks.map((rank) => ({
          ...rank,
          hasRoom: true,
          load: { prefillTokens: 0, kvBlocks: 0, streams: 0 },
        }));
        const idle = eligibleRanks(query, { ...fleet, ranks: emptied });
        expect(idle.isBusy).toBe(false);
        const counts = ({ prefill, decode, whole }: Eligible): number[] =>
          [prefill, decode, whole].map(({ length }) => length);
        expect(found.isBusy).toBe(counts(found).join() !== counts(idle).join());
        expect(found.hasPairs).toBe(idle.hasPairs);
      },
    ),
  );
});
