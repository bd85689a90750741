import { sampleFacts, type Role } from '@baton/cluster';
import { Tier } from '@baton/kv';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LinkRates } from '../link-rates.ts';
import type { Choice, PlanQuery, RankView } from '../policy.ts';
import {
  chosen,
  sampleFleet as fleet,
  sampleQuery,
  sampleRank as rank,
  SEGMENT,
} from '../testing/fleet-sample.ts';
import { defaultsOf } from '../parameters.ts';
import { KvCentric } from './kv-centric.ts';
import { kvCentricParameters } from './parameters.ts';

const two = (): RankView[] => [
  rank('decode-1', 'decode'),
  rank('decode-2', 'decode'),
  rank('prefill-1', 'prefill'),
  rank('prefill-2', 'prefill'),
];

const query = (promptTokens: number, held: [string, Tier, number][] = []): PlanQuery =>
  sampleQuery({ promptTokens, held });

test('an idle fleet splits a new prompt of five segments', () => {
  const choice = chosen(new KvCentric().decide(query(5 * SEGMENT), fleet(two())));
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
    const choice = chosen(new KvCentric().decide(again, fleet(two())));
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
  expect(chosen(new KvCentric().decide(everything, fleet(two()))).decode).toMatchObject({
    heldSegments: 0,
    prefillTokens: SEGMENT,
  });
});

test('a short prompt runs alone, a prompt one token longer does not', () => {
  const policy = new KvCentric();
  expect(chosen(policy.decide(query(128), fleet(two()))).mode).toBe('aggregated');
  expect(chosen(policy.decide(query(129), fleet(two()))).mode).toBe('disaggregated');
});

test.each([
  ['no prefill worker is ready', (view: RankView) => ({ ...view, state: 'starting' as const })],
  ['prefill workers have another layout', withOtherLayout],
])('a decode worker runs a long prompt alone when %s', (_, change) => {
  const ranks = two().map((view) => (view.facts.role === 'prefill' ? change(view) : view));
  expect(chosen(new KvCentric().decide(query(640), fleet(ranks))).mode).toBe('aggregated');
});

function withOtherLayout(view: RankView): RankView {
  const layout = { ...view.facts.layout, dtype: 'q8' };
  return { ...view, facts: { ...view.facts, layout } };
}

test('nothing depends on transfers while no order can reach an agent', () => {
  const decision = new KvCentric().decide(
    query(640, [['decode-1', Tier.HBM, 9]]),
    fleet(two(), { transfersPossible: false }),
  );
  expect(chosen(decision)).toMatchObject({ mode: 'aggregated', decode: { workerId: 'decode-1' } });
});

test('equal pairs take turns, in the same order every time', () => {
  const pairs = (): string[] => {
    const policy = new KvCentric();
    return Array.from({ length: 8 }, () => {
      const { prefill, decode } = chosen(policy.decide(query(640), fleet(two())));
      return `${prefill.workerId}>${decode.workerId}`;
    });
  };
  expect(new Set(pairs().slice(0, 4)).size).toBe(4);
  expect(pairs()).toEqual(pairs());
});

test('the handover brings only what decode lacks, and a holder at decode is preferred', () => {
  const ranks = two().map((view) => ({
    ...view,
    facts: { ...view.facts, layout: { ...view.facts.layout, bytesPerToken: 262_144 } },
  }));
  const decision = new KvCentric().decide(query(640, [['decode-2', Tier.DRAM, 6]]), fleet(ranks));
  expect(chosen(decision).decode).toMatchObject({ workerId: 'decode-2', heldSegments: 6 });
});

test('a longer prefix elsewhere is pulled when that is quicker than computing', () => {
  const ranks = two().map((view) =>
    view.facts.workerId === 'prefill-1'
      ? rank('prefill-1', 'prefill', { load: { prefillTokens: 4000, streams: 1 } })
      : view,
  );
  const held = query(640, [
    ['prefill-1', Tier.DRAM, 9],
    ['prefill-2', Tier.HBM, 2],
  ]);
  expect(chosen(new KvCentric().decide(held, fleet(ranks)))).toMatchObject({
    prefill: { workerId: 'prefill-2', heldSegments: 2, prefillTokens: 640 - 9 * SEGMENT },
    pull: { sourceWorker: 'prefill-1', firstSegment: 2, segments: 7 },
  });
  const links = new LinkRates({ defaultBytesPerSec: 1e5, maxLinks: 16 });
  const slow = chosen(new KvCentric().decide(held, fleet(ranks, { links })));
  expect(slow.pull).toBeUndefined();
});

