import { expect, test } from 'vitest';
import { readTrace } from './read-trace.ts';
import { temporaryFile, temporaryFolder, traceLine } from './testing/trace-file.ts';

const fileOf = (...lines: string[]): string => temporaryFile('trace.jsonl', lines.join('\n'));

test('a request for each line, whether or not the last one ends', () => {
  const lines = [traceLine(), traceLine({ timestamp: 7 })];
  const times = (file: string): number[] => readTrace(file).map(({ atMs }) => atMs);
  expect(times(fileOf(...lines))).toEqual([0, 7]);
  expect(times(fileOf(...lines, ''))).toEqual([0, 7]);
  expect(times(temporaryFile('dos.jsonl', lines.join('\r\n')))).toEqual([0, 7]);
  expect(times(temporaryFile('marked.jsonl', `\uFEFF${lines.join('\n')}`))).toEqual([0, 7]);
});

test('a file that is not there, is a folder or has nothing in it', () => {
  const missing = `${temporaryFolder()}/none.jsonl`;
  expect(() => readTrace(missing)).toThrow(`--trace ${missing}: there is no such file.`);
  const folder = temporaryFolder();
  expect(() => readTrace(folder)).toThrow(`--trace ${folder}: it is a folder.`);
  const empty = fileOf();
  expect(() => readTrace(empty)).toThrow(`--trace ${empty}: there is no request in it.`);
});

test.each([
  [{ output_length: undefined }, 'output_length is missing'],
  [{ timestamp: 3 }, 'timestamp 3 is before that of the line above, 5'],
  [
    { timestamp: 5, input_length: -4 },
    'input_length must be a whole number from 1 to 10000000, not -4',
  ],
  [{ timestamp: 5, block_tokens: 600, hash_ids: [1, 2] }, 'block_tokens must be 512 as in the'],
])('%j: the message says line and field', (changes, message) => {
  const file = fileOf(traceLine(), traceLine({ timestamp: 5 }), traceLine(changes));
  expect(() => readTrace(file)).toThrow(`line 3 of the trace: ${message}`);
});

test('a last line that has been cut off, or an empty one amid others', () => {
  const cut = 'is no JSON; if it is the last one, the file has been cut off';
  const file = fileOf(traceLine(), traceLine().slice(0, 30));
  expect(() => readTrace(file)).toThrow(`line 2 of the trace: ${cut}`);
  expect(() => readTrace(fileOf(traceLine(), '', traceLine()))).toThrow(
    'line 2 of the trace: is empty, where a JSON object has to be',
  );
});

test('where only the prompts matter, lines may be in any order', () => {
  const file = fileOf(traceLine({ timestamp: 9 }), traceLine());
  expect(readTrace(file, 'any').map(({ atMs }) => atMs)).toEqual([9, 0]);
});
