import { sampleFacts } from '@baton/cluster';
import { Tier } from '@baton/kv';
import { expect, test } from 'vitest';
import type { CandidateRecord, Decision, RankView } from '../policy.ts';
import {
  chosen,
  sampleFleet as fleet,
  sampleLinks as links,
  sampleQuery,
  sampleRank as rank,
  SEGMENT,
} from '../testing/fleet-sample.ts';
import { kvCentric, untied, weighed } from '../testing/kv-centric-sample.ts';

const { capabilities, layout } = sampleFacts();
/** Computed in 320 ms. */
const query = sampleQuery({ promptTokens: 10 * SEGMENT });

const prefill = (workerId: string, overlapHandover: boolean, queueMs = 0): RankView =>
  rank(workerId, 'prefill', {
    queueMs,
    facts: { capabilities: { ...capabilities, overlapHandover } },
  });
const decode = (workerId: string, streams = 0): RankView =>
  rank(workerId, 'decode', { load: { streams } });

const names = (records: readonly CandidateRecord[]): string[] =>
  records.map(({ prefillWorker, decodeWorker }) => `${prefillWorker}>${decodeWorker}`);

// 10 segments; 8 ms are spent on any handover.
test.each([
  { overlaps: false, msPerSegment: 10, handoverMs: 8 + 100 },
  { overlaps: true, msPerSegment: 10, handoverMs: 8 + 10 },
  { overlaps: false, msPerSegment: 50, handoverMs: 8 + 500 },
  { overlaps: true, msPerSegment: 50, handoverMs: 8 + 500 - 320 },
])(
  'at $msPerSegment ms a segment a handover adds $handoverMs ms (prefill hides it: $overlaps)',
  ({ overlaps, msPerSegment, handoverMs }) => {
    const measured = { links: links({ 'prefill>decode': msPerSegment }) };
    const ranks = [decode('decode'), prefill('prefill', overlaps)];
    const decision = kvCentric().decide(query, fleet(ranks, measured));
    expect(decision.explanation.candidates[0]?.terms['handoverMs']).toBeCloseTo(handoverMs);
    const { computedInMs, predictedTtftMs } = chosen(decision);
    expect(computedInMs).toBeCloseTo(320);
    expect(predictedTtftMs).toBeCloseTo(320 + handoverMs);
  },
);

test.each([true, false])('a tail takes what its bytes take (prefill hides it: %s)', (overlaps) => {
  const tail = sampleQuery({ promptTokens: 10 * SEGMENT + 16, held: { decode: 10 } });
  const ranks = [decode('decode'), prefill('prefill', overlaps)];
  const records = weighed(tail, ranks, { links: links({ 'prefill>decode': 100 }) });
  const pair = records.find(({ mode }) => mode === 'disaggregated');
  expect(pair?.terms).toMatchObject({ handoverMs: expect.closeTo(8 + 25) as number });
});

test('the fixed cost of a handover is a parameter', () => {
  const ranks = [decode('decode'), prefill('prefill', true)];
  const [usual] = weighed(query, ranks);
  const [longer] = weighed(query, ranks, {}, { handoverLatencyMs: 58 });
  expect((longer?.cost ?? 0) - (usual?.cost ?? 0)).toBeCloseTo(50);
});

test('a worker whose segments leave while it computes is worth a wait', () => {
  const over = { 'hides>decode': 10, 'does-not>decode': 10 };
  const found = (queueMs: number): string[] => {
    const ranks = [decode('decode'), prefill('does-not', false), prefill('hides', true, queueMs)];
    return names(weighed(query, ranks, { links: links(over) }));
  };
  expect(found(89)).toEqual(['hides>decode', 'does-not>decode']);
  expect(found(91)).toEqual(['does-not>decode', 'hides>decode']);
});

test('the measured rate of each link counts', () => {
  const ranks = [
    decode('decode-1'),
    decode('decode-2'),
    prefill('prefill-1', false),
    prefill('prefill-2', false),
  ];
  const over = {
    'prefill-1>decode-1': 20,
    'prefill-1>decode-2': 10,
    'prefill-2>decode-1': 5,
    'prefill-2>decode-2': 40,
  };
  expect(names(weighed(query, ranks, { links: links(over) }))).toEqual([
    'prefill-2>decode-1',
    'prefill-1>decode-2',
    'prefill-1>decode-1',
    'prefill-2>decode-2',
  ]);
});

