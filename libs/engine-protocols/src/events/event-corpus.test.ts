import { Tier } from '@baton/kv';
import { expect, test } from 'vitest';
import { eventsOf } from '../testing/events-of.ts';
import type { PlainEvent } from '../testing/events-of.ts';
import { arr, bin, f64, i64, int, ints, map, nil, str, u64 } from '../testing/msgpack-bytes.ts';
import type { Bytes } from '../testing/msgpack-bytes.ts';
import { EventDecoder } from './event-decoder.ts';
import { SpecKind } from './event-fields.ts';
import type { EventDialect } from './event-fields.ts';

const decode = (bytes: Bytes, dialect: EventDialect = 'vllm') => {
  const batch = new EventDecoder(dialect).decode(Uint8Array.from(bytes));
  expect(batch).toMatchObject({ skipped: 0 });
  return { rank: batch?.rank, events: batch ? eventsOf(batch) : [] };
};
const only = (event: Bytes, dialect: EventDialect = 'vllm') =>
  decode(arr(f64(1.5), arr(event), int(0)), dialect).events[0];

const BIG = 18214826099119294338n;
const tokens = [1, 200, 40_000, 128_000];
const stored = (...rest: Bytes[]): Bytes =>
  arr(str('BlockStored'), arr(u64(BIG), int(7)), u64(6n), ints(tokens), int(2), ...rest);
const common: Partial<PlainEvent> = {
  type: 'stored',
  hashes: [`i${BIG}`, 'i7'],
  parent: 'i6',
  tokens,
  blockTokens: 2,
  tier: Tier.HBM,
  adapter: undefined,
  group: 0,
  specKind: SpecKind.ABSENT,
};

test('vLLM 0.9: a batch of two elements, no medium, the adapter as a number', () => {
  const batch = arr(f64(1.5), arr(stored(nil), stored(int(3))));
  const { rank, events } = decode(batch);
  expect(rank).toBe(0);
  expect(events).toMatchObject([common, { ...common, adapter: '3' }]);
});

test.each<[string, Bytes[], Partial<PlainEvent>]>([
  ['0.10.2 adds the medium', [nil, str('CPU')], { tier: Tier.HOST }],
  [
    '0.14 adds the name of the adapter, which counts more than its number',
    [int(1), str('GPU'), str('sql')],
    { adapter: 'sql' },
  ],
  [
    '0.17 adds the extra keys',
    [nil, str('GPU'), nil, arr(nil, nil)],
    { extraKeys: { count: 2, salt: undefined, media: [], opaqueFrom: Infinity } },
  ],
  ['0.20 adds the group', [nil, str('GPU'), nil, nil, int(3)], { group: 3 }],
  [
    '0.22 adds the kind of the group and its window',
    [nil, str('GPU'), nil, nil, int(1), str('sliding_window'), int(512)],
    { group: 1, specKind: SpecKind.WINDOW, windowTokens: 512 },
  ],
  [
    'what a later version adds is passed over',
    [nil, nil, nil, nil, int(0), str('full_attention'), nil, str('LOCAL'), map(['x', ints([1])])],
    { specKind: SpecKind.FULL },
  ],
])('vLLM arrays: %s', (_, rest, expected) => {
  expect(only(stored(...rest))).toMatchObject({ ...common, ...expected });
});

test.each<[string, Bytes, Partial<PlainEvent>]>([
  ['0.9', arr(str('BlockRemoved'), arr(int(7))), { tier: Tier.HBM }],
  ['0.10.2', arr(str('BlockRemoved'), arr(int(7)), str('CPU')), { tier: Tier.HOST }],
  ['0.20', arr(str('BlockRemoved'), arr(int(7)), str('GPU'), int(2)), { group: 2 }],
  ['later', arr(str('BlockRemoved'), arr(int(7)), nil, nil, str('LOCAL')), { tier: Tier.HBM }],
])('vLLM arrays of removals, %s', (_, event, expected) => {
  expect(only(event)).toMatchObject({ type: 'removed', hashes: ['i7'], ...expected });
});

test('vLLM 0.24 and later: maps, in any order, defaults left out, more than is known', () => {
  const event = map(
    ['block_size', int(2)],
    ['locality', str('REMOTE')],
    ['token_ids', ints(tokens)],
    ['parent_block_hash', u64(6n)],
    ['block_hashes', arr(u64(BIG), int(7))],
    ['some_day', map(['x', arr(nil)])],
    ['type', str('BlockStored')],
  );
  expect(only(event)).toMatchObject(common);
  expect(only(map(['type', str('AllBlocksCleared')]))).toMatchObject({ type: 'cleared' });
  expect(only(arr(str('AllBlocksCleared')))).toMatchObject({ type: 'cleared' });
  const removed = map(['block_hashes', arr(int(7))], ['type', str('BlockRemoved')]);
  expect(only(removed)).toMatchObject({ type: 'removed', hashes: ['i7'], tier: Tier.HBM });
});

