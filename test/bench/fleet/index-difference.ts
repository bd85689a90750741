import type { BlockNaming, StandIn } from '@baton/engine-sim';
import { KEY_BYTES, keyHex, rootKey, segmentKeys } from '@baton/kv';

export interface CachedChains {
  engines: readonly StandIn[];
  /** Prompt and answer of everything that was ever computed. */
  chains: readonly (readonly number[])[];
  blockTokens: number;
  segmentTokens: number;
  tokenization: string;
  /** How the engines name their blocks. */
  naming: BlockNaming;
  /** Data-parallel ranks of each engine. */
  ranks: number;
}

/** Replicas, `worker rank key`, that the engines' caches hold: segments all of whose blocks are there. */
export function heldByEngines(
  { engines, chains, blockTokens, segmentTokens, tokenization, naming, ranks }: CachedChains,
  workerOf: (engine: StandIn) => string,
): Set<string> {
  const root = rootKey({ tokenization });
  const perSegment = segmentTokens / blockTokens;
  const caches = engines.flatMap((engine) =>
    Array.from({ length: ranks }, (_, rank) => ({
      place: `${workerOf(engine)} ${rank}`,
      names: engine.cachedBlocks(rank),
    })),
  );
  const held = new Set<string>();
  for (const tokens of chains) {
    const names: string[] = [];
    for (let end = blockTokens; end <= tokens.length; end += blockTokens) {
      const block = tokens.slice(end - blockTokens, end);
      names.push(naming.name(names.at(-1), block, { salt: undefined, adapter: undefined }));
    }
    const keys = segmentKeys(root, tokens, segmentTokens);
    for (let at = 0; at < keys.length / KEY_BYTES; at += 1) {
      const key = keyHex(keys.subarray(at * KEY_BYTES, (at + 1) * KEY_BYTES));
      const blocks = names.slice(at * perSegment, (at + 1) * perSegment);
      for (const { place, names: cached } of caches) {
        if (blocks.every((name) => cached.has(name))) held.add(`${place} ${key}`);
      }
    }
  }
  return held;
}

/** Members that only one of the two has. */
export function difference(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const alone = (these: ReadonlySet<string>, those: ReadonlySet<string>): number =>
    [...these].filter((member) => !those.has(member)).length;
  return alone(one, other) + alone(other, one);
}
