import { sampleFacts, type Role } from '@baton/cluster';
import { Tier } from '@baton/kv';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pulledSegments } from '../held.ts';
import type { Choice, PlanQuery, RankView } from '../policy.ts';
import {
  chosen,
  sampleFleet as fleet,
  sampleQuery,
  sampleRank as rank,
  SEGMENT,
} from '../testing/fleet-sample.ts';
import { kvCentric, twoPairs, untied, weighed } from '../testing/kv-centric-sample.ts';

const query = (promptTokens: number, held: [string, Tier, number][] = []): PlanQuery =>
  sampleQuery({ promptTokens, held });

const otherLayout = { layout: { ...sampleFacts().layout, dtype: 'q8' } };

test("the README's example", () => {
  const policy = kvCentric();
  const decide = (promptTokens: number, held: [string, Tier, number][], queueMs = 0): Choice => {
    const ranks = twoPairs().map((view) =>
      view.facts.workerId === 'prefill-1' ? { ...view, queueMs } : view,
    );
    return chosen(policy.decide(query(promptTokens, held), fleet(ranks)));
  };
  const first = decide(330, []);
  const there: [string, Tier, number][] = [
    [first.prefill.workerId, Tier.HBM, 5],
    [first.decode.workerId, Tier.HBM, 5],
  ];
  expect(there.map(([id]) => id)).toEqual(['prefill-1', 'decode-1']);
  expect(Math.floor(first.predictedTtftMs)).toBe(165 + 8);
  expect(decide(330, there)).toMatchObject({
    mode: 'aggregated',
    decode: { workerId: 'decode-1' },
    predictedTtftMs: 5,
  });
  const longer = { prefillTokens: 200, heldSegments: 5 };
  expect(decide(520, there)).toMatchObject({
    mode: 'disaggregated',
    prefill: { workerId: 'prefill-1', ...longer },
    decode: { workerId: 'decode-1', heldSegments: 5 },
    pulls: [],
  });
  expect(decide(520, there, 1000)).toMatchObject({
    prefill: { workerId: 'prefill-2', ...longer, heldSegments: 0 },
    decode: { workerId: 'decode-1', heldSegments: 5 },
    pulls: [{ firstSegment: 0, segments: 5 }],
  });
});

test('an idle fleet splits a new prompt of five segments', () => {
  const choice = chosen(kvCentric().decide(query(5 * SEGMENT), fleet(twoPairs())));
  expect(choice).toMatchObject({
    mode: 'disaggregated',
    prefill: { workerId: 'prefill-1', heldSegments: 0, prefillTokens: 320 },
    decode: { workerId: 'decode-1', heldSegments: 0, prefillTokens: 0 },
  });
  expect(choice.predictedTtftMs).toBeGreaterThan(160);
});

test.each([5 * SEGMENT, 5 * SEGMENT + 1, 6 * SEGMENT - 1])(
  'the same prompt of %i tokens runs again alone on the decode worker that holds it',
  (promptTokens) => {
    const held = Math.floor(promptTokens / SEGMENT);
    const again = query(promptTokens, [
      ['decode-2', Tier.HBM, held],
      ['prefill-1', Tier.DRAM, held],
    ]);
    const choice = chosen(kvCentric().decide(again, fleet(twoPairs())));
    const reused = Math.floor((promptTokens - 1) / SEGMENT);
    expect(choice).toMatchObject({
      mode: 'aggregated',
      prefill: { workerId: 'decode-2' },
      decode: {
        workerId: 'decode-2',
        heldSegments: reused,
        prefillTokens: promptTokens - reused * SEGMENT,
      },
    });
  },
);

test('the last prompt token is computed even when everything is held', () => {
  const everything = query(SEGMENT, [['decode-1', Tier.HBM, 1]]);
  expect(chosen(kvCentric().decide(everything, fleet(twoPairs()))).decode).toMatchObject({
    heldSegments: 0,
    prefillTokens: SEGMENT,
  });
});

test.each([
  [{}, 128],
  [{ aggregateBelowTokens: 300 }, 300],
])(
  'a prompt runs alone with %j up to %i tokens, a prompt one token longer does not',
  (set, most) => {
    const policy = kvCentric(set);
    expect(chosen(policy.decide(query(most), fleet(twoPairs()))).mode).toBe('aggregated');
    expect(chosen(policy.decide(query(most + 1), fleet(twoPairs()))).mode).toBe('disaggregated');
  },
);

