import { sampleFacts } from '@baton/cluster';
import { Tier, type KvLayout } from '@baton/kv';
import { expect, test } from 'vitest';
import type { Choice, PlanQuery, RankView } from '../policy.ts';
import {
  chosen,
  sampleFleet as fleet,
  sampleLinks as links,
  sampleQuery,
  sampleRank as rank,
  SEGMENT,
} from '../testing/fleet-sample.ts';
import { kvCentric, twoPairs, weighed } from '../testing/kv-centric-sample.ts';

const PROMPT_TOKENS = 10 * SEGMENT;
const { capabilities, layout } = sampleFacts();
const busy = { queueMs: 45_000 };

/** Where only `idle` can prefill soon, and what these workers hold can be pulled there. */
function around(...holders: RankView[]): RankView[] {
  return [...holders, rank('decode', 'decode'), rank('idle', 'prefill')];
}

type Held = [string, Tier, number];
const holding = (...held: Held[]): PlanQuery => sampleQuery({ promptTokens: PROMPT_TOKENS, held });

test('a longer prefix elsewhere is pulled, from where the own one ends', () => {
  const held = holding(['holder', Tier.DRAM, 9], ['idle', Tier.HBM, 2]);
  const ranks = around(rank('holder', 'prefill', busy));
  expect(chosen(kvCentric().decide(held, fleet(ranks)))).toMatchObject({
    prefill: { workerId: 'idle', heldSegments: 2, prefillTokens: PROMPT_TOKENS - 9 * SEGMENT },
    pull: { sourceWorker: 'holder', firstSegment: 2, segments: 7 },
  });
  expect(chosen(kvCentric({ pulls: 0 }).decide(held, fleet(ranks)))).toMatchObject({
    prefill: { workerId: 'idle', heldSegments: 2, prefillTokens: PROMPT_TOKENS - 2 * SEGMENT },
    pull: undefined,
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
  expect(choice.pull?.segments ?? 0).toBe(segments);
});

test('one segment more is worth a pull, as many are not', () => {
  const pullOf = (segments: number): Choice['pull'] => {
    const held = holding(['holder', Tier.DRAM, segments], ['idle', Tier.DRAM, 5]);
    return chosen(kvCentric().decide(held, fleet(around(rank('holder', 'prefill', busy))))).pull;
  };
  expect(pullOf(5)).toBeUndefined();
  expect(pullOf(6)).toEqual({ sourceWorker: 'holder', firstSegment: 5, segments: 1 });
});

test('a pull goes on while earlier prefills run: only what it takes longer adds to the queue', () => {
  // 9 segments arrive after 94 ms.
  const measured = { links: links({ 'holder>idle': 10 }) };
  const fetchMs = (queueMs: number): number | undefined => {
    const ranks = [rank('holder', 'decode', { load: { streams: 16 } }), rank('decode', 'decode')];
    ranks.push(rank('idle', 'prefill', { queueMs }));
    const [first] = weighed(holding(['holder', Tier.DRAM, 9]), ranks, measured);
    expect(first).toMatchObject({ pull: { segments: 9 }, terms: { queueMs } });
    return first?.terms['fetchMs'];
  };
  expect(fetchMs(0)).toBeCloseTo(94);
  expect(fetchMs(60)).toBeCloseTo(34);
  expect(fetchMs(500)).toBe(0);
});

test('a pull that takes longer than computing is of use where the queue hides it', () => {
  const measured = { links: links({ 'holder>idle': 40 }) };
  const pullOf = (queueMs: number): Choice['pull'] => {
    const ranks = [rank('holder', 'prefill', busy), rank('decode', 'decode')];
    ranks.push(rank('idle', 'prefill', { queueMs }));
    const held = holding(['holder', Tier.DRAM, 9]);
    return chosen(kvCentric().decide(held, fleet(ranks, measured))).pull;
  };
  expect(pullOf(0)).toBeUndefined();
  expect(pullOf(300)).toMatchObject({ segments: 9 });
});

// 9 segments save 288 ms, 6 save 192 ms.
test.each([
  { most: 30, least: 1, source: 'least' },
  { most: 10, least: 1, source: 'most' },
  { most: 1, least: 30, source: 'most' },
])(
  'of one that holds most at $most ms a segment and one that holds less at $least ms, $source is the source',
  ({ most, least, source }) => {
    const ranks = around(rank('least', 'prefill', busy), rank('most', 'prefill', busy));
    const held = holding(['least', Tier.DRAM, 6], ['most', Tier.DRAM, 9]);
    const measured = links({ 'most>idle': most, 'least>idle': least });
    const choice = chosen(kvCentric().decide(held, fleet(ranks, { links: measured })));
    expect(choice).toMatchObject({ prefill: { workerId: 'idle' }, pull: { sourceWorker: source } });
  },
);

test.each([2, 3, 12])(
  'each of %i workers that hold the same is the source in its turn',
  (count) => {
    const equal = Array.from({ length: count }, (_, i) => `holder-${i}`);
    const ranks = around(...[...equal, 'less'].map((id) => rank(id, 'prefill', busy)));
    const held = holding(...equal.map((id): Held => [id, Tier.DRAM, 9]), ['less', Tier.DRAM, 8]);
    const policy = kvCentric();
    const sources = Array.from(
      { length: 4 * count },
      () => chosen(policy.decide(held, fleet(ranks))).pull?.sourceWorker,
    );
    for (const id of equal) expect(sources.filter((source) => source === id)).toHaveLength(4);
  },
);

test('however many hold less, the one that holds most is the source', () => {
  const less = Array.from({ length: 12 }, (_, i) => `less-${i}`);
  const ranks = around(...[...less, 'most'].map((id) => rank(id, 'prefill', busy)));
  const held = holding(...less.map((id): Held => [id, Tier.DRAM, 8]), ['most', Tier.DRAM, 9]);
  const { pull } = chosen(kvCentric().decide(held, fleet(ranks)));
  expect(pull).toMatchObject({ sourceWorker: 'most', segments: 9 });
});

test('HBM is a source only where the worker can export it', () => {
  const holder = rank('holder', 'prefill', {
    ...busy,
    facts: { capabilities: { ...capabilities, exportPrefix: false } },
  });
  const decide = (tier: Tier): Choice =>
    chosen(kvCentric().decide(holding(['holder', tier, 5]), fleet(around(holder))));
  expect(decide(Tier.HBM).pull).toBeUndefined();
  expect(decide(Tier.DRAM).pull).toMatchObject({ sourceWorker: 'holder', segments: 5 });
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
    expect(choice.pull?.sourceWorker).toBe(isPulled ? 'holder' : undefined);
  },
);

test('a worker that cannot pull, a drained one and an excluded one are obeyed', () => {
  const cannot = { ...capabilities, pullPrefix: false };
  const held = holding(['decode-1', Tier.DRAM, 5]);
  const noPull = [
    rank('decode-1', 'decode'),
    rank('prefill-1', 'prefill', { facts: { capabilities: cannot } }),
  ];
  expect(chosen(kvCentric().decide(held, fleet(noPull))).pull).toBeUndefined();
  const draining = twoPairs().map((view) =>
    view.facts.workerId.endsWith('-1') ? { ...view, state: 'draining' as const } : view,
  );
  expect(chosen(kvCentric().decide(held, fleet(draining)))).toMatchObject({
    prefill: { workerId: 'prefill-2' },
    decode: { workerId: 'decode-2' },
    pull: { sourceWorker: 'decode-1' },
  });
  const excluded = { ...held, excluded: new Set(['decode-1', 'prefill-1']) };
  const decision = kvCentric().decide(excluded, fleet(twoPairs()));
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
