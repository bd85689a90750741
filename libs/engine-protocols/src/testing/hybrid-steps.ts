import { Tier } from '@baton/kv';
import fc from 'fast-check';
import { runUpTo } from './block-world.ts';
import type { WorldBlock } from './block-world.ts';
import { clearedMap, removedMap, storedMap } from './engine-messages.ts';
import { str } from './msgpack-bytes.ts';
import type { Bytes } from './msgpack-bytes.ts';
import type { NaiveCache } from './naive-cache.ts';

/** Tokens of the window group. */
export const WINDOW = 40;
const groups = {
  full: { group: 0, kind: 'full_attention' },
  window: { group: 1, kind: 'sliding_window', window: WINDOW },
  state: { group: 2, kind: 'mamba' },
};
/** What an engine with three groups may do. */
export const hybridSteps = fc.array(
  fc.record({
    kind: fc.constantFrom('store', 'store', 'store', 'remove', 'remove', 'clear'),
    group: fc.constantFrom('full', 'full', 'window', 'window', 'state'),
    at: fc.nat(63),
    length: fc.oneof(fc.constantFrom(1, 1, 2), fc.integer({ min: 1, max: 9 })),
    isHost: fc.boolean(),
  }),
  { minLength: 1, maxLength: 60 },
);
export type HybridStep = typeof hybridSteps extends fc.Arbitrary<readonly (infer S)[]> ? S : never;

/** A step as an event, told to the naive cache too. */
export function hybridEvent(
  step: HybridStep,
  world: readonly WorldBlock[],
  naive: NaiveCache,
): Bytes {
  const tier = step.isHost ? Tier.HOST : Tier.HBM;
  const medium = step.isHost ? 'CPU' : 'GPU';
  const place = `${step.group} ${tier}`;
  if (step.kind === 'clear') {
    for (const name of Object.keys(groups)) naive.clear(`${name} ${Tier.HBM}`);
    return clearedMap;
  }
  const run = runUpTo(world, step.at, step.length);
  const [first] = run as [WorldBlock];
  const hashes = run.map(({ hash }) => hash);
  const about = groups[step.group as keyof typeof groups];
  if (step.kind === 'remove') {
    for (const { name } of run) naive.remove(name, place);
    return removedMap({ hashes, medium, group: about.group });
  }
  for (const { name, parent, scope, tokens: content } of run) {
    const before = world[parent]?.name ?? scope;
    naive.store(
      name,
      place,
      step.group === 'full' ? { parent: before, tokens: content } : undefined,
    );
  }
  const { adapter, salt } = first.scope;
  const texts = [adapter, salt].filter((text) => text !== undefined).map(str);
  return storedMap({
    hashes,
    parent: world[first.parent]?.hash,
    tokens: run.flatMap((block) => block.tokens),
    blockTokens: first.tokens.length,
    medium,
    adapter,
    extraKeys: run.map((_, i) => (i === 0 && first.parent < 0 ? texts : undefined)),
    ...about,
  });
}
