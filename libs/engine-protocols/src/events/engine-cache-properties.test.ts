import { Tier } from '@baton/kv';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { batchOf, clearedMap, removedMap, storedMap } from '../testing/engine-messages.ts';
import { str } from '../testing/msgpack-bytes.ts';
import type { Bytes } from '../testing/msgpack-bytes.ts';
import { blockWorld, choices, runUpTo, WORLD_TOKENIZATION } from '../testing/block-world.ts';
import type { WorldBlock } from '../testing/block-world.ts';
import { NaiveCache } from '../testing/naive-cache.ts';
import { RecordedSets } from '../testing/recorded-sets.ts';
import { EngineCache } from './engine-cache.ts';
import { engineTiers } from './engine-tiers.ts';
import { EventDecoder } from './event-decoder.ts';

const tokenization = WORLD_TOKENIZATION;
const media = [undefined, 'GPU', 'CPU', 'cpu', 'CPU_PINNED', 'FS', 'OBJ', 'DISK'] as const;
const tierOfMedium = [1, 1, 4, 4, 4, 5, 5, 5];
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
    // Mostly few, so that chains go on where another event, of another tier perhaps, has left them.
    length: fc.oneof(fc.constantFrom(1, 1, 2), fc.integer({ min: 1, max: 9 })),
    medium: fc.nat(media.length - 1),
  }),
  { minLength: 1, maxLength: 60 },
);
type Step = typeof steps extends fc.Arbitrary<readonly (infer S)[]> ? S : never;

/** A step as an event, told to the naive cache too. */
function eventOf(step: Step, world: readonly WorldBlock[], naive: NaiveCache): Bytes {
  const medium = media[step.medium];
  const place = `full ${tierOfMedium[step.medium]}`;
  if (step.kind === 'clear') {
    naive.clear(`full ${Tier.HBM}`);
    return clearedMap;
  }
  const run = runUpTo(world, step.at, step.length);
  const hashes = run.map(({ hash }) => hash);
  if (step.kind === 'remove') {
    for (const { name } of run) naive.remove(name, place);
    return removedMap({ hashes, medium });
  }
  const [first] = run as [WorldBlock];
  if (step.kind === 'name') {
    for (const { name } of run) naive.store(name, place);
    return storedMap({ hashes, medium });
  }
  for (const { name, parent, scope, tokens } of run) {
    naive.store(name, place, { parent: world[parent]?.name ?? scope, tokens });
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
        const world = blockWorld(chosen, block, asBytes);
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
          for (const tier of engineTiers) {
            expect(sink.held(tier)).toEqual(naive.held(`full ${tier}`));
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
      { numRuns: 30 },
    );
  },
);
