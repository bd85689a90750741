import { describe, expect, test } from 'vitest';
import { byteRate, commaList, duration, oneOf, positiveNumber } from './replay-flags.ts';

const message = (act: () => unknown): string => {
  try {
    return `no error but ${String(act())}`;
  } catch (error) {
    return (error as Error).message;
  }
};

describe('times', () => {
  test.each([
    ['30s', 30_000],
    ['100ms', 100],
    ['2min', 120_000],
    ['1.5 s', 1_500],
  ])('%s is %d ms', (text, ms) => {
    expect(duration('--slo-ttft')(text)).toBe(ms);
  });

  test.each(['30', '', '0s', '-1s', '1h', '1e3ms', 's', '30 sec', '1,5s'])(
    '%j is refused by name',
    (text) => {
      expect(message(() => duration('--slo-ttft')(text))).toBe(
        `--slo-ttft must be a time such as 30s or 100ms, ${JSON.stringify(text)} is not.`,
      );
    },
  );
});

describe('rates', () => {
  test.each([
    ['100GB/s', 100e9],
    ['400Gbit/s', 50e9],
    ['1.5TB/s', 1.5e12],
    ['10 MB/s', 10e6],
    ['3kB/s', 3e3],
    ['5B/s', 5],
    ['free', Infinity],
  ])('%s is %d bytes per second', (text, rate) => {
    expect(byteRate('--link')(text)).toBe(rate);
  });

  test.each(['100', '100GB', '0GB/s', 'GB/s', '100gb/s', '100GiB/s', 'FREE', '-1GB/s'])(
    '%j is refused by name',
    (text) => {
      expect(message(() => byteRate('--link')(text))).toBe(
        `--link must be a rate such as 100GB/s or 400Gbit/s, or "free", "${text}" is not.`,
      );
    },
  );
});

test('numbers of more than 0', () => {
  expect(positiveNumber('--speed', 10)('1.5')).toBe(1.5);
  for (const text of ['0', '-1', '10.1', '1e1', 'fast', '']) {
    expect(message(() => positiveNumber('--speed', 10)(text))).toBe(
      `--speed must be a number of more than 0 and at most 10, "${text}" is not.`,
    );
  }
});

test('names', () => {
  const queue = oneOf('--queue', ['fcfs', 'shortest']);
  expect(queue('fcfs')).toBe('fcfs');
  expect(message(() => queue('longest'))).toBe(
    '--queue must be one of fcfs, shortest, "longest" is not.',
  );
  expect(commaList('--policies')('a, b+c')).toEqual(['a', 'b+c']);
  expect(message(() => commaList('--policies')('a,,b'))).toBe(
    '--policies must be names with commas between them, "a,,b" is not.',
  );
});
