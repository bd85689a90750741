import { LruList } from '../kv/lru-list.ts';
import type { TraceRequest } from '../trace/trace-line.ts';

/**
 * Share of a trace's blocks that are found in one pool of all workers' caches: leading blocks that are there, unfinished
 * ones included, the least recently used ones leaving first. What no policy can do better than with the same room.
 *
 * @param capacityBlocks Infinity for a pool that forgets nothing
 */
export function poolHitRatio(requests: readonly TraceRequest[], capacityBlocks: number): number {
  const pool = new LruList();
  let found = 0;
  let asked = 0;
  for (const { blocks } of requests) {
    const missing = blocks.findIndex((block) => !pool.has(block));
    found += missing < 0 ? blocks.length : missing;
    asked += blocks.length;
    // From the tail to the head, so that a prefix stays longer than what follows it.
    for (const block of blocks.toReversed()) pool.touch(block);
    while (pool.size > capacityBlocks) pool.takeOldest();
  }
  return asked === 0 ? 0 : found / asked;
}
