import path from 'node:path';
import { expect, it } from 'vitest';
import { byteSize, listenHost, recordFile, wholeNumber } from './up-options.ts';

it.each([
  ['1MiB', 1024 ** 2],
  ['256MiB', 256 * 1024 ** 2],
  ['2gb', 2e9],
  ['1.5 GiB', 1.5 * 1024 ** 3],
  ['1073741824', 1024 ** 3],
  ['2000k', 2e6],
])('%s are %d bytes', (text, bytes) => expect(byteSize('--dram')(text)).toBe(bytes));

it.each(['', '0', '12', '-1GiB', '1TB', 'many', '1e9', '99999999999999GiB', '1GiBx'])(
  'refuses %j as a size',
  (text) => {
    expect(() => byteSize('--dram')(text)).toThrow(/^--dram must be a size/);
  },
);

it.each(['0', '33', '-1', '1.5', '2x', '', '1e1', '0x2'])('refuses %j as a count', (text) => {
  const parse = wholeNumber('--prefill', 1, 32);
  expect(parse('32')).toBe(32);
  expect(() => parse(text)).toThrow(/^--prefill must be a whole number from 1 to 32/);
});

it.each(['a b', '', 'http://x', 'x/y'])('refuses %j as a host', (text) => {
  expect(() => listenHost('--host')(text)).toThrow('--host must be');
  expect(listenHost('--host')('::1')).toBe('::1');
});

it('records in a new file alone', () => {
  const here = import.meta.filename;
  expect(recordFile('a-new-log.jsonl')).toBe(path.resolve('a-new-log.jsonl'));
  expect(() => recordFile(here)).toThrow(`--record must be a new file: ${here} is there already.`);
  expect(() => recordFile(path.dirname(here))).toThrow('is there already');
  expect(() => recordFile(path.join(here, 'x'))).toThrow(`there is no folder ${here}`);
  expect(() => recordFile('/nowhere/x')).toThrow('there is no folder /nowhere');
});

it.skipIf(process.getuid?.() === 0)('records in no folder without permission', () => {
  expect(() => recordFile('/usr/x')).toThrow(
    '--record must be a new file: none can be made in /usr.',
  );
});
