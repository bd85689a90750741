import { adapterIdentity, rootKey, SegmentHasher } from '@baton/kv';

/** Computes the key of one segment after the other. */
export type KeyHasher = Pick<SegmentHasher, 'setParent' | 'setTokens' | 'key'>;

/** Where the keys of segments come from. */
export interface KeySource {
  readonly hasher: KeyHasher;
  /** The key that the first segment of an adapter and a salt comes after. */
  root(adapter: string | undefined, salt: string | undefined): Uint8Array;
  /** Which weights an adapter's name stands for now; undefined where that is not known. */
  revisionOf?(adapter: string): string | undefined;
}

/**
 * The keys that all of Baton speaks of, see `segmentKeys` of @baton/kv. Of an adapter whose weights are not known the
 * keys are others than those of any request: never the base model's.
 */
export function segmentKeySource(
  tokenization: string,
  segmentTokens: number,
  revisionOf: (adapter: string) => string | undefined = () => undefined,
): KeySource {
  const identity = (name: string): string => {
    const revision = revisionOf(name);
    return revision === undefined ? name : adapterIdentity({ name, revision });
  };
  return {
    hasher: new SegmentHasher(segmentTokens),
    root: (adapter, salt) =>
      rootKey({
        tokenization,
        adapter: adapter === undefined ? undefined : identity(adapter),
        salt,
      }),
    revisionOf,
  };
}
