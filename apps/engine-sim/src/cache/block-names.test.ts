import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { lowBits, VllmBlockNaming } from './block-names.ts';

const file = new URL('../../../../test/fixtures/block-hashes/sha256-cbor.json', import.meta.url);
const { seed, blocks } = JSON.parse(readFileSync(file, 'utf8')) as {
  seed: string;
  blocks: {
    parent: number | null;
    tokens: number[];
    extra: unknown;
    digest?: string;
    int64?: string;
  }[];
};
const none = { salt: undefined, adapter: undefined };

test('names are those that vLLM publishes for the same tokens', () => {
  const naming = new VllmBlockNaming(seed);
  const names: (string | undefined)[] = [];
  for (const { parent, tokens, extra, digest, int64 } of blocks) {
    // What is hashed of a salt has changed since those vectors.
    const isPlain = extra === null && (parent === null || names[parent] !== undefined);
    const name = isPlain
      ? naming.name(parent === null ? undefined : names[parent], tokens, none)
      : undefined;
    names.push(name);
    if (name === undefined) continue;
    if (digest !== undefined) expect(Buffer.from(name, 'latin1').toString('hex')).toBe(digest);
    if (int64 !== undefined) expect(String(lowBits(name))).toBe(int64);
  }
  expect(names.filter((name) => name !== undefined).length).toBeGreaterThan(1);
});

test('a salt is in the first block, an adapter in all, and both in what hangs on them', () => {
  const naming = new VllmBlockNaming('0');
  const tokens = [1, 2, 70_000];
  const first = naming.name(undefined, tokens, none);
  const chains = [
    none,
    { salt: 'a', adapter: undefined },
    { salt: undefined, adapter: { id: 1, name: 'a', path: 'p' } },
    { salt: undefined, adapter: { id: 1, name: 'a', path: 'q' } },
    { salt: 'a', adapter: { id: 1, name: 'a', path: 'p' } },
  ];
  expect(new Set(chains.map((chain) => naming.name(undefined, tokens, chain))).size).toBe(5);
  const behind = chains.map((chain) => naming.name(first, tokens, chain));
  expect(behind[1]).toBe(behind[0]);
  expect(behind[4]).toBe(behind[2]);
  expect(behind[2]).not.toBe(behind[0]);
  expect(new VllmBlockNaming('1').name(undefined, tokens, none)).not.toBe(first);
});
