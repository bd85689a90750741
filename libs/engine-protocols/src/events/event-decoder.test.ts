import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  batchOf,
  clearedMap,
  hashBytes,
  removedMap,
  storedMap,
} from '../testing/engine-messages.ts';
import { eventsOf } from '../testing/events-of.ts';
import {
  arr,
  bin,
  f64,
  i16,
  i32,
  i64,
  i8,
  int,
  ints,
  map,
  nil,
  str,
  u16,
  u32,
  u64,
  u8,
  yes,
} from '../testing/msgpack-bytes.ts';
import type { Bytes } from '../testing/msgpack-bytes.ts';
import { EventDecoder } from './event-decoder.ts';

const stored = (changes: Record<string, Bytes | undefined> = {}): Bytes => {
  const fields: Record<string, Bytes | undefined> = {
    type: str('BlockStored'),
    block_hashes: ints([7, 8]),
    parent_block_hash: nil,
    token_ids: ints([1, 2, 3, 4]),
    block_size: int(2),
    ...changes,
  };
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return map(...(given as [string, Bytes][]));
};

test.each<[string, Bytes]>([
  ['hashes that are no list', stored({ block_hashes: int(7) })],
  ['no hashes at all', stored({ block_hashes: undefined })],
  ['a hash of text', stored({ block_hashes: arr(str('x')) })],
  ['a hash without bytes', stored({ block_hashes: arr(bin(new Uint8Array())) })],
  ['a hash with a fraction', stored({ block_hashes: arr(f64(1)) })],
  ['a parent of text', stored({ parent_block_hash: str('x') })],
  ['no parent at all', stored({ parent_block_hash: undefined })],
  ['a negative token', stored({ token_ids: ints([-1]) })],
  ['a token of text', stored({ token_ids: arr(str('a')) })],
  ['tokens in pairs', stored({ token_ids: arr(ints([1, 2])) })],
  ['a token beyond 32 bits', stored({ token_ids: arr(u64(2n ** 32n)) })],
  ['a token of 64 bits', stored({ token_ids: arr(u64(2n ** 64n - 1n)) })],
  ['no tokens at all', stored({ token_ids: nil })],
  ['a block size of text', stored({ block_size: str('16') })],
  ['no block size', stored({ block_size: nil })],
  ['a medium that is a number', stored({ medium: int(1) })],
  ['an adapter that is a number', stored({ lora_name: int(1) })],
  ['a group below zero', stored({ group_idx: int(-1) })],
  ['a group of 64 bits', stored({ group_idx: u64(2n ** 64n - 1n) })],
  ['a kind that is true', stored({ kv_cache_spec_kind: yes })],
  ['extra keys that are no list', stored({ extra_keys: str('x') })],
  ['extra keys of a block that are no list', stored({ extra_keys: arr(str('x')) })],
  [
    'a field twice',
    [
      ...stored()
        .slice(0, 1)
        .map((head) => head + 1),
      ...stored().slice(1),
      ...str('block_size'),
      ...int(2),
    ],
  ],
  ['an unknown name', arr(str('BlockMoved'), ints([7]))],
  ['a name that is no text', arr(int(1), ints([7]))],
  ['a map without type', map(['block_hashes', ints([7])])],
  ['an empty map', map()],
  ['an empty array', arr()],
  ['nil', nil],
  ['a number', int(5)],
])('%s: the event is left out, and the rest of its batch counts', (_, bad) => {
  const batch = new EventDecoder().decode(
    batchOf([removedMap({ hashes: [1n] }), bad, clearedMap, stored()]),
  );
  expect(batch).toMatchObject({ skipped: 1, eventCount: 3 });
  expect(eventsOf(batch!).map(({ type, hashes }) => [type, hashes])).toEqual([
    ['removed', ['i1']],
    ['cleared', []],
    ['stored', ['i7', 'i8']],
  ]);
});

