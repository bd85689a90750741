import { Tier } from '@baton/kv';
import { expect, test } from 'vitest';
import { batchOf, clearedMap, removedMap, storedMap } from '../testing/engine-messages.ts';
import { FollowedEngine, hexKeys, tokensFrom } from '../testing/followed-engine.ts';
import { arr, int, ints, nil, str, u64 } from '../testing/msgpack-bytes.ts';
import type { Bytes } from '../testing/msgpack-bytes.ts';

/** Faults that other systems of this kind were reported for, each by its name. */

const tokens = tokensFrom(1, 128);
const names = [1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n];
const prompt = storedMap({ hashes: names, tokens, blockTokens: 16, medium: 'GPU' });

test('an engine restarts: blocks of its former life do not stay as ghosts', () => {
  const engine = new FollowedEngine();
  engine.say(prompt, storedMap({ hashes: names, medium: 'CPU' }));
  engine.cache.reset();
  expect(engine.sink.held(Tier.HBM)).toEqual([]);
  expect(engine.sink.held(Tier.HOST)).toEqual([]);
  // The same names may mean something else now.
  const other = tokensFrom(2, 128);
  engine.say(storedMap({ hashes: names, tokens: other, blockTokens: 16 }));
  expect(engine.sink.held(Tier.HBM)).toEqual(hexKeys(other).sort());
  expect(engine.cache.counters.mismatched).toBe(0);
});

test('children of an unknown parent are not dropped for ever: they count when it becomes known', () => {
  const engine = new FollowedEngine();
  engine.say(
    storedMap({ hashes: names.slice(4), parent: 4n, tokens: tokens.slice(64), blockTokens: 16 }),
  );
  expect(engine.sink.held(Tier.HBM)).toEqual([]);
  expect(engine.cache.counters.unresolvedBlocks).toBe(4);
  engine.say(
    storedMap({ hashes: names.slice(0, 4), tokens: tokens.slice(0, 64), blockTokens: 16 }),
  );
  expect(engine.sink.held(Tier.HBM)).toEqual(hexKeys(tokens).sort());
  expect(engine.cache.counters.unresolvedBlocks).toBe(0);
});

test('"all blocks cleared" is applied, not only noted', () => {
  const engine = new FollowedEngine();
  engine.say(prompt);
  expect(engine.sink.held(Tier.HBM)).toHaveLength(2);
  engine.say(clearedMap, storedMap({ hashes: [91n], tokens: tokensFrom(9, 64), blockTokens: 64 }));
  expect(engine.sink.held(Tier.HBM)).toEqual(hexKeys(tokensFrom(9, 64)));
});

test('a tier that was not named before is not taken for HBM', () => {
  const engine = new FollowedEngine();
  engine.say(storedMap({ hashes: names, tokens, blockTokens: 16, medium: 'NEW_KIND_OF_DISK' }));
  engine.say(removedMap({ hashes: names, medium: 'NEW_KIND_OF_DISK' }));
  expect(engine.sink.calls).toEqual([]);
  expect(engine.cache.counters).toMatchObject({ ignored: 16, absent: 0 });
});

test('an engine changes its encoding from one version to the next: both are understood', () => {
  const asArray: Bytes = arr(
    str('BlockStored'),
    arr(...names.map(u64)),
    nil,
    ints(tokens),
    int(16),
    nil,
    str('GPU'),
  );
  for (const event of [asArray, prompt]) {
    const engine = new FollowedEngine();
    engine.say(event);
    expect(engine.sink.held(Tier.HBM)).toEqual(hexKeys(tokens).sort());
  }
});

test('a block size that does not fit shows in numbers, not only in hits that never come', () => {
  const engine = new FollowedEngine({ segmentTokens: 96, blockTokens: 16 });
  engine.say(storedMap({ hashes: [1n, 2n], tokens, blockTokens: 64 }));
  expect(engine.cache.counters).toMatchObject({ malformed: 1, otherBlockSizes: 1 });
  expect(engine.cache.blockTokens).toBe(64);
  expect(engine.sink.calls).toEqual([]);
});

test('hashes that another one computes differently do not matter: keys follow from tokens', () => {
  const engine = new FollowedEngine();
  engine.say(prompt);
  const other = new FollowedEngine();
  const otherNames = names.map((name) => Uint8Array.from({ length: 32 }, () => Number(name) * 7));
  other.say(storedMap({ hashes: otherNames, tokens, blockTokens: 16 }));
  expect(other.sink.held(Tier.HBM)).toEqual(engine.sink.held(Tier.HBM));
});

test('one bad event does not take its batch along', () => {
  const engine = new FollowedEngine();
  const bad = arr(str('BlockStored'), str('no list'), nil, nil, nil);
  const batch = engine.decoder.decode(batchOf([bad, prompt, bad]));
  expect(batch?.skipped).toBe(2);
  engine.cache.apply(batch!);
  const unfit = storedMap({ hashes: [9n], tokens: [1], blockTokens: 16 });
  engine.say(unfit, removedMap({ hashes: [99n, 8n] }));
  expect(engine.sink.held(Tier.HBM)).toEqual(hexKeys(tokens).slice(0, 1));
  expect(engine.cache.counters).toMatchObject({ malformed: 1, absent: 1 });
});

test('a removal of many goes on behind the first that is not there', () => {
  const engine = new FollowedEngine();
  engine.say(prompt, removedMap({ hashes: [77n, ...names, 78n] }));
  expect(engine.sink.held(Tier.HBM)).toEqual([]);
  expect(engine.cache.counters.absent).toBe(2);
  expect(engine.cache.blocks).toBe(0);
});
