import { expect, test } from 'vitest';
import { defaultsOf } from '../parameters.ts';
import type { PlanQuery, RankView } from '../policy.ts';
import { sampleKeys, sampleQuery, sampleRank, SEGMENT } from '../testing/fleet-sample.ts';
import { ApproxRadix } from './approx-radix.ts';
import { approxRadixParameters } from './parameters.ts';

const defaults = defaultsOf(approxRadixParameters);

function workers(...requests: number[]): RankView[] {
  return requests.map((streams, i) => sampleRank(`w${i + 1}`, 'both', { load: { streams } }));
}

function withUsage(id: string, kvUsedBlocks: number, streams: number): RankView {
  const reported = {
    rank: 0,
    runningSequences: 0,
    waitingSequences: 0,
    pendingPrefillTokens: 0,
    kvUsedBlocks,
    prefillTokensPerSec: 0,
    decodeTokensPerSec: 0,
    dramBytesPerSec: 0,
    ssdBytesPerSec: 0,
  };
  return sampleRank(id, 'both', { reported, load: { streams, kvBlocks: kvUsedBlocks } });
}

/** A prompt of so many segments, of which the first so many are those of the family. */
function prompt(family: string, segments: number, shared = segments, nowMs = 0): PlanQuery {
  const query = sampleQuery({ promptTokens: segments * SEGMENT, family: `${family}'` }, { nowMs });
  query.segmentKeys.set(sampleKeys(family, shared));
  return query;
}

function place(policy: ApproxRadix, query: PlanQuery, ranks: readonly RankView[]): string {
  const { facts, rank } = ranks[policy.pick(query, 'whole', ranks).index] as RankView;
  policy.placed(query, { workerId: facts.workerId, rank });
  return facts.workerId;
}

test('the example of the page: the threshold is strict', () => {
  const policy = new ApproxRadix(defaults);
  const idle = workers(0, 0);
  expect(place(policy, prompt('a', 10), idle)).toBe('w1');
  expect(place(policy, prompt('b', 10), idle)).toBe('w2');
  expect(policy.pick(prompt('a', 10, 3), 'whole', workers(1, 0)).index).toBe(1);
  expect(policy.pick(prompt('a', 10, 4), 'whole', workers(1, 0)).index).toBe(0);
});

test('tokens behind the last whole segment count in the rate', () => {
  const policy = new ApproxRadix({ ...defaults, cacheThreshold: 0.5 });
  place(policy, prompt('a', 1), workers(0, 0));
  const longer = { ...prompt('a', 1), promptTokens: 2 * SEGMENT - 1 };
  expect(policy.pick(longer, 'whole', workers(1, 0)).index).toBe(0);
  const twice = { ...prompt('a', 1), promptTokens: 2 * SEGMENT };
  expect(policy.pick(twice, 'whole', workers(1, 0)).index).toBe(1);
});

// From SMG's policy tests, in vectors/router-examples.json.
test('20 requests against none: the idle worker always, whatever the other has', () => {
  const parameters = { cacheThreshold: 0.5, balanceAbsThreshold: 5, balanceRelThreshold: 2 };
  const policy = new ApproxRadix({ ...defaults, ...parameters });
  policy.placed(prompt('a', 10), { workerId: 'w1', rank: 0 });
  for (let i = 0; i < 5; i += 1) {
    const pick = policy.pick(prompt('a', 10), 'whole', workers(20, 0));
    expect(pick).toMatchObject({ index: 1, reason: 'load is uneven: least load' });
  }
});

test.each([
  [64, 0, false, 'the difference is not greater than 64'],
  [65, 0, true, 'it is, and any number is more than 1.5 times none'],
  [195, 130, false, 'it is, but 195 is not more than 1.5 times 130'],
  [196, 130, true, 'both are passed'],
])('%i against %i requests: uneven is %s: %s', (most, least, isUneven) => {
  const policy = new ApproxRadix(defaults);
  policy.placed(prompt('a', 10), { workerId: 'w1', rank: 0 });
  const { index } = policy.pick(prompt('a', 10), 'whole', workers(most, least));
  expect(index).toBe(isUneven ? 1 : 0);
});

