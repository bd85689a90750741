import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readJsonBody } from './json-body.ts';
import { refusalBody } from './refusal.ts';
import { HASH_WORDS, HashList, TokenList } from './request-body.ts';

const fields = ['model', 'block_size', 'token_ids', 'seq_hashes', 'hash_profile'];

function read(body: string | Uint8Array, max = 1000): ReadonlyMap<string, unknown> {
  const shape = {
    fields: new Set(fields),
    tokens: new TokenList(max),
    hashes: new HashList(max),
  };
  return readJsonBody(typeof body === 'string' ? Buffer.from(body) : body, shape);
}

function refused(body: string | Uint8Array, max?: number): unknown {
  try {
    read(body, max);
  } catch (error) {
    return refusalBody(error);
  }
  return undefined;
}

function tokensOf(body: string): number[] {
  const list = read(body, 100_000).get('token_ids') as TokenList;
  return [...list.ids.subarray(0, list.count)];
}

function hashesOf(body: string): bigint[] {
  const list = read(body).get('seq_hashes') as HashList;
  return Array.from({ length: list.count }, (_, i) => {
    const [high = 0, low = 0] = list.words.subarray(i * HASH_WORDS);
    return (BigInt(high) << 32n) | BigInt(low);
  });
}

test('fields of every kind, with white space anywhere', () => {
  const body = read(
    ' {"model" : "a\\"b\\u00e9\\n" ,\n"block_size":16,\t"hash_profile":{"a":[1,"}","]"]} , "token_ids" : [ 1,2 ,\r\n 3 ] }\n',
  );
  expect(body.get('model')).toBe('a"bé\n');
  expect(body.get('block_size')).toBe(16);
  expect(body.get('hash_profile')).toEqual({ a: [1, '}', ']'] });
  const tokens = body.get('token_ids') as TokenList;
  expect([...tokens.ids.subarray(0, tokens.count)]).toEqual([1, 2, 3]);
  expect([...read('{}')]).toEqual([]);
  expect(tokensOf('{"token_ids":[]}')).toEqual([]);
  expect(tokensOf('{"token_ids": [ ] }')).toEqual([]);
});

test('token lists are what JSON.parse makes of them', () => {
  const list = fc.array(fc.nat({ max: 0xffffffff }), { maxLength: 300 });
  const spaces = fc.constantFrom('', ' ', '  ', '\n', '\t\r\n ');
  fc.assert(
    fc.property(list, spaces, spaces, (ids, before, after) => {
      const text = ids.join(`${before},${after}`);
      expect(tokensOf(`{"token_ids":[${after}${text}${before}]}`)).toEqual(ids);
    }),
  );
  const many = Array.from({ length: 50_000 }, (_, i) => i * 7);
  expect(tokensOf(JSON.stringify({ token_ids: many }))).toEqual(many);
});

test('hashes keep all of their 64 bits, signed or not, as numbers or text', () => {
  const word = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n });
  fc.assert(
    fc.property(fc.array(word, { maxLength: 20 }), fc.boolean(), (hashes, isText) => {
      const texts = hashes.map((hash) => (isText ? `"${hash}"` : String(hash)));
      const expected = hashes.map((hash) => BigInt.asUintN(64, hash));
      expect(hashesOf(`{"seq_hashes":[${texts.join(', ')}]}`)).toEqual(expected);
    }),
  );
});

const MAX = 'must be a whole number from 0 to 4294967295';