test('loading from DRAM costs time, and only what HBM has not', () => {
  const held: [string, Tier, number][] = [
    ['prefill-1', Tier.DRAM, 9],
    ['prefill-2', Tier.DRAM, 9],
    ['prefill-2', Tier.HBM, 4],
  ];
  // 10 ms for each segment.
  const dramBytesPerSec = sampleFacts().layout.segmentBytes * 100;
  const parameters = { dramBytesPerSec, pulls: 0 };
  const records = weighed(query(640, held), twoPairs(), {}, parameters);
  const fetched = records.map(({ prefillWorker, terms }) => [prefillWorker, terms['fetchMs']]);
  expect(fetched).toEqual([
    ['prefill-2', 50],
    ['prefill-2', 50],
    ['prefill-1', 90],
    ['prefill-1', 90],
  ]);
  const alone = [rank('dram', 'decode'), rank('hbm', 'decode', { queueMs: 89 })];
  const both = query(640, [
    ['dram', Tier.DRAM, 9],
    ['hbm', Tier.HBM, 9],
  ]);
  expect(weighed(both, alone, {}, parameters)[0]).toMatchObject({ decodeWorker: 'hbm' });
});

test.each([
  ['no prefill worker is ready', rank('prefill', 'prefill', { state: 'starting' })],
  ['prefill workers have another layout', rank('prefill', 'prefill', { facts: otherLayout })],
])('a decode worker runs a long prompt alone when %s', (_, prefill) => {
  const ranks = [rank('decode', 'decode', { queueMs: 1000 }), prefill];
  expect(chosen(kvCentric().decide(query(640), fleet(ranks)))).toMatchObject({
    mode: 'aggregated',
    decode: { workerId: 'decode' },
  });
});

test('a worker of role both may run a long prompt alone though there are pairs', () => {
  const modeOf = (role: Role, queueMs: number): string => {
    const ranks = [rank('prefill', 'prefill', { queueMs: 100 }), rank('other', role, { queueMs })];
    return chosen(kvCentric().decide(query(640), fleet(ranks))).mode;
  };
  expect(modeOf('both', 90)).toBe('aggregated');
  expect(modeOf('both', 130)).toBe('disaggregated');
  expect(modeOf('decode', 0)).toBe('disaggregated');
});

test('nothing depends on transfers while no order can reach an agent', () => {
  const decision = kvCentric().decide(
    query(640, [['decode-1', Tier.HBM, 9]]),
    fleet(twoPairs(), { transfersPossible: false }),
  );
  expect(chosen(decision)).toMatchObject({ mode: 'aggregated', decode: { workerId: 'decode-1' } });
});

test('decode capacity is respected, and a full fleet is another answer than no fleet', () => {
  const full = (streams: number, kvBlocks: number): RankView[] => [
    rank('decode-1', 'decode', { load: { prefillTokens: 0, kvBlocks, streams } }),
    rank('prefill-1', 'prefill'),
  ];
  const policy = kvCentric();
  const blocks = Math.ceil((640 + 32) / 64);
  expect(policy.decide(query(640), fleet(full(0, 512 - blocks))).kind).toBe('chosen');
  for (const ranks of [full(0, 513 - blocks), full(16, 0)]) {
    expect(policy.decide(query(640), fleet(ranks))).toMatchObject({
      kind: 'none',
      code: 'no_capacity',
    });
  }
  expect(policy.decide(query(640), fleet([rank('prefill-1', 'prefill')]))).toMatchObject({
    kind: 'none',
    code: 'no_worker',
  });
  expect(policy.decide(query(640), fleet([])).explanation.considered).toBe(0);
});

const anyRank = fc.record({
  role: fc.constantFrom<Role>('prefill', 'decode', 'both'),
  ready: fc.boolean(),
  prefillTokens: fc.integer({ min: 0, max: 5000 }),
  kvBlocks: fc.integer({ min: 0, max: 512 }),
  streams: fc.integer({ min: 0, max: 16 }),
  held: fc.integer({ min: 0, max: 20 }),
  tier: fc.constantFrom(Tier.HBM, Tier.DRAM),
});

