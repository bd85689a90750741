import { Tier } from '@baton/kv';
import { expect, test } from 'vitest';
import { LinkRates } from '../link-rates.ts';
import { defaultsOf } from '../parameters.ts';
import type { LegPick, PlanQuery, RankView } from '../policy.ts';
import { sampleFleet, sampleQuery, sampleRank } from '../testing/fleet-sample.ts';
import { MooncakeArgmin } from './mooncake-argmin.ts';
import { mooncakeArgminParameters } from './parameters.ts';

const policy = new MooncakeArgmin(defaultsOf(mooncakeArgminParameters));
const capable = sampleRank('x').facts.capabilities;
type Changes = Parameters<typeof sampleRank>[2];
const rank = (id: string, changes: Changes = {}): RankView => sampleRank(id, 'prefill', changes);
const prompt = (
  held: Record<string, number> | [string, Tier, number][],
  changes: Partial<PlanQuery> = {},
): PlanQuery => sampleQuery({ promptTokens: 640, held }, changes);

function pick(query: PlanQuery, ranks: RankView[], fleet = sampleFleet(ranks)): LegPick {
  return policy.pick(query, 'prefill', ranks, fleet);
}

/** The pull of the second worker, when the first is busy. */
function pullOf(query: PlanQuery, second: Changes = {}, first: Changes = {}) {
  const ranks = [rank('w1', { queueMs: 10_000, ...first }), rank('w2', second)];
  return pick(query, ranks).scores[1]?.pulls?.[0];
}

test('the example of the page: the threshold, and the pull that it triggers', () => {
  const ranks = [rank('prefill-1', { queueMs: 1_000 }), rank('prefill-2'), rank('prefill-3')];
  const query = prompt({ 'prefill-1': 9, 'prefill-2': 5, 'prefill-3': 4 });
  const { index, scores } = pick(query, ranks);
  expect(index).toBe(2);
  expect(scores[0]).toEqual({
    terms: { transferMs: 0, queueMs: 1_000, prefillMs: 32 },
    cost: 1_032,
  });
  expect(scores[1]).toEqual({ terms: { transferMs: 0, queueMs: 0, prefillMs: 160 }, cost: 160 });
  expect(scores[2]).toMatchObject({
    terms: { queueMs: 0, prefillMs: 32 },
    pulls: [{ sourceWorker: 'prefill-1', firstSegment: 4, segments: 5 }],
  });
  expect(scores[2]?.terms['transferMs']).toBeCloseTo((5 * 65_536 * 1000) / 5e8);
});

test.each([
  [4, 8, false],
  [3, 8, true],
  [0, 1, true],
  [0, 0, false],
  [5, 4, false],
])('it holds %i, the best has %i: beyond the threshold is %s', (own, best, isBeyond) => {
  expect(pullOf(prompt({ w1: best, w2: own })) !== undefined).toBe(isBeyond);
});

test('transfer and queue are added, and a slow link can lose', () => {
  const links = new LinkRates({ defaultBytesPerSec: 65_536, maxLinks: 4 });
  const ranks = [rank('w1', { queueMs: 5_000 }), rank('w2', { queueMs: 100 })];
  const { index, scores } = pick(prompt({ w1: 9 }), ranks, sampleFleet(ranks, { links }));
  expect(scores[1]?.cost).toBe(9_000 + 100 + 32);
  expect(index).toBe(0);
});

test('the longest holder is the source, of equal ones the first; it need not be offered', () => {
  const ranks = ['w1', 'w2', 'w3', 'w4'].map((id) => rank(id));
  const query = prompt({ w1: 3, w2: 9, w3: 9 });
  const fleet = sampleFleet(ranks);
  const { scores } = policy.pick(query, 'prefill', ranks.slice(3), fleet);
  expect(scores[0]?.pulls).toEqual([{ sourceWorker: 'w2', firstSegment: 0, segments: 9 }]);
});

test('the last prompt token is computed, also where all is held elsewhere', () => {
  expect(pullOf(prompt({ w1: 10 }))?.segments).toBe(9);
});

test.each<[string, Changes, Changes]>([
  [
    'the destination cannot pull',
    { facts: { capabilities: { ...capable, pullPrefix: false } } },
    {},
  ],
  [
    'the source cannot export',
    {},
    { facts: { capabilities: { ...capable, exportPrefix: false } } },
  ],
  ['layouts differ', { facts: { layout: { ...rank('x').facts.layout, dtype: 'q8' } } }, {}],
  ['the source is only starting', {}, { state: 'starting' }],
])('nothing is pulled when %s', (_, destination, source) => {
  expect(pullOf(prompt({ w1: 9 }), destination, source)).toBeUndefined();
});

test('nothing is pulled while transfers are impossible, or from who failed before', () => {
  const ranks = [rank('w1', { queueMs: 10_000 }), rank('w2')];
  const fleet = sampleFleet(ranks, { transfersPossible: false });
  expect(pick(prompt({ w1: 9 }), ranks, fleet).scores[1]?.pulls).toBeUndefined();
  expect(pullOf(prompt({ w1: 9 }, { excluded: new Set(['w1']) }))).toBeUndefined();
});

test('what is in DRAM can be had from a worker that cannot export, or is draining', () => {
  const noExport = { facts: { capabilities: { ...capable, exportPrefix: false } } };
  const inDram: [string, Tier, number][] = [['w1', Tier.DRAM, 9]];
  expect(pullOf(prompt(inDram), {}, noExport)?.segments).toBe(9);
  expect(pullOf(prompt({ w1: 9 }), {}, { state: 'draining' })?.segments).toBe(9);
});

test('of equal ones the first; decode goes to the fewest KV tokens and pulls nothing', () => {
  const ranks = ['w1', 'w2'].map((id) => rank(id));
  expect([1, 2].map(() => pick(prompt({}), ranks).index)).toEqual([0, 0]);
  const decode = [5, 2].map((kvBlocks, i) => sampleRank(`d${i}`, 'decode', { load: { kvBlocks } }));
  const { index, scores } = policy.pick(prompt({ w1: 9 }), 'decode', decode, sampleFleet(decode));
  expect([index, scores[1]?.pulls]).toEqual([1, undefined]);
});
