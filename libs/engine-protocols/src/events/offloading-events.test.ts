import { Tier } from '@baton/kv';
import { expect, test } from 'vitest';
import { removedMap, storedMap, type StoredMessage } from '../testing/engine-messages.ts';
import { FollowedEngine, hexKeys, tokensFrom } from '../testing/followed-engine.ts';
import { str, type Bytes } from '../testing/msgpack-bytes.ts';

/**
 * Events of vLLM's OffloadingConnector, alone or under MultiConnector, as its sources of 0.32.0 have them: one name of a
 * chunk without tokens by default, whole chunks with `self_describing_kv_events`.
 */

const BLOCK = 16;
const tokens = tokensFrom(1, 128);
const names = (first: number, count: number) =>
  Array.from({ length: count }, (_, i) => BigInt(first + i));
const stored = (first: number, count: number, changes: Partial<StoredMessage> = {}): Bytes =>
  storedMap({
    ...{ hashes: names(first, count), blockTokens: BLOCK, medium: 'GPU', group: 0 },
    parent: first === 1 ? undefined : BigInt(first - 1),
    tokens: tokens.slice((first - 1) * BLOCK, (first - 1 + count) * BLOCK),
    ...changes,
  });
const placeholder = (name: number): Bytes =>
  storedMap({ hashes: [BigInt(name)], blockTokens: 0, medium: 'CPU', group: 0 });
const removed = (medium: string, first: number, count: number): Bytes =>
  removedMap({ hashes: names(first, count), medium, group: 0 });

function held(engine: FollowedEngine, salt?: string): Record<string, number> {
  const keys = new Set(hexKeys(tokens, 64, salt === undefined ? {} : { salt }));
  const count = (tier: Tier): number =>
    engine.sink.held(tier).filter((key) => keys.has(key)).length;
  return { hbm: count(Tier.HBM), host: count(Tier.HOST), storage: count(Tier.STORAGE) };
}

test('names alone: host memory holds what they were, and goes on when the GPU forgets it', () => {
  const engine = new FollowedEngine();
  engine.say(stored(1, 8));
  engine.say(...[1, 2, 3, 4, 5].map(placeholder));
  expect(held(engine)).toEqual({ hbm: 2, host: 1, storage: 0 });
  engine.say(removed('GPU', 1, 8));
  expect(held(engine)).toEqual({ hbm: 0, host: 1, storage: 0 });
  // What is loaded again is a store like any other.
  engine.say(stored(1, 4));
  expect(held(engine)).toEqual({ hbm: 1, host: 1, storage: 0 });
  engine.say(removed('CPU', 2, 1));
  expect(held(engine)).toEqual({ hbm: 1, host: 0, storage: 0 });
  expect(engine.sink.problems).toEqual([]);
});

test('of a chunk of several blocks the one name says too little: nothing counts as held', () => {
  const engine = new FollowedEngine();
  engine.say(stored(1, 8), placeholder(4), placeholder(8));
  expect(held(engine)).toEqual({ hbm: 2, host: 0, storage: 0 });
});

test('chunks that describe themselves: in host memory and on disk, told twice, and gone by all their names', () => {
  const engine = new FollowedEngine();
  const kind = 'full_attention';
  engine.say(stored(1, 4, { medium: 'CPU', kind }), stored(5, 4, { medium: 'CPU', kind }));
  expect(held(engine)).toEqual({ hbm: 0, host: 2, storage: 0 });
  engine.say(stored(1, 4, { medium: 'STORAGE', kind }), stored(1, 4, { medium: 'CPU', kind }));
  engine.say(removed('CPU', 1, 4));
  expect(held(engine)).toEqual({ hbm: 0, host: 2, storage: 1 });
  engine.say(removed('CPU', 1, 4));
  expect(held(engine)).toEqual({ hbm: 0, host: 1, storage: 1 });
});

test('they do not tell the salt: what the GPU said of a name before is believed', () => {
  const engine = new FollowedEngine();
  const extraKeys = [[str('tenant-a')], undefined, undefined, undefined];
  engine.say(stored(1, 4, { extraKeys }));
  engine.say(stored(1, 4, { medium: 'CPU' }));
  expect(held(engine, 'tenant-a')).toEqual({ hbm: 1, host: 1, storage: 0 });
  expect(held(engine)).toEqual({ hbm: 0, host: 0, storage: 0 });
  engine.say(removed('GPU', 1, 4), stored(1, 4, { medium: 'CPU' }));
  expect(held(engine)).toEqual({ hbm: 0, host: 0, storage: 0 });
});
