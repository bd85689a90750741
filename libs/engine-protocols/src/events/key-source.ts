import { rootKey, SegmentHasher } from '@baton/kv';

/** Computes the key of one segment after the other. */
export type KeyHasher = Pick<SegmentHasher, 'setParent' | 'setTokens' | 'key'>;

/** Where the keys of segments come from. */
export interface KeySource {
  readonly hasher: KeyHasher;
  /** The key that the first segment of an adapter and a salt comes after. */
  root(adapter: string | undefined, salt: string | undefined): Uint8Array;
}

/** The keys that all of Baton speaks of, see `segmentKeys` of @baton/kv. */
export function segmentKeySource(tokenization: string, segmentTokens: number): KeySource {
  return {
    hasher: new SegmentHasher(segmentTokens),
    root: (adapter, salt) => rootKey({ tokenization, adapter, salt }),
  };
}
