import type { CacheEvent } from '@baton/engine-protocols';
import { lowBits } from '../cache/block-names.ts';
import type { PoolEvent } from '../engine/sim-engine.ts';

/** What happened to a cache, as vLLM's events say it. */
export function vllmEvent(event: PoolEvent, facts: { blockTokens: number }): CacheEvent {
  if (event.type === 'cleared') return { type: 'AllBlocksCleared' };
  if (event.type === 'removed') return { type: 'BlockRemoved', blockHash: lowBits(event.name) };
  const { names, parent, tokens, chain } = event;
  const { salt, adapter } = chain;
  const extraKeys = names.map((_, i) => {
    const hasSalt = salt !== undefined && parent === undefined && i === 0;
    const keys = [...(adapter === undefined ? [] : [adapter.name]), ...(hasSalt ? [salt] : [])];
    return keys.length === 0 ? null : keys;
  });
  return {
    type: 'BlockStored',
    blockHashes: names.map(lowBits),
    parentBlockHash: parent === undefined ? null : lowBits(parent),
    tokenIds: tokens,
    blockSize: facts.blockTokens,
    extraKeys,
    adapter,
  };
}
