import { sampleFacts } from '@baton/cluster';
import { Tier, type KvLayout } from '@baton/kv';
import { expect, test } from 'vitest';
import { pulledSegments } from '../held.ts';
import type { Choice, PlanQuery, RankView } from '../policy.ts';
import {
  chosen,
  sampleFleet as fleet,
  sampleLinks as links,
  sampleQuery,
  sampleRank as rank,
  SEGMENT,
  type HeldSample,
} from '../testing/fleet-sample.ts';
import { kvCentric, twoPairs, weighed } from '../testing/kv-centric-sample.ts';

const PROMPT_TOKENS = 10 * SEGMENT;
const { capabilities, layout } = sampleFacts();
const busy = { queueMs: 45_000 };

/** Where only `idle` can prefill soon, and what these workers hold can be pulled there. */
function around(...holders: RankView[]): RankView[] {
  return [...holders, rank('decode', 'decode'), rank('idle', 'prefill')];
}

const holding = (...held: HeldSample[]): PlanQuery =>
  sampleQuery({ promptTokens: PROMPT_TOKENS, held });

test('a longer prefix elsewhere is pulled, from where the own one ends', () => {
  const held = holding(['holder', Tier.DRAM, 9], ['idle', Tier.HBM, 2]);
  const ranks = around(rank('holder', 'prefill', busy));
  expect(chosen(kvCentric().decide(held, fleet(ranks)))).toMatchObject({
    prefill: { workerId: 'idle', heldSegments: 2, prefillTokens: PROMPT_TOKENS - 9 * SEGMENT },
    pulls: [{ sourceWorker: 'holder', firstSegment: 2, segments: 7 }],
  });
  expect(chosen(kvCentric({ pulls: 0 }).decide(held, fleet(ranks)))).toMatchObject({
    prefill: { workerId: 'idle', heldSegments: 2, prefillTokens: PROMPT_TOKENS - 2 * SEGMENT },
    pulls: [],
  });
});

// Computing 9 segments takes 288 ms; a pull takes 4 ms more than its bytes.
test.each([
  { bytesMs: 283, segments: 9 },
  { bytesMs: 285, segments: 0 },
  { bytesMs: 100_000, segments: 0 },
])('where the bytes take $bytesMs ms, $segments segments are pulled', ({ bytesMs, segments }) => {
  const ranks = around(rank('holder', 'prefill', busy));
  const measured = fleet(ranks, { links: links({ 'holder>idle': bytesMs / 9 }) });
  const choice = chosen(kvCentric().decide(holding(['holder', Tier.DRAM, 9]), measured));
  expect(choice.prefill.workerId).toBe('idle');
  expect(pulledSegments(choice.pulls)).toBe(segments);
});

test('one segment more is worth a pull, as many are not', () => {
  const pullOf = (segments: number): Choice['pulls'] => {
    const held = holding(['holder', Tier.DRAM, segments], ['idle', Tier.DRAM, 5]);
    return chosen(kvCentric().decide(held, fleet(around(rank('holder', 'prefill', busy))))).pulls;
  };
  expect(pullOf(5)).toEqual([]);
  expect(pullOf(6)).toEqual([{ sourceWorker: 'holder', firstSegment: 5, segments: 1 }]);
});

test('a pull goes on while earlier prefills run: only what it takes longer adds to the queue', () => {
  // 9 segments arrive after 94 ms.
  const measured = { links: links({ 'holder>idle': 10 }) };
  const fetchMs = (queueMs: number): number | undefined => {
    const ranks = [rank('holder', 'decode', { load: { streams: 16 } }), rank('decode', 'decode')];
    ranks.push(rank('idle', 'prefill', { queueMs }));
    const [first] = weighed(holding(['holder', Tier.DRAM, 9]), ranks, measured);
    expect(first).toMatchObject({ pulls: [{ segments: 9 }], terms: { queueMs } });
    return first?.terms['fetchMs'];
  };
  expect(fetchMs(0)).toBeCloseTo(94);
  expect(fetchMs(60)).toBeCloseTo(34);
  expect(fetchMs(500)).toBe(0);
});