test.each([
  ['-1', 'out_of_range', MAX],
  ['4294967296', 'out_of_range', MAX],
  ['18446744073709551616', 'out_of_range', MAX],
  ['9'.repeat(5000), 'out_of_range', MAX],
  ['1e3', 'invalid_type', `${MAX}, not 1e3`],
  ['1.5', 'invalid_type', `${MAX}, not 1.5`],
  ['-1.5E-3', 'invalid_type', `${MAX}, not -1.5E-3`],
  ['"7"', 'invalid_type', `${MAX}, not text`],
  ['null', 'invalid_type', `${MAX}, not null`],
  ['true', 'invalid_type', `${MAX}, not a boolean`],
  ['[1]', 'invalid_type', `${MAX}, not an array`],
  ['{}', 'invalid_type', `${MAX}, not an object`],
  ['007', 'invalid_json', 'is no JSON value at byte 20'],
  ['1.', 'invalid_json', 'is no JSON value at byte 20'],
  ['1x', 'invalid_json', 'is no JSON value at byte 20'],
  ['-', 'invalid_json', 'is no JSON value at byte 20'],
  ['nil', 'invalid_json', 'is no JSON value at byte 20'],
  ['', 'invalid_json', 'was expected at byte 20'],
  ['1 2', 'invalid_json', '"," or "]" was expected after token_ids[2] at byte 21'],
  ['1}', 'invalid_json', '"," or "]" was expected after token_ids[2] at byte 21'],
])('%s is no token id', (token, reason, why) => {
  const refusal = refused(`{"token_ids":[5, 6, ${token}, 8]}`);
  expect(refusal).toMatchObject({ reason, field: 'token_ids', index: 2 });
  expect(refusal).toHaveProperty('error', expect.stringContaining('token_ids[2]'));
  expect(refusal).toHaveProperty('error', expect.stringContaining(why));
});

const BITS = 'must be a whole number from -2^63 to 2^64 - 1';

test.each([
  ['18446744073709551616', 'out_of_range', BITS],
  ['-9223372036854775809', 'out_of_range', BITS],
  ['99999999999999999999', 'out_of_range', BITS],
  ['123456789012345678901234567890', 'out_of_range', BITS],
  ['"18446744073709551616"', 'out_of_range', BITS],
  ['"123456789012345678901234567890"', 'out_of_range', BITS],
  ['1.5', 'invalid_type', `${BITS}, not 1.5`],
  ['1.0', 'invalid_type', `${BITS}, not 1.0`],
  ['1e5', 'invalid_type', `${BITS}, not 1e5`],
  ['null', 'invalid_type', `${BITS}, not null`],
  ['[1]', 'invalid_type', `${BITS}, not an array`],
  ['"x"', 'invalid_value', BITS],
  ['"1x"', 'invalid_value', BITS],
  ['"1.5"', 'invalid_value', BITS],
  ['""', 'invalid_value', BITS],
  ['01', 'invalid_json', 'is no JSON value at byte 17'],
  ['-', 'invalid_json', 'is no JSON value at byte 17'],
  ['1"2"', 'invalid_json', 'is no JSON value at byte 17'],
  ['', 'invalid_json', 'was expected at byte 17'],
  ['1 2', 'invalid_json', '"," or "]" was expected after seq_hashes[1] at byte 18'],
  ['"1"2', 'invalid_json', '"," or "]" was expected after seq_hashes[1] at byte 20'],
])('%s is no hash of 64 bits', (hash, reason, why) => {
  const refusal = refused(`{"seq_hashes":[1,${hash},2]}`);
  expect(refusal).toMatchObject({ reason, field: 'seq_hashes', index: 1 });
  expect(refusal).toHaveProperty('error', expect.stringContaining('seq_hashes[1]'));
  expect(refusal).toHaveProperty('error', expect.stringContaining(why));
});

test('small fields are short and not nested deep, however long the body may be', () => {
  const long = 'x'.repeat(64 * 1024);
  expect(read(`{"model":"${long.slice(2)}","block_size":1}`).size).toBe(2);
  const tooLong = { reason: 'out_of_range', field: 'model' };
  const message = 'model must have at most 65536 bytes';
  for (const value of [`"${long}"`, `"${long}`, `[${long}`, `1${'0'.repeat(70_000)}`]) {
    expect(refused(`{"model":${value},"block_size":1}`)).toEqual({ ...tooLong, error: message });
  }
  expect(refused(`{"${long}":1}`)).toEqual({
    reason: 'out_of_range',
    error: 'the name of a field must have at most 65536 bytes',
  });
  expect(refused(`{"${'n'.repeat(1000)}":1}`)).toMatchObject({ field: `${'n'.repeat(80)}…` });
  expect(read('{"model":[{}]}').get('model')).toEqual([{}]);
  for (const value of ['[[[', '[[[]]]', '{"a":{"b":{}}}', '['.repeat(1e6)]) {
    expect(refused(`{"model":${value}}`)).toEqual({
      ...{ reason: 'invalid_value', field: 'model' },
      error: 'model may have at most 2 levels of objects and arrays',
    });
  }
});