const cleared = arr(clearedMap);
test.each<[string, Bytes]>([
  ['nothing', []],
  ['text', str('hello')],
  ['a number', [5]],
  ['an array without events', arr(f64(1))],
  ['a map without events', map(['ts', f64(1)])],
  ['events that are no list', arr(f64(1), str('x'))],
  ['a rank of text', arr(f64(1), cleared, str('x'))],
  ['a rank below zero', arr(f64(1), cleared, int(-1))],
  ['a rank of 64 bits', arr(f64(1), cleared, u64(2n ** 64n - 1n))],
  ['half a message', arr(f64(1), arr(stored()), int(0)).slice(0, 40)],
  ['an event that lacks its last value', [0x92, ...f64(1), 0x91, 0x92, 0x91, 0xc0]],
  ['something after the message', [...arr(f64(1), cleared, int(0)), 0xc0]],
  ['a byte that msgpack has not', arr(f64(1), cleared, [0xc1])],
  ['as many events as a lie can be', [0x92, ...f64(1), 0xdd, 0xff, 0xff, 0xff, 0xff]],
])('%s is no batch', (_, bytes) => {
  expect(new EventDecoder().decode(Uint8Array.from(bytes))).toBeUndefined();
});

test('a whole batch is no batch when it lacks any of its last bytes', () => {
  const whole = batchOf([stored({ medium: str('GPU') }), clearedMap], 3);
  const decoder = new EventDecoder();
  expect(decoder.decode(whole)).toMatchObject({ eventCount: 2, skipped: 0, rank: 3 });
  for (let length = 0; length < whole.length; length += 1) {
    expect(decoder.decode(whole.subarray(0, length))).toBeUndefined();
  }
});

test('lengths that lie allocate nothing', () => {
  const decoder = new EventDecoder();
  const lie = [0xdd, 0xff, 0xff, 0xff, 0xf0];
  const events = [
    stored({ token_ids: lie }),
    stored({ block_hashes: lie }),
    stored({ extra_keys: lie }),
    [0xdf, 0xff, 0xff, 0xff, 0xf0],
  ];
  for (const event of events) {
    expect(decoder.decode(batchOf([event]))).toBeUndefined();
  }
  const batch = decoder.decode(batchOf([clearedMap]));
  expect(batch!.tokens.length).toBeLessThan(10_000);
  expect(batch!.kinds.length).toBeLessThan(10_000);
});

test('every form of an integer is the same token and the same name', () => {
  const tokens = [u8(5), u16(5), u32(5), u64(5n), i8(5), i16(5), i32(5), i64(5n), [5]];
  const names = [...tokens, [0xff], i8(-1), i16(-1), i32(-1), i64(-1n), u64(2n ** 64n - 1n)];
  const event = stored({ token_ids: arr(...tokens), block_hashes: arr(...names) });
  const [read] = eventsOf(new EventDecoder().decode(batchOf([event]))!);
  expect(read?.tokens).toEqual(tokens.map(() => 5));
  expect(read?.hashes).toEqual(
    names.map((_, i) => (i < tokens.length ? 'i5' : `i${2n ** 64n - 1n}`)),
  );
});

test('tokens of all sizes come through, wherever they are in the message', () => {
  const token = fc.oneof(fc.nat(300), fc.nat(70_000), fc.integer({ min: 0, max: 0xffffffff }));
  fc.assert(
    fc.property(fc.array(fc.array(token, { maxLength: 40 }), { maxLength: 6 }), (lists) => {
      const events = lists.map((list) => stored({ token_ids: ints(list) }));
      const batch = new EventDecoder().decode(batchOf(events));
      expect(eventsOf(batch!).map(({ tokens }) => tokens)).toEqual(lists);
    }),
  );
});

test('removals one after the other are each what they are by themselves', () => {
  const name = fc.oneof(
    fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    fc.uint8Array({ minLength: 1, maxLength: 33 }),
  );
  const removal = fc.record({
    hashes: fc.oneof(fc.tuple(name), fc.array(name, { maxLength: 2 })),
    medium: fc.constantFrom('GPU', 'GPU', 'GPU', 'CPU', undefined),
    group: fc.constantFrom(0, 0, 0, 1, 300),
  });
  fc.assert(
    fc.property(fc.array(removal, { maxLength: 12 }), fc.boolean(), (removals, isArray) => {
      const events = removals.map((event) =>
        isArray
          ? arr(
              str('BlockRemoved'),
              arr(...event.hashes.map(hashBytes)),
              event.medium === undefined ? nil : str(event.medium),
              int(event.group),
            )
          : removedMap(event),
      );
      const decoder = new EventDecoder();
      const alone = events.flatMap((event) => eventsOf(decoder.decode(batchOf([event]))!));
      const together = decoder.decode(batchOf(events));
      expect(together?.skipped).toBe(0);
      expect(eventsOf(together!)).toEqual(alone);
    }),
  );
});

