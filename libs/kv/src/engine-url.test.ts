import { expect, test } from 'vitest';
import { plainEngineUrl } from './engine-url.ts';

test.each([
  ['http://10.0.0.1:8000', 'http://10.0.0.1:8000'],
  ['HTTP://Gpu-1:8000//', 'http://gpu-1:8000'],
  ['http://gpu-1:80/a/../b/', 'http://gpu-1/b'],
  ['http://0177.0.0.1:8000', 'http://127.0.0.1:8000'],
  ['https://[FD00::7]:8000/x', 'https://[fd00::7]:8000/x'],
])('%s is written %s', (text, plain) => {
  expect(plainEngineUrl(text)).toBe(plain);
  expect(plainEngineUrl(plain)).toBe(plain);
});

test.each([
  ...['', 'gpu-1:8000', 'ftp://gpu-1', 'http://', 'http://gpu-1:99999', 'http://a b'],
  ...['http://me:secret@gpu-1', 'http://me@gpu-1', 'http://:secret@gpu-1'],
  ...['http://gpu-1/?x', 'http://gpu-1?', 'http://gpu-1/#x', 'http://gpu-1/#'],
  ...['http://gpu-1/a\r\nX: y', 'http://gpu-1/\tb', ' http://gpu-1'],
])('%j is no URL of an engine', (text) => {
  expect(plainEngineUrl(text)).toBeUndefined();
});