test('the handover brings only what decode lacks, and a holder at decode is preferred', () => {
  const over = { 'prefill>decode-1': 10, 'prefill>decode-2': 10 };
  const held = sampleQuery({ promptTokens: 10 * SEGMENT, held: [['decode-2', Tier.DRAM, 6]] });
  const ranks = [decode('decode-1'), decode('decode-2', 10), prefill('prefill', false)];
  const decision = kvCentric().decide(held, fleet(ranks, { links: links(over) }));
  expect(chosen(decision).decode).toMatchObject({ workerId: 'decode-2', heldSegments: 6 });
  expect(decision.explanation.candidates[0]?.terms['handoverMs']).toBeCloseTo(8 + 40);
});

test('a handover that prefill hides still costs a share of the time that it keeps its link', () => {
  const over = { links: links({ 'prefill>decode': 20 }) };
  const ranks = [decode('decode'), prefill('prefill', true)];
  for (const [linkShare, linkMs] of [
    [0, 0],
    [0.25, 50],
    [1, 200],
  ] as const) {
    const decision = kvCentric({ linkShare }).decide(query, fleet(ranks, over));
    const [pair] = decision.explanation.candidates;
    expect(pair?.terms['linkMs']).toBeCloseTo(linkMs);
    expect(pair?.cost).toBeCloseTo(320 + 8 + 20 + linkMs);
    expect(chosen(decision).predictedTtftMs).toBeCloseTo(320 + 8 + 20);
  }
});

test('who holds a prefix at decode is preferred also where prefill hides the handover', () => {
  const over = { links: links({ 'prefill>decode-1': 20, 'prefill>decode-2': 20 }) };
  const held = sampleQuery({ promptTokens: 10 * SEGMENT, held: [['decode-2', Tier.HBM, 6]] });
  // Segments that need not move save 120 ms of the link; streams cost 2 ms each.
  const ranks = [decode('decode-1'), decode('decode-2', 14), prefill('prefill', true)];
  const decodeFor = (linkShare: number): string =>
    chosen(kvCentric({ ...untied, pulls: 0, linkShare }).decide(held, fleet(ranks, over))).decode
      .workerId;
  expect(decodeFor(0.25)).toBe('decode-2');
  expect(decodeFor(0.2)).toBe('decode-1');
});

test('who runs a request alone hands nothing over', () => {
  const [alone] = weighed(query, [rank('alone', 'both')]);
  expect(alone).toMatchObject({ mode: 'aggregated', terms: { handoverMs: 0, linkMs: 0 } });
  expect(alone?.cost).toBeCloseTo(320);
});

test('streams at decode cost, and are no part of the predicted time', () => {
  const decide = (streams: number, decodeStreamMs: number): Decision => {
    const ranks = [decode('decode-1', streams), decode('decode-2', 3), prefill('prefill', true)];
    return kvCentric({ ...untied, decodeStreamMs }).decide(query, fleet(ranks));
  };
  expect(chosen(decide(2, 2)).decode.workerId).toBe('decode-1');
  expect(chosen(decide(4, 2)).decode.workerId).toBe('decode-2');
  expect(chosen(decide(4, 0)).decode.workerId).toBe('decode-1');
  const [with0, with50] = [decide(2, 0), decide(2, 50)];
  expect(with50.explanation.candidates[0]?.terms).toMatchObject({ decodeLoadMs: 100 });
  expect(chosen(with50).predictedTtftMs).toBe(chosen(with0).predictedTtftMs);
});

test('streams cost where a request runs alone, too', () => {
  const ranks = [rank('both-1', 'both', { load: { streams: 5 } }), rank('both-2', 'both')];
  const records = weighed(sampleQuery({ promptTokens: SEGMENT }), ranks);
  const alone = records.filter(({ mode }) => mode === 'aggregated');
  expect(alone.map(({ terms }) => terms['decodeLoadMs'])).toEqual([0, 10]);
});

test('only workers between which KV can move are a pair, and it is said of the others', () => {
  const other = { facts: { layout: { ...layout, dtype: 'q8' } } };
  const ranks = [
    rank('decode', 'decode', other),
    rank('fits', 'prefill', { ...other, queueMs: 100 }),
    rank('idle', 'prefill'),
  ];
  const { explanation } = kvCentric().decide(query, fleet(ranks));
  expect(names(explanation.candidates)).toEqual(['fits>decode']);
  expect(explanation.considered).toBe(1);
  expect(explanation.ineligible).toContainEqual({
    workerId: 'idle',
    reason: 'KV cannot go to decode: dtype differs',
  });
});

test('ranks of one worker are no pair', () => {
  const [first, second] = [rank('w', 'both'), rank('w', 'both', { rank: 1 })];
  const ranks = [first, { ...second, facts: first.facts }];
  expect(names(weighed(query, ranks))).toEqual(['w>w', 'w>w']);
  expect(weighed(query, ranks).map(({ mode }) => mode)).toEqual(['aggregated', 'aggregated']);
});
