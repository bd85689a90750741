import { expect, test } from 'vitest';
import { readTraceLine } from './trace-line.ts';

const line = { timestamp: 27_482, input_length: 1_025, output_length: 52, hash_ids: [0, 7, 9] };
const read = (changes: object): unknown => {
  try {
    return readTraceLine(JSON.stringify({ ...line, ...changes }), 7, 20_000);
  } catch (error) {
    return (error as Error).message;
  }
};

test('a line of Mooncake’s format', () => {
  expect(read({})).toEqual({
    atMs: 27_482,
    promptTokens: 1_025,
    outputTokens: 52,
    blocks: [0, 7, 9],
  });
});

test('blocks of another size, and names of what is in them', () => {
  const given = { block_tokens: 600, hash_ids: [1, 2], content_ids: [7, 7], tenant: 'x' };
  expect(read(given)).toEqual({
    ...{ atMs: 27_482, promptTokens: 1_025, outputTokens: 52 },
    ...{ blocks: [1, 2], blockTokens: 600, contentIds: [7, 7] },
  });
});

test('the longest prompt and the longest answer', () => {
  const hash_ids = Array.from({ length: Math.ceil(10_000_000 / 512) }, (_, i) => i);
  const longest = { input_length: 10_000_000, output_length: 1_000_000, hash_ids };
  expect(read(longest)).toMatchObject({ promptTokens: 10_000_000, outputTokens: 1_000_000 });
});

const output = 'must be a whole number from 0 to 1000000';
test.each([
  [{ timestamp: undefined }, 'timestamp is missing'],
  [{ timestamp: -1 }, 'timestamp must be milliseconds from 0 on, not -1'],
  [{ timestamp: '1' }, 'timestamp must be milliseconds from 0 on, not "1"'],
  [{ timestamp: 19_999 }, 'timestamp 19999 is before that of the line above, 20000'],
  [{ input_length: 0 }, 'input_length must be a whole number from 1 to 10000000, not 0'],
  [{ input_length: 1.5 }, 'input_length must be a whole number from 1 to 10000000, not 1.5'],
  [
    { input_length: 10_000_001 },
    'input_length must be a whole number from 1 to 10000000, not 10000001',
  ],
  [{ output_length: 1e12 }, `output_length ${output}, not 1000000000000`],
  [{ output_length: 1_000_001 }, `output_length ${output}, not 1000001`],
  [{ output_length: -3 }, `output_length ${output}, not -3`],
  [{ hash_ids: 3 }, 'hash_ids must be a list, not 3'],
  [
    { hash_ids: [1, 2] },
    'hash_ids must have one entry for each 512 tokens, 3 for 1025 tokens, not 2',
  ],
  [
    { hash_ids: [1, -2, 3] },
    'hash_ids[1] must be a whole number from 0 to 9007199254740991, not -2',
  ],
  [{ block_tokens: 0 }, 'block_tokens must be a whole number from 1 to 65536, not 0'],
  [
    { block_tokens: 1_025 },
    'hash_ids must have one entry for each 1025 tokens, 1 for 1025 tokens, not 3',
  ],
  [{ content_ids: 'a' }, 'content_ids must be a list, not "a"'],
  [
    { content_ids: [1] },
    'content_ids must have one entry for each 512 tokens, 3 for 1025 tokens, not 1',
  ],
  [
    { content_ids: [1, 2, -1] },
    'content_ids[2] must be a whole number from 0 to 9007199254740991, not -1',
  ],
  [
    { hash_ids: [1, null, 3] },
    'hash_ids[1] must be a whole number from 0 to 9007199254740991, not null',
  ],
])('%j is refused', (changes, message) => {
  expect(read(changes)).toBe(`line 7 of the trace: ${message}`);
});

test.each([
  ['{"timestamp": 1, "inp', 'is no JSON; if it is the last one, the file has been cut off'],
  ['', 'is empty, where a JSON object has to be'],
  ['  \r', 'is empty, where a JSON object has to be'],
  ['[]', 'must be a JSON object'],
  ['null', 'must be a JSON object'],
])('the line %s is refused', (text, message) => {
  expect(() => readTraceLine(text, 12, 0)).toThrow(`line 12 of the trace: ${message}`);
});
