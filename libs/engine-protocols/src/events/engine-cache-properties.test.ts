import { createHash } from 'node:crypto';
import { Tier } from '@baton/kv';
import type { KeyScope } from '@baton/kv';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { batchOf, clearedMap, removedMap, storedMap } from '../testing/engine-messages.ts';
import type { BlockHash } from '../testing/engine-messages.ts';
import { str } from '../testing/msgpack-bytes.ts';
import type { Bytes } from '../testing/msgpack-bytes.ts';
import { NaiveCache } from '../testing/naive-cache.ts';
import { RecordedSets } from '../testing/recorded-sets.ts';
import { EngineCache } from './engine-cache.ts';
import { EventDecoder } from './event-decoder.ts';

const tokenization = 'tok';
const media = [undefined, 'GPU', 'CPU', 'cpu', 'CPU_PINNED', 'FS', 'OBJ', 'DISK'] as const;
const tierOfMedium = [1, 1, 4, 4, 4, 5, 5, 5];
const scopes: KeyScope[] = [
  { tokenization },
  { tokenization, salt: 'tenant-a' },
  { tokenization, adapter: 'sql' },
];

interface WorldBlock {
  hash: BlockHash;
  name: string;
  parent: number;
  scope: KeyScope;
  tokens: number[];
}

interface BlockChoice {
  parent: number;
  scope: number;
  seed: number;
}

/** A forest of blocks with few different contents, so that chains part inside of segments and begin alike. */
function worldOf(choices: readonly BlockChoice[], blockTokens: number, asBytes: boolean) {
  const blocks = new Map<string, WorldBlock>();
  const list: WorldBlock[] = [];
  for (const { parent, scope, seed } of choices) {
    const at = parent % (list.length + 1) === 0 ? -1 : (parent % (list.length + 1)) - 1;
    const before = list[at];
    const rootScope = before?.scope ?? scopes[scope] ?? { tokenization };
    const tokens = Array.from({ length: blockTokens }, (_, i) => seed * 70_000 + i);
    const digest = createHash('sha256')
      .update(JSON.stringify([before?.name ?? rootScope, tokens]))
      .digest();
    const name = digest.toString('hex');
    const block = {
      hash: asBytes ? new Uint8Array(digest) : digest.readBigUInt64BE(),
      name,
      parent: at,
      scope: rootScope,
      tokens,
    };
    if (!blocks.has(name)) list.push(block);
    blocks.set(name, block);
  }
  return list;
}

const stepKinds = fc.oneof(
  { weight: 8, arbitrary: fc.constant('store' as const) },
  { weight: 2, arbitrary: fc.constant('name' as const) },
  { weight: 6, arbitrary: fc.constant('remove' as const) },
  { weight: 1, arbitrary: fc.constant('clear' as const) },
);
const steps = fc.array(
  fc.record({
    kind: stepKinds,
    at: fc.nat(63),
    length: fc.integer({ min: 1, max: 9 }),
    medium: fc.nat(media.length - 1),
  }),
  { minLength: 1, maxLength: 60 },
);
const choices = fc.array(
  fc.record({ parent: fc.nat(63), scope: fc.nat(scopes.length - 1), seed: fc.nat(1) }),
  { minLength: 1, maxLength: 40 },
);
type Step = typeof steps extends fc.Arbitrary<readonly (infer S)[]> ? S : never;

/** A step as an event, told to the naive cache too. */
function eventOf(step: Step, world: readonly WorldBlock[], naive: NaiveCache): Bytes {
  const medium = media[step.medium];
  const tier = tierOfMedium[step.medium] ?? 0;
  const at = step.at % world.length;
  if (step.kind === 'clear') {
    naive.clear(Tier.HBM);
    return clearedMap;
  }
  const run: WorldBlock[] = [];
  for (let i = at; i >= 0 && run.length < step.length;) {
    const block = world[i] as WorldBlock;
    run.unshift(block);
    i = block.parent;
  }
  const hashes = run.map(({ hash }) => hash);
  if (step.kind === 'remove') {
    for (const { name } of run) naive.remove(name, tier);
    return removedMap({ hashes, medium });
  }
  const [first] = run as [WorldBlock];
  if (step.kind === 'name') {
    for (const { name } of run) naive.store(name, tier);
    return storedMap({ hashes, medium });
  }
  for (const { name, parent, scope, tokens } of run) {
    naive.store(name, tier, { parent: world[parent]?.name ?? scope, tokens });
  }
  const { adapter, salt } = first.scope;
  const texts = [adapter, salt].filter((text) => text !== undefined);
  return storedMap({
    hashes,
    parent: world[first.parent]?.hash,
    tokens: run.flatMap(({ tokens }) => tokens),
    blockTokens: first.tokens.length,
    medium,
    adapter,
    extraKeys: run.map((_, i) =>
      i === 0 && first.parent < 0 && texts.length > 0 ? texts.map(str) : undefined,
    ),
  });
}

const sizes = [
  [16, 64],
  [32, 64],
  [64, 64],
  [16, 96],
  [32, 96],
  [16, 128],
  [32, 128],
  [64, 128],
] as const;

test.each(sizes)(
  'blocks of %d in segments of %d: as a cache without cleverness',
  (block, segment) => {
    fc.assert(
      fc.property(choices, steps, fc.boolean(), fc.nat(3), (chosen, taken, asBytes, together) => {
        const world = worldOf(chosen, block, asBytes);
        const naive = new NaiveCache(segment);
        const sink = new RecordedSets();
        const cache = new EngineCache({ tokenization, segmentTokens: segment, sink });
        const decoder = new EventDecoder();
        for (let i = 0; i < taken.length; i += together + 1) {
          const events = taken
            .slice(i, i + together + 1)
            .map((step) => eventOf(step, world, naive));
          const batch = decoder.decode(batchOf(events));
          expect(batch?.skipped).toBe(0);
          if (batch) cache.apply(batch);
          expect(sink.problems).toEqual([]);
          for (const tier of [Tier.HBM, Tier.HOST, Tier.STORAGE]) {
            expect(sink.held(tier)).toEqual(naive.held(tier));
            expect(cache.segments(tier)).toBe(sink.held(tier).length);
          }
          expect(cache.counters.unresolvedBlocks).toBe(naive.unresolved);
        }
        expect(cache.counters).toMatchObject({
          mismatched: 0,
          malformed: 0,
          ignored: 0,
          refused: 0,
        });
      }),
      { numRuns: 60 },
    );
  },
);
