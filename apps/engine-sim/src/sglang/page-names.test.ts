import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { highBits, SglangPageNaming } from './page-names.ts';

const sha = (...parts: (Buffer | string)[]): Buffer => {
  const digest = createHash('sha256');
  for (const part of parts) digest.update(part);
  return digest.digest();
};
const words = (...tokens: number[]): Buffer => Buffer.from(Uint32Array.from(tokens).buffer);
const bytesOf = (name: string): Buffer => Buffer.from(name, 'latin1');
const plain = { salt: undefined, adapter: undefined };

test('a page is named by the digest before it and its tokens, a salted chain begins behind its salt', () => {
  const naming = new SglangPageNaming();
  const first = naming.name(undefined, [1, 2], plain);
  expect(bytesOf(first)).toEqual(sha(words(1, 2)));
  const second = naming.name(first, [70_000, 4], plain);
  expect(bytesOf(second)).toEqual(sha(sha(words(1, 2)), words(70_000, 4)));
  const salted = naming.name(undefined, [1, 2], { ...plain, salt: 's' });
  expect(bytesOf(salted)).toEqual(sha(sha('sglang-cache-salt-v1\0s'), words(1, 2)));
  expect(highBits(first)).toBe(sha(words(1, 2)).readBigInt64BE());
});