test('a long body is refused at once, whatever it is made of', () => {
  const size = 8 * 1024 * 1024;
  const began = performance.now();
  for (const start of ['{"model":', '{"model":"', '{', '{"', '{"token_ids":', '{"seq_hashes":']) {
    for (const unit of ['[', '{"a":', '[1,', '\\"', '"', ' ', '0', '1', '-', '"1"']) {
      const body = Buffer.alloc(size, unit);
      body.write(start);
      expect(refused(body)).toMatchObject({ error: /./ });
    }
  }
  // 60 bodies; JSON.parse took seconds for one of them.
  expect(performance.now() - began).toBeLessThan(6_000);
});

test.each([
  ['', 'a JSON object was expected at byte 0'],
  ['[]', 'a JSON object was expected at byte 0'],
  ['null', 'a JSON object was expected at byte 0'],
  ['{', 'the name of a field was expected at byte 1'],
  ['{"model":"a"', 'the JSON object does not end'],
  ['{"token_ids":[1]', '"," or "}" was expected'],
  ['{"token_ids":[1,', 'token_ids[1] was expected at byte 16'],
  ['{"seq_hashes":[1', 'the list of hashes does not end at byte 16'],
  ['{"seq_hashes":[1,', 'seq_hashes[1] was expected at byte 17'],
  ['{"seq_hashes":["1', 'a string does not end'],
  ['{"model":"a",}', 'the name of a field was expected'],
  ['{"model" "a"}', '":" was expected'],
  ['{"model":"a"} x', 'something follows the JSON object at byte 14'],
  ['{"model":"a', 'a string does not end'],
  ['{"model":nope}', 'this is no JSON value at byte 9'],
  ['{"model":1 2}', 'this is no JSON value at byte 9'],
  ['{"model":{"a":1}', 'the JSON object does not end'],
  ['{"block_size":01}', 'this is no JSON value'],
  ['{"token_ids":[1,2', 'the list of token ids does not end'],
])('%s is no request', (body, why) => {
  expect(refused(body)).toMatchObject({
    reason: 'invalid_json',
    error: expect.stringContaining(why) as string,
  });
});

test('text that is not UTF-8 is refused', () => {
  const body = Buffer.from('{"model":"a"}');
  body[10] = 0xff;
  expect(refused(body)).toMatchObject({ reason: 'invalid_json' });
});

test('fields that are not known, or there twice, are named', () => {
  expect(refused('{"model":"a","__proto__":1}')).toMatchObject({
    reason: 'unknown_field',
    field: '__proto__',
    error: expect.stringContaining('known are model, block_size') as string,
  });
  expect(refused('{"model":"a","model":"b"}')).toMatchObject({
    reason: 'invalid_value',
    field: 'model',
  });
});

test('lists have a limit, and a long one leaves no memory behind', () => {
  expect(tokensOf('{"token_ids":[1,2,3]}')).toHaveLength(3);
  expect(refused('{"token_ids":[1,2,3,4]}', 3)).toMatchObject({
    reason: 'too_many',
    field: 'token_ids',
    error: 'token_ids may have at most 3 token ids',
  });
  expect(refused('{"seq_hashes":[1,2,3,4]}', 3)).toMatchObject({
    reason: 'too_many',
    field: 'seq_hashes',
  });
  const tokens = new TokenList(2 ** 20);
  tokens.open();
  tokens.reserve('token_ids', 2 ** 20);
  tokens.open();
  expect(tokens.ids.length).toBeLessThan(10_000);
});

test('whatever the bytes are, they are read or refused', () => {
  const bytes = fc.uint8Array({ maxLength: 60 });
  const text = fc.string({ unit: fc.constantFrom(...'{}[]",:0123 e.-"\\model_tk'), maxLength: 40 });
  const inside = text.map((middle) => Buffer.from(`{"token_ids":[${middle}]}`));
  fc.assert(
    fc.property(
      fc.oneof(
        bytes,
        text.map((t) => Buffer.from(t)),
        inside,
      ),
      (body) => {
        const refusal = refused(body);
        if (refusal !== undefined) expect(refusal).toMatchObject({ error: /./ });
        else expect(() => JSON.parse(Buffer.from(body).toString()) as unknown).not.toThrow();
      },
    ),
    { numRuns: 5_000 },
  );
});
