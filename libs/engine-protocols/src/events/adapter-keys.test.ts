import { adapterIdentity, Tier } from '@baton/kv';
import { expect, test } from 'vitest';
import { removedMap, storedMap } from '../testing/engine-messages.ts';
import { FollowedEngine, hexKeys, tokensFrom } from '../testing/followed-engine.ts';

/** Blocks of 16 tokens of an adapter, whose names count up. */
const stored = (first: number, tokens: readonly number[], parent?: number) =>
  storedMap({
    hashes: Array.from({ length: tokens.length / 16 }, (_, i) => BigInt(first + i)),
    parent: parent === undefined ? undefined : BigInt(parent),
    ...{ tokens, blockTokens: 16, medium: 'GPU', adapter: 'sql' },
  });
const sorted = (keys: readonly string[]): string[] => [...keys].sort();

test('chains of an adapter are of the weights that it had when they began', () => {
  const revisions = new Map<string, string>();
  const engine = new FollowedEngine({ adapterRevision: (name) => revisions.get(name) });
  const held = () => engine.sink.held(Tier.HBM);
  const tokens = tokensFrom(1, 128);
  const [one, two] = [tokens.slice(0, 64), tokens.slice(64)];
  const keys = (adapter?: string) => hexKeys(tokens, 64, { adapter });
  const of = (revision: string) => keys(adapterIdentity({ name: 'sql', revision }));
  // Nobody has said which weights these are: they are nobody's, and never the base model's.
  engine.say(stored(1, one));
  expect(held()).toEqual(keys('sql').slice(0, 1));
  expect([...keys(), ...of('/1')]).not.toContain(held()[0]);
  engine.say(removedMap({ hashes: [1n, 2n, 3n, 4n], medium: 'GPU' }));
  revisions.set('sql', '/1');
  engine.say(stored(11, one));
  revisions.set('sql', '/2');
  engine.say(stored(15, two, 14));
  expect(held()).toEqual(sorted(of('/1')));
  engine.say(stored(21, one));
  expect(held()).toEqual(sorted([...of('/1'), ...of('/2').slice(0, 1)]));
});