test('whatever the fleet: no prefill worker decodes, capacity holds, and the cheapest is not passed over', () => {
  fc.assert(
    fc.property(
      fc.array(anyRank, { maxLength: 6 }),
      fc.integer({ min: 1, max: 1300 }),
      (specs, promptTokens) => {
        const ranks = specs.map(({ role, ready, prefillTokens, kvBlocks, streams }, i) => {
          const load = { prefillTokens, kvBlocks, streams };
          return rank(`w${i}`, role, { load, state: ready ? 'ready' : 'starting' });
        });
        const held = specs.map((spec, i): [string, Tier, number] => [
          `w${i}`,
          spec.tier,
          spec.held,
        ]);
        const decision = kvCentric().decide(query(promptTokens, held), fleet(ranks));
        if (decision.kind === 'none') return;
        const { choice, explanation } = decision;
        const find = (id: string): RankView | undefined =>
          ranks.find((r) => r.facts.workerId === id);
        const decode = find(choice.decode.workerId);
        const prefill = find(choice.prefill.workerId);
        expect(decode?.facts.role).not.toBe('prefill');
        expect(decode?.state).toBe('ready');
        expect((decode?.load.kvBlocks ?? 0) + choice.decode.kvBlocks).toBeLessThanOrEqual(512);
        if (choice.mode === 'disaggregated') expect(prefill?.facts.role).not.toBe('decode');
        else expect(choice.prefill).toEqual(choice.decode);
        expect(choice.prefill.prefillTokens).toBeGreaterThanOrEqual(1);
        const pulled = pulledSegments(choice.pulls);
        expect(
          (choice.prefill.heldSegments + pulled) * SEGMENT + choice.prefill.prefillTokens,
        ).toBe(promptTokens);
        const [first, ...others] = explanation.candidates;
        const cheapest = Math.min(...others.map((item) => item.cost), Infinity);
        const total = first?.cost ?? 0;
        expect(total).toBeLessThanOrEqual(cheapest + Math.max(1, cheapest * 0.02));
      },
    ),
    { numRuns: 300 },
  );
});

/** Both workers of the choice, and what it costs. */
function pairOf(q: PlanQuery, ranks: readonly RankView[]): [string, string, number] | undefined {
  const decision = kvCentric(untied).decide(q, fleet(ranks));
  if (decision.kind === 'none') return undefined;
  const { prefill, decode } = decision.choice;
  return [prefill.workerId, decode.workerId, decision.explanation.candidates[0]?.cost ?? NaN];
}

test('load makes no choice cheaper, and nobody is chosen for it; who is worse in everything never is', () => {
  fc.assert(
    fc.property(
      fc.array(anyRank, { minLength: 2, maxLength: 6 }),
      fc.integer({ min: 1, max: 1300 }),
      fc.nat(),
      fc.record({ queueMs: fc.integer({ min: 1, max: 500 }), streams: fc.nat(8) }),
      (specs, promptTokens, pick, more) => {
        const held = specs.map(({ tier, held: segments }, i): [string, Tier, number] => [
          `w${i}`,
          tier,
          segments,
        ]);
        const ranks = specs.map(({ role, prefillTokens, streams }, i) =>
          rank(`w${i}`, role, { load: { prefillTokens, streams, kvBlocks: 0 } }),
        );
        const q = query(promptTokens, held);
        const before = pairOf(q, ranks);
        if (before === undefined) return;
        const loaded = ranks[pick % ranks.length] as RankView;
        const { workerId } = loaded.facts;
        const load = { ...loaded.load, streams: loaded.load.streams + more.streams };
        const busier = { ...loaded, load, queueMs: loaded.queueMs + more.queueMs };
        const after = pairOf(
          q,
          ranks.map((one) => (one === loaded ? busier : one)),
        );
        if (after === undefined) return;
        expect(after[2]).toBeGreaterThanOrEqual(before[2] - 1e-9);
        const wasChosen = before[0] === workerId || before[1] === workerId;
        if (!wasChosen) expect(after.slice(0, 2)).not.toContain(workerId);
        // A worker like one that is there, only busier: holding as much does not make up for it.
        const twin = { ...busier, facts: { ...loaded.facts, workerId: 'x' }, name: 'x/0' };
        const beside = query(promptTokens, [
          ...held,
          ...held.filter(([id]) => id === workerId).map(([, ...what]) => ['x', ...what] as never),
        ]);
        // Where decode must be another worker than prefill, the twin may be the only other one.
        if (loaded.facts.role !== 'both') {
          expect(pairOf(beside, [...ranks, twin])?.slice(0, 2)).not.toContain('x');
        }
      },
    ),
    { numRuns: 500 },
  );
});