test('workers from whom the same can be pulled take turns', () => {
  const busy = { load: { prefillTokens: 90_000 }, queueMs: 45_000 };
  const ranks = [
    rank('a', 'prefill', busy),
    rank('b', 'prefill', busy),
    rank('c', 'prefill', busy),
    rank('decode', 'decode'),
    rank('idle', 'prefill'),
  ];
  const held = query(640, [
    ['a', Tier.DRAM, 9],
    ['b', Tier.DRAM, 9],
    ['c', Tier.DRAM, 8],
  ]);
  const policy = new KvCentric();
  const sources = Array.from(
    { length: 10 },
    () => chosen(policy.decide(held, fleet(ranks))).pull?.sourceWorker,
  );
  expect(new Set(sources)).toEqual(new Set(['a', 'b']));
});

test('HBM is a source only where the worker can export it', () => {
  const cannot = sampleFacts().capabilities;
  const ranks = [
    rank('decode-1', 'decode', {
      facts: { capabilities: { ...cannot, exportPrefix: false } },
    }),
    rank('prefill-1', 'prefill'),
  ];
  const decide = (tier: Tier): Choice =>
    chosen(new KvCentric().decide(query(640, [['decode-1', tier, 5]]), fleet(ranks)));
  expect(decide(Tier.HBM).pull).toBeUndefined();
  expect(decide(Tier.DRAM).pull).toMatchObject({ sourceWorker: 'decode-1', segments: 5 });
});

test('a worker that cannot pull, a drained one and an excluded one are obeyed', () => {
  const cannot = { ...sampleFacts().capabilities, pullPrefix: false };
  const held = query(640, [['decode-1', Tier.DRAM, 5]]);
  const noPull = [
    rank('decode-1', 'decode'),
    rank('prefill-1', 'prefill', { facts: { capabilities: cannot } }),
  ];
  expect(chosen(new KvCentric().decide(held, fleet(noPull))).pull).toBeUndefined();
  const draining = two().map((view) =>
    view.facts.workerId.endsWith('-1') ? { ...view, state: 'draining' as const } : view,
  );
  expect(chosen(new KvCentric().decide(held, fleet(draining)))).toMatchObject({
    prefill: { workerId: 'prefill-2' },
    decode: { workerId: 'decode-2' },
    pull: { sourceWorker: 'decode-1' },
  });
  const excluded = { ...held, excluded: new Set(['decode-1', 'prefill-1']) };
  const decision = new KvCentric().decide(excluded, fleet(two()));
  expect(chosen(decision)).toMatchObject({
    prefill: { workerId: 'prefill-2' },
    decode: { workerId: 'decode-2' },
    pull: undefined,
  });
  expect(decision.explanation.ineligible).toContainEqual({
    workerId: 'decode-1',
    reason: 'failed for this request before',
  });
});

test('decode capacity is respected, and a full fleet is another answer than no fleet', () => {
  const full = (streams: number, kvBlocks: number): RankView[] => [
    rank('decode-1', 'decode', { load: { prefillTokens: 0, kvBlocks, streams } }),
    rank('prefill-1', 'prefill'),
  ];
  const policy = new KvCentric();
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

test('the explanation says what was considered and why others lost', () => {
  const ranks = two().map((view) =>
    view.facts.workerId === 'prefill-1'
      ? rank('prefill-1', 'prefill', { load: { prefillTokens: 1000, streams: 1 } })
      : view,
  );
  const { explanation } = new KvCentric().decide(query(640), fleet(ranks));
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
        const decision = new KvCentric().decide(query(promptTokens, held), fleet(ranks));
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
        const pulled = choice.pull?.segments ?? 0;
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

const exact = { ...defaultsOf(kvCentricParameters), tieMs: 0, tieShare: 0 };

/** Both workers of the choice, and what it costs. */
function pairOf(q: PlanQuery, ranks: readonly RankView[]): [string, string, number] | undefined {
  const decision = new KvCentric(exact).decide(q, fleet(ranks));
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

test('between workers that cost the same, the one to which least has to move is taken, each time', () => {
  const held: [string, Tier, number][] = [
    ['prefill-1', Tier.HBM, 5],
    ['decode-2', Tier.HBM, 5],
  ];
  // So slow that what handover costs is lost in the tie.
  const cost = { fixedMs: 0, perTokenMs: 20, perPairMs: 0 };
  const policy = new KvCentric();
  const idle = fleet(two().map((view) => ({ ...view, cost })));
  for (let turn = 0; turn < 4; turn++) {
    expect(chosen(policy.decide(query(9 * SEGMENT, held), idle))).toMatchObject({
      prefill: { workerId: 'prefill-1' },
      decode: { workerId: 'decode-2', heldSegments: 5 },
    });
  }
});
