import { hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { SegmentIndex } from '@baton/index';
import { KEY_BYTES, Tier, unpackKeys } from '@baton/kv';
import type { Figure } from '../report.ts';
import { quantile } from '../statistics.ts';

const WORKERS = 16;
/** Blocks that one worker holds: 3 M tokens in blocks of 512, as in the paper of the trace. */
const CAPACITY = 5_859;
/** How much faster than it was recorded the paced replay runs. */
const SPEED = 200;

interface TraceRequest {
  atMs: number;
  keys: Uint8Array;
}

/** A trace in Mooncake's format, one request a line, with the ids of its prefix blocks. */
async function readTrace(file: string): Promise<TraceRequest[]> {
  const requests: TraceRequest[] = [];
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const { timestamp, hash_ids: ids } = JSON.parse(line) as {
      timestamp: number;
      hash_ids: number[];
    };
    const keys = new Uint8Array(ids.length * KEY_BYTES);
    ids.forEach((id, i) => {
      keys.set(hash('sha256', String(id), 'buffer').subarray(0, KEY_BYTES), i * KEY_BYTES);
    });
    requests.push({ atMs: timestamp, keys });
  }
  return requests;
}

/** One worker's cache: what it holds, least recently used first. */
class WorkerCache {
  readonly name: string;
  readonly held = new Map<string, Uint8Array>();

  constructor(name: string) {
    this.name = name;
  }

  /** What the request adds and what must go for it, packed. */
  take(keys: Uint8Array): { stored: Uint8Array; removed: Uint8Array } {
    const stored: Uint8Array[] = [];
    for (const key of unpackKeys(keys).reverse()) {
      const name = Buffer.from(key).toString('latin1');
      if (!this.held.delete(name)) stored.push(key);
      this.held.set(name, key);
    }
    const removed: Uint8Array[] = [];
    for (const [name, key] of this.held) {
      if (this.held.size <= CAPACITY) break;
      this.held.delete(name);
      removed.push(key);
    }
    return { stored: Buffer.concat(stored.reverse()), removed: Buffer.concat(removed) };
  }
}

interface Replay {
  operations: number;
  busyMs: number;
  timesUs: number[];
  lost: number;
}

/** Every request is looked up, goes to the worker that holds most of it, and changes its cache. */
async function replay(requests: readonly TraceRequest[], speed: number): Promise<Replay> {
  const index = new SegmentIndex({ maxReplicas: 2 * WORKERS * CAPACITY, maxRanks: WORKERS });
  const caches = Array.from({ length: WORKERS }, (_, i) => new WorkerCache(`worker-${i}`));
  const result: Replay = { operations: 0, busyMs: 0, timesUs: [], lost: 0 };
  const startedMs = performance.now();
  for (const [i, { atMs, keys }] of requests.entries()) {
    const dueMs = startedMs + atMs / speed;
    const earlyMs = dueMs - performance.now();
    if (earlyMs > 0) await sleep(earlyMs);
    const beforeMs = performance.now();
    const match = index.match(keys);
    const matchedMs = performance.now() - beforeMs;
    const best = [...match.ranks].sort((a, b) => b.hbmSegments - a.hbmSegments)[0];
    const isShared = best !== undefined && best.hbmSegments > 1;
    const cache = isShared
      ? caches.find(({ name }) => name === best.workerId)
      : caches[i % WORKERS];
    if (cache === undefined) throw new Error('a worker that is not there');
    const { stored, removed } = cache.take(keys);
    const changedMs = performance.now();
    const change = { tier: Tier.HBM, rank: 0 };
    index.apply(cache.name, { kind: 'store', ...change, keys: stored });
    index.apply(cache.name, { kind: 'remove', ...change, keys: removed });
    result.busyMs += matchedMs + performance.now() - changedMs;
    result.timesUs.push(matchedMs * 1_000);
    result.operations += (keys.length + stored.length + removed.length) / KEY_BYTES;
  }
  result.lost = caches.reduce((sum, cache) => sum + difference(index, cache), 0);
  return result;
}

/** Segments that are in the cache or in the index and not in both. */
function difference(index: SegmentIndex, cache: WorkerCache): number {
  const indexed = new Set(
    unpackKeys(index.heldKeys(cache.name, 0, Tier.HBM)).map((key) =>
      Buffer.from(key).toString('latin1'),
    ),
  );
  const common = [...cache.held.keys()].filter((name) => indexed.has(name)).length;
  return indexed.size + cache.held.size - 2 * common;
}

export async function traceReplay(file: string, say: (line: string) => void): Promise<Figure[]> {
  const requests = await readTrace(file);
  const fast = await replay(requests, Number.POSITIVE_INFINITY);
  say(`trace as fast as it goes: ${requests.length} requests, ${fast.operations} operations`);
  const paced = await replay(requests, SPEED);
  say(`trace paced, ${SPEED} times its speed: done`);
  return [
    { name: 'index.trace_ops_per_s', unit: '/s', value: (fast.operations / fast.busyMs) * 1_000 },
    { name: 'index.trace_p99_us', unit: 'us', value: quantile(paced.timesUs, 0.99) },
    { name: 'index.trace_lost', unit: 'segments', value: fast.lost + paced.lost },
  ];
}
