import { expect, test } from 'vitest';
import { defaultsOf } from '../parameters.ts';
import type { PlanQuery, RankView } from '../policy.ts';
import { seededRandom } from '../random.ts';
import { sampleKeys, sampleQuery, sampleRank, SEGMENT } from '../testing/fleet-sample.ts';
import { prefixAffinityParameters } from './parameters.ts';
import { PrefixAffinityP2c } from './prefix-affinity-p2c.ts';

const defaults = defaultsOf(prefixAffinityParameters);

function policy(changes: Partial<typeof defaults> = {}): PrefixAffinityP2c {
  return new PrefixAffinityP2c({ ...defaults, ...changes }, seededRandom(1));
}

function replicas(...requests: number[]): RankView[] {
  return requests.map((streams, i) => sampleRank(`r${i + 1}`, 'both', { load: { streams } }));
}

/** A prompt of so many segments, of which the first so many are those of the family. */
function prompt(family: string, segments: number, shared = segments, nowMs = 0): PlanQuery {
  const query = sampleQuery({ promptTokens: segments * SEGMENT, family: `${family}'` }, { nowMs });
  query.segmentKeys.set(sampleKeys(family, shared));
  return query;
}

const at = (workerId: string) => ({ workerId, rank: 0 });
const pick = (one: PrefixAffinityP2c, query: PlanQuery, ranks: RankView[]): string =>
  `r${one.pick(query, 'whole', ranks).index + 1}`;

// Ray's prefix-aware router tests, in vectors/router-examples.json: "Hello" is a family here.
test('the example of the page: the prefix, the smaller tree, uneven load', () => {
  const one = policy();
  one.placed(prompt('hi', 2), at('r1'));
  one.placed(prompt('Hello', 5), at('r2'));
  expect(pick(one, prompt('Hello', 11, 5), replicas(0, 0))).toBe('r2');
  expect(pick(one, prompt('z', 1), replicas(0, 0))).toBe('r1');
  const limited = policy({ imbalancedThreshold: 2 });
  limited.placed(prompt('Hello', 5), at('r2'));
  expect(pick(limited, prompt('Hello', 5), replicas(0, 10))).toBe('r1');
});

test('the threshold of the match rate is not strict', () => {
  const one = policy();
  one.placed(prompt('a', 20), at('r2'));
  one.placed(prompt('b', 1), at('r1'));
  expect(pick(one, prompt('a', 10, 1), replicas(0, 0))).toBe('r2');
  expect(pick(one, prompt('a', 11, 1), replicas(0, 0))).toBe('r1');
});

test('the threshold of uneven load is strict, and by default there is none', () => {
  const limited = policy({ imbalancedThreshold: 2 });
  limited.placed(prompt('a', 5), at('r2'));
  expect(pick(limited, prompt('a', 5), replicas(0, 2))).toBe('r2');
  expect(pick(limited, prompt('a', 5), replicas(0, 3))).toBe('r1');
  const one = policy();
  one.placed(prompt('a', 5), at('r2'));
  expect(pick(one, prompt('a', 5), replicas(0, 1_000_000))).toBe('r2');
});

test('of those that have the match, or the smallest tree, the fewest requests; then the first', () => {
  const one = policy();
  for (const id of ['r1', 'r2', 'r3']) one.placed(prompt('a', 5), at(id));
  one.placed(prompt('a', 8), at('r4'));
  expect(pick(one, prompt('a', 5), replicas(3, 1, 1, 2))).toBe('r2');
  expect(pick(one, prompt('a', 8), replicas(0, 0, 0, 9))).toBe('r4');
  expect(pick(one, prompt('z', 5), replicas(3, 1, 1, 0))).toBe('r2');
  expect(pick(policy(), prompt('z', 5), replicas(0, 0, 0))).toBe('r1');
});

test('two are drawn when load is uneven, and the better is taken', () => {
  const one = policy({ imbalancedThreshold: 0 });
  const seen = new Set<string>();
  for (let i = 0; i < 50; i += 1) seen.add(pick(one, prompt('a', 5), replicas(9, 0, 5)));
  expect(seen).toEqual(new Set(['r2', 'r3']));
});

test('only replicas that can take it are matched, and a lost one leaves the tree', () => {
  const one = policy();
  one.placed(prompt('a', 5), at('r1'));
  one.placed(prompt('a', 3), at('r2'));
  const [, second, third] = replicas(0, 0, 0) as [RankView, RankView, RankView];
  expect(one.pick(prompt('a', 5), 'whole', [third, second]).index).toBe(1);
  one.forgetWorker('r1');
  one.forgetWorker('r2');
  expect(one.pick(prompt('a', 5), 'whole', replicas(5, 5, 0)).index).toBe(2);
});

function matchedTokens(one: PrefixAffinityP2c, family: string): number {
  const { scores } = one.pick(prompt(family, 4), 'whole', replicas(0));
  return scores[0]?.terms['matchedTokens'] ?? 0;
}

test('without eviction everything stays; with it, what has one time goes together', () => {
  const limits = { evictionThresholdTokens: 8 * SEGMENT, evictionTargetTokens: 7 * SEGMENT };
  for (const doEviction of [0, 1]) {
    const one = policy({ ...limits, doEviction, evictionIntervalMs: 100 });
    one.placed(prompt('a', 4, 4, 0), at('r1'));
    one.placed(prompt('b', 4, 4, 50), at('r1'));
    one.placed(prompt('c', 4, 4, 99), at('r1'));
    expect(matchedTokens(one, 'a')).toBe(4 * SEGMENT);
    one.placed(prompt('c', 4, 4, 100), at('r1'));
    const left = ['a', 'b', 'c'].map((family) => matchedTokens(one, family) / SEGMENT);
    // 5 segments are too much: all 4 of a, and of b not the one that is wanted but all 4.
    expect(left).toEqual(doEviction === 1 ? [0, 0, 4] : [4, 4, 4]);
  }
});

test('at the threshold nothing goes', () => {
  const limits = { evictionThresholdTokens: 8 * SEGMENT, evictionTargetTokens: SEGMENT };
  const one = policy({ ...limits, doEviction: 1, evictionIntervalMs: 0 });
  one.placed(prompt('a', 4, 4, 0), at('r1'));
  one.placed(prompt('b', 4, 4, 50), at('r1'));
  expect(matchedTokens(one, 'a')).toBe(4 * SEGMENT);
});
