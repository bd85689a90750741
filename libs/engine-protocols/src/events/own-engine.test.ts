import { keyAt, rootKey, segmentKeys, Tier, unpackKeys } from '@baton/kv';
import { expect, test } from 'vitest';
import { removedMap, storedMap } from '../testing/engine-messages.ts';
import { FollowedEngine, hexKeys, TOKENIZATION, tokensFrom } from '../testing/followed-engine.ts';
import { str } from '../testing/msgpack-bytes.ts';
import { encodeEventBatch } from '../vllm-events-encode.ts';

const SEGMENT = 4;
const own = () => new FollowedEngine({ segmentTokens: SEGMENT, hashesAreKeys: true });
const sorted = (keys: readonly string[]): string[] => [...keys].sort();

function chain(segments: number, seed = 0, salt?: string) {
  const tokens = tokensFrom(seed, segments * SEGMENT);
  const packed = segmentKeys(rootKey({ tokenization: TOKENIZATION, salt }), tokens, SEGMENT);
  return { tokens, packed, keys: unpackKeys(packed), hex: hexKeys(tokens, SEGMENT, { salt }) };
}

test.each([undefined, 'tenant-a'])('what our engine encodes is understood, salt %s', (salt) => {
  const engine = own();
  const { tokens, packed, hex } = chain(3, 1, salt);
  const blockHashes = [0, 1, 2].map((i) => keyAt(packed, i));
  const payload = encodeEventBatch(
    1,
    [
      {
        type: 'BlockStored',
        blockHashes: blockHashes.slice(0, 2),
        parentBlockHash: null,
        tokenIds: tokens.slice(0, 8),
        blockSize: SEGMENT,
        extraKeys: [salt === undefined ? null : [salt], null],
      },
      {
        type: 'BlockStored',
        blockHashes: blockHashes.slice(2),
        parentBlockHash: keyAt(packed, 1),
        tokenIds: tokens.slice(8),
        blockSize: SEGMENT,
        extraKeys: [null],
      },
      { type: 'BlockRemoved', blockHash: keyAt(packed, 2) },
    ],
    0,
  );
  const batch = engine.decoder.decode(payload);
  expect(batch).toMatchObject({ eventCount: 3, skipped: 0 });
  engine.cache.apply(batch!);
  expect(engine.sink.held(Tier.HBM)).toEqual(sorted(hex.slice(0, 2)));
  expect(engine.cache.counters).toMatchObject({ mismatched: 0, unresolved: 0, ignored: 0 });
});

test('a hash that does not follow from its tokens is counted, and so is what hangs on it', () => {
  const engine = own();
  const { tokens, keys, hex } = chain(3);
  const wrong = tokens.map((token, i) => (i === 5 ? 77 : token));
  engine.say(storedMap({ hashes: keys, tokens: wrong, blockTokens: SEGMENT }));
  expect(engine.sink.held(Tier.HBM)).toEqual(hex.slice(0, 1));
  expect(engine.cache.counters.mismatched).toBe(2);
  const salted = chain(1, 0, 'tenant-a');
  engine.say(
    storedMap({
      hashes: salted.keys,
      tokens: salted.tokens,
      blockTokens: SEGMENT,
      extraKeys: [[str('tenant-b')]],
    }),
  );
  expect(engine.cache.counters.mismatched).toBe(3);
  engine.say(storedMap({ hashes: [1n], tokens: salted.tokens, blockTokens: SEGMENT }));
  expect(engine.cache.counters.mismatched).toBe(4);
  engine.say(removedMap({ hashes: keys }));
  expect(engine.cache.blocks).toBe(0);
});

test('a chain whose beginning was missed is understood from its parent, which is checked when it comes', () => {
  const engine = own();
  const { tokens, keys, hex } = chain(3);
  const tail = {
    hashes: keys.slice(1),
    parent: keys[0],
    tokens: tokens.slice(4),
    blockTokens: SEGMENT,
  };
  engine.say(storedMap(tail));
  expect(engine.sink.held(Tier.HBM)).toEqual(sorted(hex.slice(1)));
  const first = { hashes: keys.slice(0, 1), blockTokens: SEGMENT };
  engine.say(storedMap({ ...first, tokens: tokens.slice(4, 8) }));
  expect(engine.cache.counters.mismatched).toBe(1);
  expect(engine.sink.held(Tier.HBM)).toEqual(sorted(hex.slice(1)));
  engine.say(storedMap({ ...first, tokens: tokens.slice(0, 4) }));
  expect(engine.sink.held(Tier.HBM)).toEqual(sorted(hex));
  engine.say(removedMap({ hashes: keys }));
  expect(engine.cache.blocks).toBe(0);
  expect(engine.sink.problems).toEqual([]);
});

test('blocks that are not whole segments have no keys for names', () => {
  const engine = own();
  const { tokens, keys } = chain(1);
  engine.say(storedMap({ hashes: [keys[0]!, keys[0]!], tokens, blockTokens: 2 }));
  expect(engine.cache.counters.malformed).toBe(1);
  expect(engine.cache.blocks).toBe(0);
});