test('a pull that takes longer than computing is of use where the queue hides it', () => {
  const measured = { links: links({ 'holder>idle': 40 }) };
  const pullOf = (queueMs: number): Choice['pulls'] => {
    const ranks = [rank('holder', 'prefill', busy), rank('decode', 'decode')];
    ranks.push(rank('idle', 'prefill', { queueMs }));
    const held = holding(['holder', Tier.DRAM, 9]);
    return chosen(kvCentric().decide(held, fleet(ranks, measured))).pulls;
  };
  expect(pullOf(0)).toEqual([]);
  expect(pullOf(300)).toMatchObject([{ segments: 9 }]);
});

// 9 segments save 288 ms, 6 save 192 ms.
test.each([
  { most: 40, least: 1, parts: [['least', 6]] },
  {
    most: 30,
    least: 1,
    parts: [
      ['least', 6],
      ['most', 3],
    ],
  },
  {
    most: 10,
    least: 1,
    parts: [
      ['least', 6],
      ['most', 3],
    ],
  },
  { most: 1, least: 30, parts: [['most', 9]] },
])(
  'of one that holds most at $most ms a segment and one that holds less at $least ms come $parts',
  ({ most, least, parts }) => {
    const ranks = around(rank('least', 'prefill', busy), rank('most', 'prefill', busy));
    const held = holding(['least', Tier.DRAM, 6], ['most', Tier.DRAM, 9]);
    const measured = links({ 'most>idle': most, 'least>idle': least });
    const choice = chosen(kvCentric().decide(held, fleet(ranks, { links: measured })));
    expect(choice.prefill.workerId).toBe('idle');
    expect(choice.pulls.map(({ sourceWorker, segments }) => [sourceWorker, segments])).toEqual(
      parts,
    );
  },
);

test.each([2, 3, 12])(
  'each of %i workers that hold the same is the source in its turn',
  (count) => {
    const equal = Array.from({ length: count }, (_, i) => `holder-${i}`);
    const ranks = around(...[...equal, 'less'].map((id) => rank(id, 'prefill', busy)));
    const held = holding(...equal.map((id): HeldSample => [id, Tier.DRAM, 9]), [
      'less',
      Tier.DRAM,
      8,
    ]);
    const policy = kvCentric();
    const sources = Array.from(
      { length: 4 * count },
      () => chosen(policy.decide(held, fleet(ranks))).pulls[0]?.sourceWorker,
    );
    for (const id of equal) expect(sources.filter((source) => source === id)).toHaveLength(4);
  },
);

test('however many hold less, the one that holds most is the source', () => {
  const less = Array.from({ length: 12 }, (_, i) => `less-${i}`);
  const ranks = around(...[...less, 'most'].map((id) => rank(id, 'prefill', busy)));
  const held = holding(...less.map((id): HeldSample => [id, Tier.DRAM, 8]), ['most', Tier.DRAM, 9]);
  const { pulls } = chosen(kvCentric().decide(held, fleet(ranks)));
  expect(pulls).toMatchObject([{ sourceWorker: 'most', segments: 9 }]);
});

test('HBM is a source only where the worker can export it', () => {
  const holder = rank('holder', 'prefill', {
    ...busy,
    facts: { capabilities: { ...capabilities, exportPrefix: false } },
  });
  const decide = (tier: Tier): Choice =>
    chosen(kvCentric().decide(holding(['holder', tier, 5]), fleet(around(holder))));
  expect(decide(Tier.HBM).pulls).toEqual([]);
  expect(decide(Tier.DRAM).pulls).toMatchObject([{ sourceWorker: 'holder', segments: 5 }]);
});