test('a batch may be a map, and may lack its rank or have more elements', () => {
  const cleared = arr(map(['type', str('AllBlocksCleared')]));
  for (const [bytes, rank] of [
    [map(['ts', f64(1)], ['events', cleared], ['data_parallel_rank', int(3)]), 3],
    [map(['data_parallel_rank', nil], ['events', cleared]), 0],
    [map(['events', cleared], ['more', ints([1])]), 0],
    [arr(f64(1), cleared, nil), 0],
    [arr(int(1), cleared, int(12), str('more')), 12],
  ] as const) {
    expect(decode(bytes)).toMatchObject({ rank, events: [{ type: 'cleared' }] });
  }
});

test.each<[string, Bytes[], Partial<PlainEvent>]>([
  ['without a medium', [nil], {}],
  ['in pinned memory', [nil, str('CPU_PINNED')], { tier: Tier.HOST }],
  ['on disk', [nil, str('DISK')], { tier: Tier.STORAGE }],
  ['elsewhere', [nil, str('EXTERNAL')], { tier: Tier.STORAGE }],
  [
    'with the seventh field, a map',
    [nil, str('GPU'), map(['session_id', str('s')], ['cache_salt', str('tenant-a')])],
    { salt: 'tenant-a' },
  ],
  ['with an empty seventh field', [nil, str('GPU'), map(['cache_salt', nil])], { salt: undefined }],
  ['with no seventh field', [nil, str('GPU'), nil], { salt: undefined }],
])('SGLang arrays %s', (_, rest, expected) => {
  const hashes = arr(i64(BigInt.asIntN(64, BIG)), i64(-5n));
  const parent = i64(6n);
  const event = arr(str('BlockStored'), hashes, parent, ints(tokens), int(2), ...rest);
  const name = `i${BigInt.asUintN(64, -5n)}`;
  expect(only(event, 'sglang')).toMatchObject({
    ...common,
    hashes: [`i${BIG}`, name],
    ...expected,
  });
  const removed = arr(str('BlockRemoved'), arr(i64(-5n)), str('CPU_PINNED'));
  expect(only(removed, 'sglang')).toMatchObject({ hashes: [name], tier: Tier.HOST });
});

test('SGLang maps, should they come', () => {
  const event = map(
    ['type', str('BlockStored')],
    ['block_hashes', arr(i64(-1n))],
    ['parent_block_hash', nil],
    ['token_ids', ints([1, 2])],
    ['block_size', int(2)],
    ['metadata', map(['cache_salt', str('tenant-a')])],
  );
  expect(only(event, 'sglang')).toMatchObject({ salt: 'tenant-a', parent: undefined });
});

test('the seventh field of one engine is not that of the other', () => {
  const batch = (event: Bytes) => Uint8Array.from(arr(f64(1), arr(event), int(0)));
  const asMap = stored(nil, str('GPU'), map(['cache_salt', str('tenant-a')]));
  expect(new EventDecoder('vllm').decode(batch(asMap))).toMatchObject({ skipped: 1 });
  const asText = stored(nil, str('GPU'), str('sql'));
  expect(new EventDecoder('sglang').decode(batch(asText))).toMatchObject({ skipped: 1 });
});

test.each<[string, Tier | 0]>([
  ['GPU', Tier.HBM],
  ['CPU', Tier.HOST],
  ['cpu', Tier.HOST],
  ['CPU_PINNED', Tier.HOST],
  ['FS', Tier.STORAGE],
  ['OBJ', Tier.STORAGE],
  ['STORAGE', Tier.STORAGE],
  ['SHARED_STORAGE', Tier.STORAGE],
  ['DISK', Tier.STORAGE],
  ['EXTERNAL', Tier.STORAGE],
  ['gpu', 0],
  ['NVLINK', 0],
  ['', 0],
])('medium %j is tier %d', (medium, tier) => {
  expect(only(stored(nil, str(medium)))?.tier).toBe(tier);
});

test.each<[string, number]>([
  ['full_attention', SpecKind.FULL],
  ['mla_attention', SpecKind.FULL],
  ['sliding_window', SpecKind.WINDOW],
  ['sliding_window_mla', SpecKind.WINDOW],
  ['mamba', SpecKind.STATE],
  ['chunked_local_attention', SpecKind.OTHER],
  ['sink_full_attention', SpecKind.OTHER],
  ['cross_attention', SpecKind.OTHER],
  ['of_tomorrow', SpecKind.OTHER],
])('a group of kind %s', (kind, expected) => {
  expect(only(stored(nil, nil, nil, nil, int(0), str(kind)))?.specKind).toBe(expected);
});

test('hashes as bytes: 16 count, fewer are another name each', () => {
  const bytes = Uint8Array.from({ length: 32 }, (_, i) => i);
  const event = arr(
    str('BlockRemoved'),
    arr(
      bin(bytes),
      bin(bytes.subarray(0, 16)),
      bin(bytes.subarray(0, 8)),
      bin(bytes.subarray(0, 1)),
    ),
  );
  const hex = Buffer.from(bytes).toString('hex');
  expect(only(event)?.hashes).toEqual([
    `b${hex.slice(0, 32)}`,
    `b${hex.slice(0, 32)}`,
    `b${hex.slice(0, 16)}`,
    `b${hex.slice(0, 2)}`,
  ]);
});
