import { encode } from '@msgpack/msgpack';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readMsgpackBody } from './msgpack-body.ts';
import { refusalBody } from './refusal.ts';
import { HASH_WORDS, HashList, TokenList } from './request-body.ts';

const fields = ['model', 'block_size', 'token_ids', 'seq_hashes', 'hash_profile', 'cache_group'];

function read(bytes: Uint8Array, max = 1000): ReadonlyMap<string, unknown> {
  const shape = {
    fields: new Set(fields),
    tokens: new TokenList(max),
    hashes: new HashList(max),
  };
  return readMsgpackBody(bytes, shape);
}

const pack = (value: unknown): Uint8Array => encode(value, { useBigInt64: true });

function refused(bytes: Uint8Array, max?: number): unknown {
  try {
    read(bytes, max);
  } catch (error) {
    return refusalBody(error);
  }
  return undefined;
}

function tokensOf(value: unknown): number[] {
  const list = read(pack({ token_ids: value })).get('token_ids') as TokenList;
  return [...list.ids.subarray(0, list.count)];
}

test('fields of every kind', () => {
  const body = read(
    pack({ model: 'ä"\0', block_size: 16, hash_profile: { a: 'b' }, cache_group: null }),
  );
  expect(body.get('model')).toBe('ä"\0');
  expect(body.get('block_size')).toBe(16);
  expect(body.get('cache_group')).toBe(null);
  expect(body.get('hash_profile')).toEqual(new Map([['a', 'b']]));
  expect(read(pack({ block_size: 1.5 })).get('block_size')).toBe(1.5);
  expect(read(pack({ model: true })).get('model')).toBe(true);
  expect([...read(pack({}))]).toEqual([]);
});

test('token ids are an array of integers, or a byte string of 32-bit little-endian ones', () => {
  const ids = [0, 127, 128, 65_535, 65_536, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1];
  expect(tokensOf(ids)).toEqual(ids);
  expect(tokensOf(new Uint8Array(Uint32Array.from(ids).buffer))).toEqual(ids);
  expect(tokensOf(new Uint8Array(0))).toEqual([]);
});

test('hashes are integers of 64 bits, signed or not, or bytes', () => {
  const bytes = Uint8Array.from({ length: 32 }, (_, i) => i + 1);
  const hashes = [5, -5n, 2n ** 64n - 1n, -(2n ** 63n), bytes, bytes.subarray(0, 8)];
  const list = read(pack({ seq_hashes: hashes })).get('seq_hashes') as HashList;
  const words = (i: number): number[] => [...list.words.subarray(i * HASH_WORDS, (i + 1) * 4)];
  expect(list.count).toBe(6);
  expect(words(0)).toEqual([0, 5, 0, 0]);
  expect(words(1)).toEqual([0xffffffff, 0xfffffffb, 0, 0]);
  expect(words(2)).toEqual([0xffffffff, 0xffffffff, 0, 0]);
  expect(words(3)).toEqual([0x80000000, 0, 0, 0]);
  expect(words(4)).toEqual([0x01020304, 0x05060708, 0x090a0b0c, 0x0d0e0f10]);
  expect([...list.kinds.subarray(0, 6)]).toEqual([0, 0, 0, 0, 16, 8]);
});

test.each([
  [[1, -1], 'out_of_range'],
  [[1, 2n ** 32n], 'out_of_range'],
  [[1, 2n ** 64n - 1n], 'out_of_range'],
  [[1, 1.5], 'invalid_type'],
  [[1, 'x'], 'invalid_type'],
  [[1, null], 'invalid_type'],
])('of %s the second one is no token id', (value, reason) => {
  expect(refused(pack({ token_ids: value }))).toMatchObject({
    reason,
    field: 'token_ids',
    index: 1,
  });
});

test('a byte string that is no list of token ids is refused', () => {
  expect(refused(pack({ token_ids: new Uint8Array(7) }))).toMatchObject({
    reason: 'invalid_value',
    field: 'token_ids',
    error: 'token_ids must be token ids of 4 bytes each, not 7 bytes',
  });
});

test('lists have a limit that is looked at before anything is allocated', () => {
  expect(refused(pack({ token_ids: [1, 2, 3, 4] }), 3)).toMatchObject({ reason: 'too_many' });
  expect(refused(pack({ token_ids: new Uint8Array(16) }), 3)).toMatchObject({ reason: 'too_many' });
  expect(refused(pack({ seq_hashes: [1, 2, 3, 4] }), 3)).toMatchObject({ reason: 'too_many' });
  // An array of 2^32 - 1 elements in 20 bytes.
  const lie = Uint8Array.from([0x81, 0xa9, ...Buffer.from('token_ids'), 0xdd, 255, 255, 255, 255]);
  expect(refused(lie)).toMatchObject({ reason: 'invalid_msgpack' });
});

test('small fields are short, and so are names', () => {
  const long = 'x'.repeat(64 * 1024 + 1);
  expect(refused(pack({ model: long }))).toMatchObject({ reason: 'out_of_range', field: 'model' });
  const entries = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [String(i), 1]));
  expect(refused(pack({ hash_profile: entries }))).toMatchObject({ field: 'hash_profile' });
  expect(refused(pack({ [long]: 1 }))).toEqual({
    reason: 'out_of_range',
    error: 'the name of a field must have at most 65536 bytes',
  });
});

test.each([
  ['nothing', new Uint8Array(0)],
  ['an array', pack([1])],
  ['a map that is cut', pack({ model: 'abc' }).subarray(0, 9)],
  ['a map and more', Uint8Array.from([...pack({ model: 'a' }), 1])],
  ['a field whose name is a number', Uint8Array.from([0x81, 1, 1])],
  ['an array that is cut', pack({ model: [1, 2] }).subarray(0, 9)],
  ['a float that is cut', pack({ block_size: 1.5 }).subarray(0, 15)],
])('%s is no request', (_what, bytes) => {
  expect(refused(bytes)).toMatchObject({ reason: 'invalid_msgpack' });
});

test('fields that are not known, or there twice, are named', () => {
  expect(refused(pack({ modle: 'a' }))).toMatchObject({ reason: 'unknown_field', field: 'modle' });
  const twice = Uint8Array.from([0x82, ...pack('model'), ...pack('a'), ...pack('model'), 0xc0]);
  expect(refused(twice)).toMatchObject({ reason: 'invalid_value', field: 'model' });
});

test('whatever the bytes are, they are read or refused', () => {
  const head = [...pack({ model: 'abc', token_ids: [1, 2, 3] })];
  const damaged = fc
    .tuple(fc.nat({ max: head.length - 1 }), fc.nat({ max: 255 }))
    .map(([at, byte]) => Uint8Array.from(head.with(at, byte)));
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 40 }), damaged), (bytes) => {
      const refusal = refused(bytes);
      if (refusal !== undefined) expect(refusal).toMatchObject({ error: /./ });
    }),
    { numRuns: 5_000 },
  );
});
