import { Tier } from '@baton/kv';
import { expect, test } from 'vitest';
import { removedMap, storedMap } from '../testing/engine-messages.ts';
import { FollowedEngine, hexKeys, tokensFrom } from '../testing/followed-engine.ts';

/** A prompt of whole segments in blocks of 64 tokens, named from `first` on. */
const prompt = (first: number, count: number, medium: string) =>
  storedMap({
    hashes: Array.from({ length: count }, (_, i) => BigInt(first + i)),
    tokens: tokensFrom(first, count * 64),
    blockTokens: 64,
    medium,
  });

test('a full cache takes no more, says so, and goes on when there is room again', () => {
  const { sink, cache, ...engine } = followed({ maxBlocks: 10 });
  engine.say(prompt(100, 8, 'GPU'), prompt(200, 5, 'GPU'));
  expect(cache.blocks).toBe(10);
  expect(cache.segments(Tier.HBM)).toBe(10);
  expect(cache.counters.refused).toBe(3);
  engine.say(removedMap({ hashes: [107n, 106n, 105n] }), prompt(200, 5, 'GPU'));
  expect(cache.segments(Tier.HBM)).toBe(10);
  expect(cache.counters).toMatchObject({ refused: 3, duplicates: 2 });
  expect(sink.problems).toEqual([]);
});

test('tiers that never say what left them make room for what is new', () => {
  const { sink, cache, ...engine } = followed({ maxBlocks: 50 });
  for (let i = 1; i <= 40; i += 1) engine.say(prompt(i * 100, 10, 'FS'));
  expect(cache.blocks).toBe(50);
  expect(cache.counters).toMatchObject({ evicted: 350, refused: 0 });
  expect(cache.segments(Tier.STORAGE)).toBe(50);
  engine.say(prompt(9_000, 30, 'GPU'));
  expect(cache.segments(Tier.HBM)).toBe(30);
  expect(cache.segments(Tier.STORAGE)).toBe(20);
  for (let i = 1; i <= 40; i += 1) engine.say(prompt(i * 100, 10, 'FS'));
  expect(sink.held(Tier.HBM)).toEqual(hexKeys(tokensFrom(9_000, 30 * 64)).sort());
  expect(sink.problems).toEqual([]);
});

test('a chain longer than the room does not push out what it hangs on', () => {
  const { sink, cache, ...engine } = followed({ maxBlocks: 3 });
  engine.say(prompt(100, 6, 'FS'));
  expect(cache.blocks).toBe(3);
  expect(cache.counters.refused).toBe(3);
  engine.say(prompt(200, 2, 'GPU'));
  expect(sink.held(Tier.HBM)).toEqual(hexKeys(tokensFrom(200, 2 * 64)).sort());
  engine.say(removedMap({ hashes: [200n, 201n] }));
  engine.say(prompt(300, 3, 'GPU'));
  expect(cache.segments(Tier.HBM)).toBe(3);
  expect(sink.problems).toEqual([]);
});

test('blocks of unknown content are kept up to a limit of their own', () => {
  const { sink, cache, ...engine } = followed({ maxUnresolvedBlocks: 6 });
  const lost = (first: number, parent: number) =>
    storedMap({
      hashes: [0, 1, 2, 3].map((i) => BigInt(first + i)),
      parent: BigInt(parent),
      tokens: tokensFrom(first, 256),
      blockTokens: 64,
    });
  engine.say(lost(1, 99), lost(11, 98), storedMap({ hashes: [50n, 51n, 52n] }));
  expect(cache.counters).toMatchObject({ unresolvedBlocks: 6, refused: 5 });
  expect(cache.counters.unresolved).toBe(11);
  engine.say(prompt(200, 3, 'GPU'));
  expect(sink.held(Tier.HBM)).toHaveLength(3);
  engine.say(removedMap({ hashes: [1, 2, 3, 4, 11, 12, 50].map(BigInt) }));
  expect(cache.counters.unresolvedBlocks).toBe(0);
  expect(cache.blocks).toBe(3);
});

function followed(options: ConstructorParameters<typeof FollowedEngine>[0]) {
  const engine = new FollowedEngine(options);
  return { sink: engine.sink, cache: engine.cache, say: engine.say.bind(engine) };
}
