import { Tier } from '@baton/kv';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { blockWorld, choices } from '../testing/block-world.ts';
import { clearedMap, removedMap, storedMap } from '../testing/engine-messages.ts';
import { FollowedEngine, hexKeys, tokensFrom } from '../testing/followed-engine.ts';
import { hybridEvent, hybridSteps, WINDOW } from '../testing/hybrid-steps.ts';
import { NaiveCache } from '../testing/naive-cache.ts';

const BLOCK = 16;
const SEGMENT = 64;
const tokens = tokensFrom(1, 256);
const names = Array.from({ length: 16 }, (_, i) => BigInt(i + 1));
const keys = hexKeys(tokens);
const full = { group: 0, kind: 'full_attention' };
const prompt = storedMap({ hashes: names, tokens, blockTokens: BLOCK, ...full });
const windowOf = (window: number, hashes = names) =>
  storedMap({ hashes, tokens, blockTokens: BLOCK, group: 1, kind: 'sliding_window', window });
const stateAt = (...hashes: bigint[]) =>
  storedMap({ hashes, tokens, blockTokens: BLOCK, group: 2, kind: 'mamba' });
const inGroup = (group: number, ...hashes: bigint[]) => removedMap({ hashes, group });
const points = (engine: FollowedEngine) => engine.sink.held(Tier.HBM, true);
const sorted = (list: readonly (string | undefined)[]) => [...list].sort();

test('without leave a hybrid model is refused: what was told is taken back, and no more is told', () => {
  const engine = new FollowedEngine();
  engine.say(prompt, storedMap({ hashes: names, medium: 'CPU' }));
  expect(engine.sink.held(Tier.HBM)).toEqual(sorted(keys));
  expect(engine.cache.hybridRefused).toBe(false);
  engine.say(windowOf(32));
  expect(engine.cache.hybridRefused).toBe(true);
  expect(engine.sink.calls.slice(-2)).toEqual(['clear 1', 'clear 4']);
  const { length } = engine.sink.calls;
  engine.say(prompt, inGroup(0, ...names), clearedMap);
  expect(engine.sink.calls).toHaveLength(length);
  expect(engine.cache.counters.ignored).toBe(16 + 16 + 16);
  expect(engine.cache.blocks).toBe(0);
  engine.cache.reset();
  engine.say(prompt);
  expect(engine.sink.held(Tier.HBM)).toEqual(sorted(keys));
  engine.say(windowOf(32));
  expect(engine.cache.hybridRefused).toBe(true);
  expect(engine.sink.held(Tier.HBM)).toEqual([]);
});

test('a group that turns out to be something else makes all that was understood void', () => {
  const engine = new FollowedEngine({ hybrid: true });
  engine.say(storedMap({ hashes: names, tokens, blockTokens: BLOCK }));
  expect(engine.sink.held(Tier.HBM)).toEqual(sorted(keys));
  engine.say(windowOf(32), storedMap({ hashes: [16n], tokens: [], kind: 'mamba' }));
  expect(engine.sink.held(Tier.HBM)).toEqual([]);
  expect(engine.cache.blocks).toBe(1);
});

test.each(['mamba', 'chunked_local_attention', 'sink_full_attention', 'of_tomorrow'])(
  'a group of kind %s makes a model hybrid',
  (kind) => {
    const engine = new FollowedEngine();
    engine.say(storedMap({ hashes: [1n], tokens: tokens.slice(0, 16), blockTokens: BLOCK, kind }));
    expect(engine.cache.hybridRefused).toBe(true);
  },
);

test('a second group that does not say its kind makes a model hybrid; MLA does not', () => {
  const engine = new FollowedEngine();
  engine.say(storedMap({ hashes: names, tokens, blockTokens: BLOCK, kind: 'mla_attention' }));
  expect(engine.cache.hybridRefused).toBe(false);
  engine.say(storedMap({ hashes: names, tokens, blockTokens: BLOCK, group: 1 }));
  expect(engine.cache.hybridRefused).toBe(true);
});

test.each([false, true])('a plain model tells no resume points, hybrid %s', (hybrid) => {
  const engine = new FollowedEngine({ hybrid });
  engine.say(prompt);
  expect(engine.sink.calls).toEqual(['store 1 4']);
});

