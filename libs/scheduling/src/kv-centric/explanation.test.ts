import { sampleFacts, type Role } from '@baton/cluster';
import { Tier } from '@baton/kv';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CandidateRecord } from '../policy.ts';
import {
  chosen,
  sampleFleet as fleet,
  sampleLinks as links,
  sampleQuery,
  sampleRank as rank,
  SEGMENT,
} from '../testing/fleet-sample.ts';
import { kvCentric, twoPairs, untied, weighed } from '../testing/kv-centric-sample.ts';

test('the explanation says what was considered and why others lost', () => {
  const ranks = twoPairs().map((view) =>
    view.facts.workerId === 'prefill-1' ? { ...view, queueMs: 500 } : view,
  );
  const query = sampleQuery({ promptTokens: 10 * SEGMENT });
  const { explanation } = kvCentric().decide(query, fleet(ranks));
  expect(explanation.considered).toBe(4);
  expect(explanation.candidates.map((item) => item.outcome)).toEqual([
    'chosen',
    'tied',
    'behind',
    'behind',
  ]);
  expect(explanation.candidates[2]).toMatchObject({
    prefillWorker: 'prefill-1',
    terms: { queueMs: 500 },
    lostBy: { term: 'queueMs', behind: 500 },
  });
});

// 15 streams cost 30 ms, a segment that is there saves 32 ms.
test.each([
  { queueMs: 20, held: 0, term: 'decodeLoadMs', behind: 50 },
  { queueMs: 40, held: 0, term: 'queueMs', behind: 70 },
  { queueMs: 40, held: 1, term: 'queueMs', behind: 38 },
])(
  'one that is $behind ms behind with 15 streams and a queue of $queueMs ms lost by $term',
  ({ queueMs, held, term, behind }) => {
    const ranks = [
      rank('behind', 'decode', { queueMs, load: { streams: 15 } }),
      rank('first', 'decode'),
    ];
    const query = sampleQuery({ promptTokens: 10 * SEGMENT, held: { behind: held } });
    const [first, second] = weighed(query, ranks, {}, { pulls: 0 });
    expect(first).toMatchObject({ prefillWorker: 'first', outcome: 'chosen', lostBy: undefined });
    expect(second?.lostBy?.term).toBe(term);
    expect(second?.lostBy?.behind).toBeCloseTo(behind);
  },
);

const anyRank = fc.record({
  role: fc.constantFrom<Role>('prefill', 'decode', 'both'),
  overlapHandover: fc.boolean(),
  queueMs: fc.integer({ min: 0, max: 500 }),
  streams: fc.nat(15),
  held: fc.nat(12),
  tier: fc.constantFrom(Tier.HBM, Tier.DRAM),
});
type AnyRank = typeof anyRank extends fc.Arbitrary<infer T> ? T : never;

/** So few ranks that an explanation has all candidates; links between most of them are measured. */
const anyCase = fc.record({
  specs: fc.array(anyRank, { minLength: 1, maxLength: 4 }),
  promptTokens: fc.integer({ min: 1, max: 800 }),
  msPerSegment: fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 12, maxLength: 12 }),
});

function rankOf(
  { role, overlapHandover, queueMs, streams }: AnyRank,
  i: number,
): ReturnType<typeof rank> {
  const capabilities = { ...sampleFacts().capabilities, overlapHandover };
  return rank(`w${i}`, role, { queueMs, load: { streams }, facts: { capabilities } });
}

const sum = (values: readonly number[]): number => values.reduce((total, one) => total + one, 0);

function checkLost({ terms, cost, lostBy }: CandidateRecord, first: CandidateRecord): void {
  const behind = Object.entries(terms).map(([term, ms]) => ({
    term,
    ms: ms - (first.terms[term] ?? NaN),
  }));
  const most = Math.max(...behind.map(({ ms }) => ms));
  expect(behind.find(({ term }) => term === lostBy?.term)?.ms).toBeCloseTo(most);
  expect(lostBy?.behind).toBeCloseTo(cost - first.cost);
}

test('whatever the fleet: a cost is the sum of its terms, the least is chosen, and others say what they lost by', () => {
  fc.assert(
    fc.property(anyCase, ({ specs, promptTokens, msPerSegment }) => {
      const between = msPerSegment.map((ms, i) => [`w${i % 4}>w${(i * 7 + 1) % 4}`, ms] as const);
      const query = sampleQuery({
        promptTokens,
        held: specs.map(({ tier, held }, i): [string, Tier, number] => [`w${i}`, tier, held]),
      });
      const view = fleet(specs.map(rankOf), { links: links(Object.fromEntries(between)) });
      const policy = kvCentric({ ...untied, dramBytesPerSec: 1e6 });
      const decision = policy.decide(query, view);
      const [first, ...others] = decision.explanation.candidates;
      if (first === undefined) return;
      const { queueMs, fetchMs, prefillMs, handoverMs } = first.terms as Record<string, number>;
      const times = [queueMs, fetchMs, prefillMs, handoverMs].map((ms) => ms ?? NaN);
      expect(chosen(decision).predictedTtftMs).toBeCloseTo(sum(times));
      expect(decision.explanation.considered).toBe(1 + others.length);
      let leastMs = 0;
      for (const one of [first, ...others]) {
        expect(one.cost).toBeCloseTo(sum(Object.values(one.terms)));
        expect(one.cost).toBeGreaterThanOrEqual(leastMs - 1e-6);
        leastMs = one.cost;
        if (one.outcome === 'behind') checkLost(one, first);
        else expect(one.cost).toBeCloseTo(first.cost);
      }
    }),
    { numRuns: 300 },
  );
});