test.each<[string, Partial<KvLayout>, Partial<KvLayout>, boolean]>([
  ['equal ones', {}, {}, true],
  ['different ones', { dtype: 'q8' }, {}, false],
  [
    'larger blocks to smaller ones over NIXL',
    { connector: 'nixl', blockTokens: 128 },
    { connector: 'nixl' },
    true,
  ],
  [
    'smaller blocks to larger ones over NIXL',
    { connector: 'nixl' },
    { connector: 'nixl', blockTokens: 128 },
    false,
  ],
])(
  'of layouts, a prefix is pulled between those that KV can move between: %s',
  (_, from, to, isPulled) => {
    const facts = { layout: { ...layout, ...to } };
    const ranks = [
      rank('holder', 'prefill', { ...busy, facts: { layout: { ...layout, ...from } } }),
      rank('decode', 'decode', { facts }),
      rank('idle', 'prefill', { facts }),
    ];
    const choice = chosen(kvCentric().decide(holding(['holder', Tier.DRAM, 9]), fleet(ranks)));
    expect(choice.prefill.workerId).toBe('idle');
    expect(choice.pulls[0]?.sourceWorker).toBe(isPulled ? 'holder' : undefined);
  },
);

test('a worker that cannot pull, a drained one and an excluded one are obeyed', () => {
  const cannot = { ...capabilities, pullPrefix: false };
  const held = holding(['decode-1', Tier.DRAM, 5]);
  const noPull = [
    rank('decode-1', 'decode'),
    rank('prefill-1', 'prefill', { facts: { capabilities: cannot } }),
  ];
  expect(chosen(kvCentric().decide(held, fleet(noPull))).pulls).toEqual([]);
  const draining = twoPairs().map((view) =>
    view.facts.workerId.endsWith('-1') ? { ...view, state: 'draining' as const } : view,
  );
  expect(chosen(kvCentric().decide(held, fleet(draining)))).toMatchObject({
    prefill: { workerId: 'prefill-2' },
    decode: { workerId: 'decode-2' },
    pulls: [{ sourceWorker: 'decode-1' }],
  });
  const excluded = { ...held, excluded: new Set(['decode-1', 'prefill-1']) };
  const decision = kvCentric().decide(excluded, fleet(twoPairs()));
  expect(chosen(decision)).toMatchObject({
    prefill: { workerId: 'prefill-2' },
    decode: { workerId: 'decode-2' },
    pulls: [],
  });
  expect(decision.explanation.ineligible).toContainEqual({
    workerId: 'decode-1',
    reason: 'failed for this request before',
  });
});

test('where one ends another goes on, as long as that is quicker than computing', () => {
  const ranks = around(...['first', 'second', 'third'].map((id) => rank(id, 'prefill', busy)));
  const held = holding(
    ['first', Tier.DRAM, 3],
    ['second', Tier.DRAM, 7, 2],
    ['third', Tier.DRAM, 9, 6],
    ['idle', Tier.HBM, 1],
  );
  const partsAt = (thirdMs: number): (string | number)[][] => {
    const measured = links({ 'first>idle': 1, 'second>idle': 1, 'third>idle': thirdMs });
    const choice = chosen(kvCentric().decide(held, fleet(ranks, { links: measured })));
    const ready = choice.prefill.heldSegments + pulledSegments(choice.pulls);
    expect(choice.prefill).toMatchObject({
      workerId: 'idle',
      prefillTokens: PROMPT_TOKENS - ready * SEGMENT,
    });
    return choice.pulls.map((part) => [part.sourceWorker, part.firstSegment, part.segments]);
  };
  const [one, two, three] = [
    ['first', 1, 2],
    ['second', 3, 4],
    ['third', 7, 2],
  ];
  expect(partsAt(1)).toEqual([one, two, three]);
  expect(partsAt(1_000)).toEqual([one, two]);
});

test('without a holder of what comes first nothing that comes later is pulled', () => {
  const ranks = around(rank('later', 'prefill', busy));
  const held = holding(['later', Tier.DRAM, 9, 2], ['idle', Tier.HBM, 1]);
  expect(chosen(kvCentric().decide(held, fleet(ranks))).pulls).toEqual([]);
});