test('a window has to be covered, and no more than it', () => {
  const engine = new FollowedEngine({ hybrid: true });
  // 33 tokens of window look back on 32: two blocks before each end.
  engine.say(prompt, windowOf(33, [3n, 4n, 8n, 11n, 12n]));
  expect(points(engine)).toEqual(sorted([keys[0], keys[2]]));
  engine.say(windowOf(33, [7n]), inGroup(1, 3n));
  expect(points(engine)).toEqual(sorted([keys[1], keys[2]]));
  engine.say(windowOf(33, [3n, 3n]), inGroup(1, 3n));
  expect(points(engine)).toEqual(sorted([keys[0], keys[1], keys[2]]));
});

test('a window longer than the chain needs all of the chain', () => {
  const engine = new FollowedEngine({ hybrid: true });
  engine.say(prompt, windowOf(128, names.slice(1)));
  // The first two ends lack block 1; the third looks back on 127 tokens, which begin in block 5.
  expect(points(engine)).toEqual(sorted([keys[2], keys[3]]));
  engine.say(windowOf(128, [1n]));
  expect(points(engine)).toEqual(sorted(keys));
});

test('every state group has to have the state at the end', () => {
  const engine = new FollowedEngine({ hybrid: true });
  engine.say(prompt, stateAt(8n, 9n, 16n));
  expect(points(engine)).toEqual(sorted([keys[1], keys[3]]));
  engine.say(windowOf(17, [8n]));
  expect(points(engine)).toEqual(sorted([keys[1]]));
  engine.say(inGroup(2, 8n));
  expect(points(engine)).toEqual([]);
});

test('a group of unknown needs lets nothing be resumed, and so do windows of unknown length', () => {
  const engine = new FollowedEngine({ hybrid: true });
  engine.say(prompt, stateAt(4n, 8n));
  expect(points(engine)).toHaveLength(2);
  engine.say(
    storedMap({ hashes: names, tokens, blockTokens: BLOCK, group: 3, kind: 'sliding_window' }),
  );
  expect(points(engine)).toEqual([]);
});

test('masked blocks: fewer hashes than tokens are right in a window group', () => {
  const engine = new FollowedEngine({ hybrid: true });
  engine.say(prompt, windowOf(17, [16n]));
  expect(engine.cache.counters.malformed).toBe(0);
  expect(points(engine)).toEqual([keys[3]]);
});

test('windows in larger blocks count where a block of theirs ends', () => {
  const engine = new FollowedEngine({ hybrid: true });
  const event = storedMap({
    hashes: [8n, 16n],
    tokens,
    blockTokens: 128,
    group: 1,
    kind: 'sliding_window',
    window: 100,
  });
  engine.say(prompt, event);
  expect(points(engine)).toEqual(sorted([keys[1], keys[3]]));
});

test('two groups of full attention hold together', () => {
  const engine = new FollowedEngine({ hybrid: true });
  engine.say(prompt, storedMap({ hashes: names.slice(0, 8), group: 4, kind: 'full_attention' }));
  expect(engine.sink.held(Tier.HBM)).toEqual(sorted(keys.slice(0, 2)));
  engine.say(inGroup(4, 2n));
  expect(engine.sink.held(Tier.HBM)).toEqual([keys[1]]);
  expect(engine.sink.problems).toEqual([]);
});

test('resume points are those of a cache without cleverness', () => {
  fc.assert(
    fc.property(choices, hybridSteps, (chosen, taken) => {
      const world = blockWorld(chosen, BLOCK, false);
      const naive = new NaiveCache(SEGMENT);
      const engine = new FollowedEngine({ hybrid: true, segmentTokens: SEGMENT });
      const seen = new Set<string>();
      for (const step of taken) {
        engine.say(hybridEvent(step, world, naive));
        if (step.kind === 'store') seen.add(step.group);
        for (const tier of [Tier.HBM, Tier.HOST]) {
          const states = seen.has('state') ? [`state ${tier}`] : [];
          const windows = new Map(seen.has('window') ? [[`window ${tier}`, WINDOW]] : []);
          expect(engine.sink.held(tier, true)).toEqual(naive.resumable(states, windows));
          expect(engine.sink.held(tier)).toEqual(naive.held(`full ${tier}`));
        }
      }
      expect(engine.sink.problems).toEqual([]);
      expect(engine.cache.counters.unresolvedBlocks).toBe(naive.unresolved);
    }),
    { numRuns: 150 },
  );
});
