import { expect, test } from 'vitest';
import { defaultsOf } from '../parameters.ts';
import type { PlanQuery, RankView } from '../policy.ts';
import { sampleQuery, sampleRank } from '../testing/fleet-sample.ts';
import { prefixHashParameters } from './parameters.ts';
import { PrefixHash } from './prefix-hash.ts';

const policy = (): PrefixHash => new PrefixHash(defaultsOf(prefixHashParameters));
const workers = (...requests: number[]): RankView[] =>
  requests.map((streams, i) => sampleRank(`w${i + 1}`, 'both', { load: { streams } }));
const prompt = (family: string, promptTokens = 640): PlanQuery =>
  sampleQuery({ family, promptTokens });
const ownerOf = (query: PlanQuery, ranks = workers(0, 0, 0, 0)): number =>
  policy().pick(query, 'whole', ranks).index;

test('prompts that begin alike go to one worker, others spread', () => {
  const owners = Array.from({ length: 100 }, (_, i) => ownerOf(prompt(`family ${i}`)));
  expect(new Set(owners).size).toBe(4);
  expect(Array.from({ length: 5 }, () => ownerOf(prompt('a')))).toEqual(
    Array.from({ length: 5 }, () => ownerOf(prompt('a', 9_000))),
  );
});

test('256 tokens count, no more; a shorter prompt is placed by what it has', () => {
  for (let i = 0; i < 20; i += 1) {
    expect(ownerOf(prompt(`f${i}`, 256))).toBe(ownerOf(prompt(`f${i}`, 2_560)));
  }
  const differs = Array.from({ length: 20 }, (_, i) => i).some(
    (i) => ownerOf(prompt(`f${i}`, 64)) !== ownerOf(prompt(`f${i}`, 256)),
  );
  expect(differs).toBe(true);
});

test('a prompt without a whole segment goes to the fewest requests', () => {
  expect(ownerOf(prompt('a', 63), workers(3, 1, 1))).toBe(1);
});

/** Loads of four workers, of which the owner has so many and all together 100. */
function withOwner(query: PlanQuery, requests: number): { ranks: RankView[]; owner: number } {
  const owner = ownerOf(query);
  const rest = 100 - requests;
  const loads = [rest - 2 * Math.floor(rest / 3), Math.floor(rest / 3), Math.floor(rest / 3)];
  loads.splice(owner, 0, requests);
  return { ranks: workers(...loads), owner };
}

// The threshold of SMG's prefix_hash tests: 100 requests on 4 workers, 30 are fine and 35 are not.
test.each([
  [30, true],
  [31, true],
  [32, false],
  [35, false],
])('the example of the page: an owner with %i requests is taken: %s', (requests, isTaken) => {
  const query = prompt('a');
  const { ranks, owner } = withOwner(query, requests);
  const { index, reason } = policy().pick(query, 'whole', ranks);
  expect(index === owner).toBe(isTaken);
  const fewest = Math.min(...ranks.map((rank) => rank.load.streams));
  if (!isTaken) expect(ranks[index]?.load.streams).toBe(fewest);
  expect(reason).toMatch(isTaken ? /^owner/ : /too many/);
});

test('a worker that cannot take it is passed over, and only its prompts move', () => {
  const one = policy();
  const ranks = workers(0, 0, 0, 0);
  for (let i = 0; i < 40; i += 1) {
    const query = prompt(`f${i}`);
    const { index } = one.pick(query, 'whole', ranks);
    const others = ranks.slice(1);
    const moved = one.pick(query, 'whole', others).index + 1;
    if (index !== 0) expect(moved).toBe(index);
  }
  one.forgetWorker('w1');
  expect(one.pick(prompt('a'), 'whole', ranks).index).toBe(ownerOf(prompt('a')));
});
