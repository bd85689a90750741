/** What an engine's events could not be taken for, counted since the cache exists. */
export interface EngineCacheCounters {
  /** Blocks that contradict what is known of them or, where hashes are keys, whose hash is another key: not held. */
  mismatched: number;
  /** Blocks whose content was not known when they were announced. */
  unresolved: number;
  /** Blocks that the engine holds now and whose content is not known. */
  unresolvedBlocks: number;
  /** Blocks of unknown media, and all of a hybrid model that is not followed. */
  ignored: number;
  /** Events whose fields do not fit together: block size, tokens, hashes, extra keys. */
  malformed: number;
  /** Events whose block size is not the one that was expected; understood where it divides a segment. */
  otherBlockSizes: number;
  /** Further copies of what a tier had already. */
  duplicates: number;
  /** Removals of what was not there. */
  absent: number;
  /** Blocks that were not taken for lack of room. */
  refused: number;
  /** Blocks in no HBM that were forgotten to make room. */
  evicted: number;
}

export function noCounts(): EngineCacheCounters {
  return {
    mismatched: 0,
    unresolved: 0,
    unresolvedBlocks: 0,
    ignored: 0,
    malformed: 0,
    otherBlockSizes: 0,
    duplicates: 0,
    absent: 0,
    refused: 0,
    evicted: 0,
  };
}