test('a removal that begins like the last one may still be broken', () => {
  const removal = (name: Bytes, ...rest: Bytes[]) => arr(str('BlockRemoved'), arr(name), ...rest);
  const events = [
    removal(u64(1n), str('GPU')),
    removal(str('no name'), str('GPU')),
    removal(u64(2n), int(7)),
    removal(u64(3n), str('GPU')),
  ];
  const batch = new EventDecoder().decode(batchOf(events));
  expect(batch?.skipped).toBe(2);
  expect(eventsOf(batch!).map(({ hashes }) => hashes)).toEqual([['i1'], ['i3']]);
  const cut = batchOf([events[0]!, events[0]!]);
  for (let length = cut.length - 20; length < cut.length; length += 1) {
    expect(new EventDecoder().decode(cut.subarray(0, length))).toBeUndefined();
  }
});

const opaque = { salt: undefined, media: [], opaqueFrom: 0 };
test.each<[string, object, readonly (readonly Bytes[] | undefined)[], object]>([
  ['a salt', {}, [[str('s')], undefined], { salt: 's', opaqueFrom: Infinity }],
  ['a salt that is the name of no adapter', {}, [[str('sql')]], { salt: 'sql' }],
  ['adapter and salt', { adapter: 'sql' }, [[str('sql'), str('s')]], { salt: 's' }],
  ['adapter alone', { adapter: 'sql' }, [[str('sql')], [str('sql')]], { salt: undefined }],
  ['a salt like the adapter', { adapter: 's' }, [[str('s'), str('s')]], { salt: 's' }],
  [
    'media, with what goes on from an earlier block',
    {},
    [
      [arr(str('cat'), int(3)), str('s')],
      [arr(str('cat'), int(-13)), arr(str('dog'), int(0))],
    ],
    {
      salt: 's',
      media: [
        { block: 0, offset: 3, id: 'cat' },
        { block: 1, offset: 0, id: 'dog' },
      ],
      opaqueFrom: Infinity,
    },
  ],
  ['a bare identifier and a salt', {}, [[str('cat'), str('s')]], opaque],
  ['a bare identifier later on', {}, [undefined, [str('cat')]], { ...opaque, opaqueFrom: 1 }],
  ['a salt inside of a chain', { parent: 5n }, [[str('s')]], opaque],
  ['prompt embeddings', {}, [[bin(Uint8Array.of(1, 2))]], opaque],
  ['an offset of 64 bits', {}, [[arr(str('cat'), u64(2n ** 63n))]], opaque],
])('extra keys: %s', (_, fields, extraKeys, expected) => {
  const hashes = extraKeys.map((_keys, i) => BigInt(i));
  const event = storedMap({ hashes, tokens: [1], blockTokens: 1, extraKeys, ...fields });
  const [read] = eventsOf(new EventDecoder().decode(batchOf([event]))!);
  expect(read?.extraKeys).toMatchObject({ count: extraKeys.length, ...expected });
});

test('a batch is used again, and what was in it before does not show', () => {
  const decoder = new EventDecoder();
  const first = storedMap({
    hashes: [1n, 2n],
    parent: 9n,
    tokens: [1, 2],
    blockTokens: 1,
    medium: 'CPU',
    adapter: 'sql',
    extraKeys: [[str('sql')], undefined],
    group: 2,
    kind: 'sliding_window',
    window: 9,
  });
  decoder.decode(batchOf([first, first], 4));
  const [event] = eventsOf(decoder.decode(batchOf([stored()]))!);
  expect(event).toEqual({
    type: 'stored',
    hashes: ['i7', 'i8'],
    parent: undefined,
    tokens: [1, 2, 3, 4],
    blockTokens: 2,
    tier: 1,
    adapter: undefined,
    salt: undefined,
    extraKeys: undefined,
    group: 0,
    specKind: 0,
    windowTokens: 0,
  });
});

test('names of models and tenants may have any characters', () => {
  const odd = 'ä 🦜\n\0"\\/.*>';
  const event = storedMap({
    hashes: [1n],
    tokens: [1],
    blockTokens: 1,
    adapter: odd,
    extraKeys: [[str(odd), str(odd)]],
  });
  const [read] = eventsOf(new EventDecoder().decode(batchOf([event]))!);
  expect(read).toMatchObject({ adapter: odd, extraKeys: { salt: odd } });
});