test('KV usage decides only where it is switched on', () => {
  const ranks = [withUsage('w1', 512, 1), withUsage('w2', 0, 0)];
  const indexWith = (changes: Partial<typeof defaults>): number => {
    const policy = new ApproxRadix({ ...defaults, ...changes });
    policy.placed(prompt('a', 10), { workerId: 'w1', rank: 0 });
    return policy.pick(prompt('a', 10), 'whole', ranks).index;
  };
  expect(indexWith({})).toBe(0);
  expect(indexWith({ overloadKvUsage: 0.99 })).toBe(1);
  expect(indexWith({ balanceKvUsage: 0.99 })).toBe(1);
});

test('the least loaded: requests, then how many it was ever given, then order', () => {
  const policy = new ApproxRadix(defaults);
  const idle = workers(0, 0, 0);
  expect(['a', 'b', 'c', 'd'].map((family) => place(policy, prompt(family, 2), idle))).toEqual([
    'w1',
    'w2',
    'w3',
    'w1',
  ]);
  expect(policy.pick(prompt('e', 2), 'whole', workers(1, 1, 0)).index).toBe(2);
  policy.forgetWorker('w1');
  expect(policy.pick(prompt('e', 2), 'whole', idle).index).toBe(0);
});

test('a matched rank that is gone: the first, and nothing is entered', () => {
  const policy = new ApproxRadix(defaults);
  policy.placed(prompt('a', 10), { workerId: 'w1', rank: 0 });
  policy.forgetWorker('w1');
  const others = workers(0, 9, 0).slice(1);
  for (let i = 0; i < 3; i += 1) {
    expect(policy.pick(prompt('a', 10), 'whole', others).reason).toMatch(/not there: the first/);
    expect(place(policy, prompt('a', 10), others)).toBe('w2');
  }
  expect(place(policy, prompt('a', 10), workers(5, 0, 0))).toBe('w1');
});

test('where load was uneven, too, the prompt is entered for the chosen rank', () => {
  const policy = new ApproxRadix(defaults);
  policy.placed(prompt('a', 10), { workerId: 'w1', rank: 0 });
  expect(place(policy, prompt('a', 10), workers(100, 0))).toBe('w2');
  expect(policy.pick(prompt('a', 10), 'whole', workers(0, 1)).index).toBe(1);
});

test('trees are cut at the interval, not before; the least recently used leaves go', () => {
  const changes = { maxTreeTokens: 6 * SEGMENT, evictionIntervalMs: 1_000 };
  const policy = new ApproxRadix({ ...defaults, ...changes });
  const one = workers(0);
  place(policy, prompt('a', 4, 4, 5_000), one);
  place(policy, prompt('b', 4, 4, 5_100), one);
  const matched = (family: string): number =>
    policy.pick(prompt(family, 4), 'whole', one).scores[0]?.terms['matchedTokens'] ?? 0;
  place(policy, prompt('a', 4, 4, 5_999), one);
  expect([matched('a'), matched('b')]).toEqual([4 * SEGMENT, 4 * SEGMENT]);
  place(policy, prompt('a', 1, 1, 6_000), one);
  expect([matched('a'), matched('b')]).toEqual([4 * SEGMENT, 2 * SEGMENT]);
});

test('what is asked for and not carried out leaves nothing', () => {
  const policy = new ApproxRadix(defaults);
  policy.pick(prompt('a', 10), 'whole', workers(0, 0));
  expect(policy.pick(prompt('a', 10), 'whole', workers(1, 0)).index).toBe(1);
});

test('to be matched is to be used: it goes later, also when another rank is taken', () => {
  const changes = { maxTreeTokens: 4 * SEGMENT, evictionIntervalMs: 1_000 };
  const policy = new ApproxRadix({ ...defaults, ...changes });
  const [first] = workers(0, 0) as [RankView, RankView];
  place(policy, prompt('a', 2), [first]);
  place(policy, prompt('b', 3), [first]);
  // Two of ten segments are too few to decide: w2 is taken, but w1's part of it was looked at.
  expect(place(policy, prompt('a', 10, 2), workers(5, 0))).toBe('w2');
  place(policy, prompt('c', 1, 1, 1_000), [first]);
  const matched = (family: string): number =>
    policy.pick(prompt(family, 3), 'whole', [first]).scores[0]?.terms['matchedTokens'] ?? 0;
  expect(matched('b') / SEGMENT).toBe(1);
});
