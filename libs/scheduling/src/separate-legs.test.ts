import { expect, test } from 'vitest';
import { Tier } from '@baton/kv';
import { MAX_EXPLAINED_CANDIDATES } from './explanation.ts';
import type { Leg, LegChoice, LegPick, LegPolicy, PlanQuery, RankView } from './policy.ts';
import { SeparateLegs } from './separate-legs.ts';
import {
  chosen,
  sampleFleet,
  sampleQuery,
  sampleRank,
  SEGMENT,
  type HeldSample,
} from './testing/fleet-sample.ts';

/** Takes the rank of this worker, or the last one, and writes down what it was asked and told. */
class Favourite implements LegPolicy {
  readonly name: string;
  readonly seen: string[] = [];
  readonly #workerId: string;
  readonly #pulled: number;

  constructor(name: string, workerId = '', pulled = 0) {
    this.name = name;
    this.#workerId = workerId;
    this.#pulled = pulled;
  }

  pick(_query: PlanQuery, leg: Leg, ranks: readonly RankView[]): LegPick {
    this.seen.push(`${leg}: ${ranks.map(({ facts }) => facts.workerId).join(' ')}`);
    const found = ranks.findIndex(({ facts }) => facts.workerId === this.#workerId);
    const index = found < 0 ? ranks.length - 1 : found;
    const pull = { sourceWorker: 'holder', firstSegment: 2, segments: this.#pulled };
    const scores = ranks.map((_rank, i) => ({
      terms: { far: Math.abs(i - index) },
      cost: Math.abs(i - index),
      pulls: this.#pulled > 0 && i === index ? [pull] : undefined,
    }));
    return { index, scores, reason: `likes ${index}` };
  }

  placed(_query: PlanQuery, { workerId }: { workerId: string }): void {
    this.seen.push(`placed ${workerId}`);
  }

  forgetWorker(workerId: string): void {
    this.seen.push(`forgot ${workerId}`);
  }
}

const query = sampleQuery({ promptTokens: 10 * SEGMENT + 5, held: { p1: 2, d1: 4 } });
const pairs = [
  sampleRank('d1', 'decode'),
  sampleRank('d2', 'decode'),
  sampleRank('p1'),
  sampleRank('p2'),
];
const foreign = { ...sampleRank('x').facts.layout, dtype: 'f32' };

test('one policy chooses who prefills, the other who decodes', () => {
  const [prefill, decode] = [new Favourite('one', 'p1'), new Favourite('other', 'd1')];
  const policy = new SeparateLegs(prefill, decode);
  const decision = policy.decide(query, sampleFleet(pairs));
  expect(policy.name).toBe('one+other');
  expect(chosen(decision)).toMatchObject({
    mode: 'disaggregated',
    prefill: { workerId: 'p1', heldSegments: 2, prefillTokens: 8 * SEGMENT + 5, kvBlocks: 11 },
    decode: { workerId: 'd1', heldSegments: 4, prefillTokens: 0, prefillMs: 0, kvBlocks: 11 },
    predictedTtftMs: (8 * SEGMENT + 5) / 2,
  });
  expect([prefill.seen, decode.seen]).toEqual([['prefill: p1 p2'], ['decode: d1 d2']]);
  expect(decision.explanation).toMatchObject({
    reasons: ['prefill: likes 0', 'decode: likes 0'],
    matchedTokens: 4 * SEGMENT,
    considered: 4,
  });
});

test('the queue of the prefill rank and what is pulled there count in the prediction', () => {
  const ranks = pairs.map((rank) => ({ ...rank, queueMs: 70 }));
  const choice = chosen(
    new SeparateLegs(new Favourite('a', 'p1', 3), new Favourite('b')).decide(
      query,
      sampleFleet(ranks),
    ),
  );
  expect(choice.pulls).toEqual([{ sourceWorker: 'holder', firstSegment: 2, segments: 3 }]);
  expect(choice.prefill).toMatchObject({ heldSegments: 2, prefillTokens: 5 * SEGMENT + 5 });
  expect(choice.predictedTtftMs).toBe(70 + (5 * SEGMENT + 5) / 2);
});

test('what a worker has below its memory its engine loads, unless a pull takes its place', () => {
  const held: HeldSample[] = [
    ['p1', Tier.HBM, 2],
    ['p1', Tier.SSD, 7],
  ];
  const both = sampleQuery({ promptTokens: 10 * SEGMENT + 5, held });
  const prefillOf = (pulled: number): LegChoice =>
    chosen(
      new SeparateLegs(new Favourite('a', 'p1', pulled), new Favourite('b')).decide(
        both,
        sampleFleet(pairs),
      ),
    ).prefill;
  const tokens = 3 * SEGMENT + 5;
  expect(prefillOf(0)).toMatchObject({
    ...{ heldSegments: 7, loadedSegments: 5 },
    ...{ prefillTokens: tokens, prefillMs: tokens / 2 },
  });
  expect(prefillOf(3)).toMatchObject({ heldSegments: 2, loadedSegments: 0 });
});

test.each([
  ['was excluded', { excluded: new Set(['p1']) }, {}],
  ['is draining', {}, { state: 'draining' as const }],
  ['has another layout', {}, { facts: { layout: foreign } }],
])('where the only prefill worker %s, one that is both serves alone', (_, asked, changes) => {
  const ranks = [
    sampleRank('b', 'both'),
    sampleRank('d', 'decode'),
    sampleRank('p1', 'prefill', changes),
  ];
  const alone = new Favourite('one', 'b');
  const decision = new SeparateLegs(alone, alone).decide(
    { ...query, ...asked },
    sampleFleet(ranks),
  );
  expect(chosen(decision)).toMatchObject({ mode: 'aggregated', prefill: { workerId: 'b' } });
});

test('one that is both serves alone, and only where there is no pair', () => {
  const both = [sampleRank('w1', 'both'), sampleRank('w2', 'both')];
  const alone = new Favourite('one', 'w1');
  const choice = chosen(new SeparateLegs(alone, alone).decide(query, sampleFleet(both)));
  expect(choice).toMatchObject({ mode: 'aggregated', prefill: { workerId: 'w1', kvBlocks: 11 } });
  expect(choice.decode).toEqual(choice.prefill);
  const mixed = new Favourite('one');
  const pair = chosen(
    new SeparateLegs(mixed, mixed).decide(query, sampleFleet([...both, ...pairs])),
  );
  expect(pair).toMatchObject({ mode: 'disaggregated', prefill: { workerId: 'p2' } });
});

test('while the prefill workers are busy nobody else takes their place', () => {
  const ranks = pairs.map((rank) => ({ ...rank, hasRoom: rank.facts.role === 'decode' }));
  const policy = new SeparateLegs(new Favourite('a'), new Favourite('b'));
  expect(policy.decide(query, sampleFleet(ranks))).toMatchObject({
    kind: 'none',
    code: 'no_capacity',
    explanation: { ineligible: [{ workerId: 'p1' }, { workerId: 'p2' }] },
  });
});

test('when nothing can be moved, or the prefill workers are gone, those that decode serve alone', () => {
  const policy = new SeparateLegs(new Favourite('a', 'd2'), new Favourite('b'));
  const still = sampleFleet(pairs, { transfersPossible: false });
  expect(chosen(policy.decide(query, still))).toMatchObject({ mode: 'aggregated' });
  const left = sampleFleet(pairs.slice(0, 2));
  expect(chosen(policy.decide(query, left))).toMatchObject({ decode: { workerId: 'd2' } });
});

test('only those are offered that have somebody to give KV to, or can take it', () => {
  const [prefill, decode] = [new Favourite('a'), new Favourite('b')];
  const ranks = [
    sampleRank('d1', 'decode', { facts: { layout: foreign } }),
    sampleRank('d2', 'decode'),
    sampleRank('p1'),
    sampleRank('p2', 'prefill', { facts: { layout: { ...foreign, dtype: 'f64' } } }),
  ];
  const { explanation } = new SeparateLegs(prefill, decode).decide(query, sampleFleet(ranks));
  expect([prefill.seen, decode.seen]).toEqual([['prefill: p1'], ['decode: d2']]);
  const reason = 'KV cannot come from p1: dtype differs';
  expect(explanation.ineligible).toEqual([{ workerId: 'd1', reason }]);
});

test('nobody: no worker where there is none, no capacity where there is none left', () => {
  const policy = new SeparateLegs(new Favourite('a'), new Favourite('a'));
  expect(policy.decide(query, sampleFleet([sampleRank('p1')]))).toMatchObject({
    code: 'no_worker',
  });
  expect(policy.decide(query, sampleFleet([]))).toMatchObject({ code: 'no_worker' });
  const full = sampleRank('w', 'both', { load: { kvBlocks: 512 } });
  expect(policy.decide(query, sampleFleet([full]))).toMatchObject({ code: 'no_capacity' });
});

test('both policies are told what is carried out, each of its own leg, and who is gone', () => {
  const [prefill, decode] = [new Favourite('a', 'p1'), new Favourite('b', 'd1')];
  const policy = new SeparateLegs(prefill, decode);
  policy.placed(query, chosen(policy.decide(query, sampleFleet(pairs))));
  const alone = chosen(policy.decide(query, sampleFleet([sampleRank('w', 'both')])));
  policy.placed(query, alone);
  policy.forgetWorker('p1');
  expect(prefill.seen).toEqual([
    'prefill: p1 p2',
    'placed p1',
    'whole: w',
    'placed w',
    'forgot p1',
  ]);
  expect(decode.seen).toEqual(['decode: d1 d2', 'placed d1', 'forgot p1']);
});

test('the explanation has the chosen one first, then by cost, and is cut', () => {
  const many = Array.from({ length: 30 }, (_, i) => sampleRank(`w${i}`, 'both'));
  const policy = new SeparateLegs(new Favourite('a', 'w7'), new Favourite('a'));
  const { explanation } = policy.decide(query, sampleFleet(many));
  expect(explanation.considered).toBe(30);
  expect(explanation.candidates).toHaveLength(MAX_EXPLAINED_CANDIDATES);
  const costs = explanation.candidates.map(({ cost }) => cost);
  expect(costs).toEqual([...costs].sort((a, b) => a - b));
  expect(explanation.candidates[0]).toMatchObject({ decodeWorker: 'w7', outcome: 'chosen' });
  expect(explanation.candidates[1]).toMatchObject({ outcome: 'behind', terms: { far: 1 } });
});

test('the estimate is what the best rank would compute, what it holds or will hold left out', () => {
  const policy = new SeparateLegs(new Favourite('a'), new Favourite('a'));
  const fleet = sampleFleet(pairs);
  expect(policy.estimateMs(query, fleet)).toBe((8 * SEGMENT + 5) / 2);
  const coming = [{ planId: 'c-1', workerId: 'p2', rank: 0, segments: 9, readyInMs: 4 }];
  expect(policy.estimateMs({ ...query, coming }, fleet)).toBe((SEGMENT + 5) / 2);
  const busy = sampleFleet(pairs.map((rank) => ({ ...rank, hasRoom: false })));
  expect(policy.estimateMs(query, busy)).toBe((8 * SEGMENT + 5) / 2);
  expect(policy.estimateMs(query, busy, true)).toBe(Infinity);
});

test('a pick that was not offered is a fault', () => {
  const wrong: LegPolicy = { name: 'wrong', pick: () => ({ index: 9, scores: [] }) };
  const policy = new SeparateLegs(wrong, wrong);
  expect(() => policy.decide(query, sampleFleet(pairs))).toThrow(/picked number 9 of 2/);
});
