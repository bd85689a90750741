import { expect, test } from 'vitest';
import type { RankView } from '../policy.ts';
import { seededRandom } from '../random.ts';
import { sampleQuery, sampleRank } from '../testing/fleet-sample.ts';
import { PowerOfTwo, twoOf } from './power-of-two.ts';

const query = sampleQuery({ promptTokens: 640 });

function rank(id: string, streams: number, kvUsedBlocks?: number): RankView {
  const reported = {
    rank: 0,
    runningSequences: 0,
    waitingSequences: 0,
    pendingPrefillTokens: 0,
    kvUsedBlocks: kvUsedBlocks ?? 0,
    prefillTokensPerSec: 0,
    decodeTokensPerSec: 0,
    dramBytesPerSec: 0,
    ssdBytesPerSec: 0,
  };
  const known = kvUsedBlocks === undefined ? undefined : reported;
  return sampleRank(id, 'both', {
    load: { streams, kvBlocks: kvUsedBlocks ?? 0 },
    reported: known,
  });
}

// The four situations of SMG's power_of_two tests.
test.each([
  ['both have reported', rank('w1', 10, 5), rank('w2', 2, 460), 0],
  ['the second has not', rank('w1', 10, 5), rank('w2', 2), 1],
  ['the first has not', rank('w1', 2), rank('w2', 10, 5), 0],
  ['neither has', rank('w1', 5), rank('w2', 3), 1],
])('%s', (_, first, second, expected) => {
  for (let seed = 0; seed < 10; seed += 1) {
    const { index } = new PowerOfTwo(seededRandom(seed)).pick(query, 'whole', [first, second]);
    expect(index).toBe(expected);
  }
});

test('two are drawn and differ; one alone is taken', () => {
  const random = seededRandom(3);
  const seen = new Set<string>();
  for (let i = 0; i < 500; i += 1) {
    const [first, second] = twoOf(random, 4);
    expect(first).not.toBe(second);
    seen.add(`${first} ${second}`);
  }
  expect(seen.size).toBe(12);
  expect(new PowerOfTwo(random).pick(query, 'whole', [rank('w1', 9)]).index).toBe(0);
});

test('of two with the same load, the one that was drawn first is taken', () => {
  const ranks = ['w1', 'w2', 'w3'].map((id) => rank(id, 1));
  for (let seed = 0; seed < 20; seed += 1) {
    const [first] = twoOf(seededRandom(seed), 3);
    expect(new PowerOfTwo(seededRandom(seed)).pick(query, 'whole', ranks).index).toBe(first);
  }
});

test('less load is taken more often, the most loaded never', () => {
  const policy = new PowerOfTwo(seededRandom(1));
  const ranks = [rank('w1', 10), rank('w2', 5), rank('w3', 0)];
  const counts = [0, 0, 0];
  for (let i = 0; i < 300; i += 1) {
    const { index } = policy.pick(query, 'whole', ranks);
    counts[index] = (counts[index] ?? 0) + 1;
  }
  expect(counts[0]).toBe(0);
  expect(counts[2]).toBeGreaterThan(counts[1] ?? 0);
});
