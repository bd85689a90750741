import { expect, test } from 'vitest';
import { readCostFile } from './cost-file.ts';
import { temporaryFile, temporaryFolder } from './testing/trace-file.ts';

const engine = {
  name: 'mine',
  kvBytesPerToken: 1_000,
  chunkTokens: 2_048,
  firstToken: 'decode',
  prefill: { fixedMs: 5, perTokenMs: 0.1, perPairMs: 0.001 },
  decode: { fixedMs: 10, perSequenceMs: 1, perKvTokenMs: 0.01 },
};
const fileOf = (value: object): string => temporaryFile('cost.json', JSON.stringify(value));

test('an engine as it was measured', () => {
  const cost = readCostFile(fileOf(engine));
  expect(cost).toMatchObject({
    ...{ name: 'mine', kvBytesPerToken: 1_000, chunkTokens: 2_048, firstToken: 'decode' },
  });
  const twoPieces = [
    { newTokens: 10, contextTokens: 0, isFirst: true },
    { newTokens: 20, contextTokens: 0, isFirst: true },
  ];
  expect(cost.prefillStepMs(twoPieces)).toBe(cost.prefillMs(10, 0) + cost.prefillMs(20, 0));
  expect(cost.decodeStepMs({ sequences: 3, kvTokens: 100, kvCapacityTokens: 1e6 })).toBe(14);
});

test('chunks and who gives the first token have defaults', () => {
  const { chunkTokens, firstToken, ...others } = engine;
  expect([chunkTokens, firstToken]).toEqual([2_048, 'decode']);
  expect(readCostFile(fileOf(others))).toMatchObject({ chunkTokens: 8_192, firstToken: 'prefill' });
});

const { prefill, decode } = engine;
test.each([
  ['name', { name: '' }],
  ['name', { name: undefined }],
  ['kvBytesPerToken', { kvBytesPerToken: 0 }],
  ['kvBytesPerToken', { kvBytesPerToken: '1000' }],
  ['kvBytesPerToken', { kvBytesPerToken: 1e300 }],
  ['chunkTokens', { chunkTokens: 1.5 }],
  ['chunkTokens', { chunkTokens: 1e12 }],
  ['prefill.perTokenMs', { prefill: { ...prefill, perTokenMs: 1e300 } }],
  ['decode.fixedMs', { decode: { ...decode, fixedMs: 1e9 } }],
  ['firstToken', { firstToken: 'second' }],
  ['prefill', { prefill: undefined }],
  ['prefill.fixedMs', { prefill: { ...prefill, fixedMs: -1 } }],
  ['prefill.perTokenMs', { prefill: { ...prefill, perTokenMs: -1 } }],
  ['prefill', { prefill: { ...prefill, perTokenMs: 0, perPairMs: 0 } }],
  ['prefill.perPairMs', { prefill: { ...prefill, perPairMs: null } }],
  ['decode.fixedMs', { decode: { ...decode, fixedMs: -1 } }],
  ['decode.perSequenceMs', { decode: { ...decode, perSequenceMs: 'x' } }],
  ['decode.perKvTokenMs', { decode: { ...decode, perKvTokenMs: undefined } }],
  ['decode', { decode: { ...decode, perTokenMs: 1 } }],
  ['the file', { speed: 1 }],
])('what is wrong with %s is said: %j', (where, changes) => {
  const file = fileOf({ ...engine, ...changes });
  expect(() => readCostFile(file)).toThrow(`--cost-model ${file}: ${where}: `);
});

test('what is no JSON, or not there, is named', () => {
  const text = temporaryFile('cost.json', '{');
  const missing = `${temporaryFolder()}/b800`;
  for (const file of [text, missing]) {
    expect(() => readCostFile(file)).toThrow(
      `--cost-model must be a800, dynamo or a JSON file; ${file} cannot be read as one.`,
    );
  }
});
