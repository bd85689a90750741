import { expect, it } from 'vitest';
import { formatBytes, formatCount, formatMs, formatRate } from './quantities.ts';
import { ansiPaint, clip, visibleWidth } from './terminal-text.ts';

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1 kB'],
  [7_400_000, '7.4 MB'],
  [999_600, '1 MB'],
  [12_345_678_901, '12.3 GB'],
  [5e15, '5000 TB'],
])('%d bytes are %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text));

it.each([
  [0, '0 ms'],
  [0.123, '0.12 ms'],
  [12.34, '12.3 ms'],
  [999.6, '1 s'],
  [1840, '1.84 s'],
  [125_000, '2 min 5 s'],
])('%d ms are %s', (ms, text) => expect(formatMs(ms)).toBe(text));

it('separates thousands and names rates', () => {
  expect(formatCount(1_234_567)).toBe('1 234 567');
  expect(formatRate(812e6)).toBe('812 MB/s');
});

it('clips to columns without leaving a colour on', () => {
  const text = ansiPaint.red('abcdef');
  expect(visibleWidth(clip(text, 4))).toBe(4);
  expect(clip(text, 4)).toMatch(/…$/);
  expect(clip(text, 4)).toContain('\x1b[0m');
  expect(clip(text, 6)).toBe(text);
  expect(clip('abc', 0)).toBe('');
});
