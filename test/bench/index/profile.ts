import { randomFillSync } from 'node:crypto';
import { SegmentIndex } from '@baton/index';
import { KEY_BYTES, SeededRandom, Tier } from '@baton/kv';
import { quantile } from '../statistics.ts';
import { MapIndex } from './map-index.ts';

/**
 * One profile of the index in a process of its own, so that memory can be read: segments in prompts
 * of `PROMPT_SEGMENTS`, each prompt held by the same `holders` of `RANKS` ranks. Prints one line of
 * JSON. Started with --expose-gc.
 */

const PROMPT_SEGMENTS = 128;
const LONG_PROMPT_SEGMENTS = 2_000;
const RANKS = 64;
/** Segments of one change, as agents send them. */
const DELTA_SEGMENTS = 32;
const MEASURE_MS = 3_000;

export interface ProfileFigures {
  replicas: number;
  lookupsPerSec: number;
  deltasPerSec: number;
  bytesPerReplica: number;
  match8k: { p50Us: number; p99Us: number };
  match128k: { p50Us: number; p99Us: number };
}

interface Subject {
  store(rank: number, keys: Uint8Array): void;
  remove(rank: number, keys: Uint8Array): void;
  /** Leading segments that somebody holds. */
  match(keys: Uint8Array): number;
}

const [kind = 'segment', holdersText = '1', replicasText = '5000000'] = process.argv.slice(2);
const holders = Number(holdersText);
const segments = Math.floor(Number(replicasText) / holders / PROMPT_SEGMENTS) * PROMPT_SEGMENTS;
const keys = new Uint8Array(segments * KEY_BYTES);
for (let at = 0; at < keys.length; at += 1 << 26) randomFillSync(keys.subarray(at, at + (1 << 26)));
const random = new SeededRandom(12_345);

const before = memoryBytes();
const subject = kind === 'segment' ? segmentSubject() : mapSubject();
fill();
const bytes = memoryBytes() - before;
const match8k = matches(PROMPT_SEGMENTS);
const match128k = matches(LONG_PROMPT_SEGMENTS);
const figures: ProfileFigures = {
  replicas: segments * holders,
  bytesPerReplica: bytes / (segments * holders),
  lookupsPerSec: Math.min(match8k.keysPerSec, match128k.keysPerSec),
  match8k,
  match128k,
  deltasPerSec: deltas(),
};
console.log(JSON.stringify(figures));

function segmentSubject(): Subject {
  const index = new SegmentIndex({ maxReplicas: segments * holders + 10_000, maxRanks: 1_024 });
  const apply = (kindOfOp: 'store' | 'remove', rank: number, packed: Uint8Array): void =>
    index.apply(`worker-${rank}`, { kind: kindOfOp, tier: Tier.HBM, rank: 0, keys: packed });
  return {
    store: (rank, packed) => apply('store', rank, packed),
    remove: (rank, packed) => apply('remove', rank, packed),
    match: (packed) => {
      const { ranks, knownSegments } = index.match(packed);
      const longest = ranks.reduce((most, { hbmSegments }) => Math.max(most, hbmSegments), 0);
      return longest > 0 ? knownSegments : 0;
    },
  };
}

function mapSubject(): Subject {
  const index = new MapIndex();
  return {
    store: (rank, packed) => index.store(rank, packed),
    remove: (rank, packed) => index.remove(rank, packed),
    match: (packed) => index.match(packed).known,
  };
}

/** The ranks that hold the prompt which begins at this segment. */
function rankOf(first: number, holder: number): number {
  return ((first / PROMPT_SEGMENTS) * 7 + holder) % RANKS;
}

function fill(): void {
  for (let first = 0; first < segments; first += PROMPT_SEGMENTS) {
    for (let holder = 0; holder < holders; holder += 1) {
      for (let at = first; at < first + PROMPT_SEGMENTS; at += DELTA_SEGMENTS) {
        subject.store(rankOf(first, holder), slice(at, DELTA_SEGMENTS));
      }
    }
  }
}

function matches(count: number): { p50Us: number; p99Us: number; keysPerSec: number } {
  const times: number[] = [];
  let matched = 0;
  let busyMs = 0;
  while (busyMs < MEASURE_MS) {
    const packed = slice(randomPrompt(count), count);
    const startedMs = performance.now();
    const known = subject.match(packed);
    const tookMs = performance.now() - startedMs;
    if (known !== Math.min(count, packed.length / KEY_BYTES)) throw new Error(`matched ${known}`);
    times.push(tookMs * 1_000);
    busyMs += tookMs;
    matched += known;
  }
  return {
    p50Us: quantile(times, 0.5),
    p99Us: quantile(times, 0.99),
    keysPerSec: (matched / busyMs) * 1_000,
  };
}

/** Segments that go and come back, a delta's worth at a time. */
function deltas(): number {
  let changes = 0;
  let busyMs = 0;
  while (busyMs < MEASURE_MS) {
    const first = randomPrompt(PROMPT_SEGMENTS);
    const rank = rankOf(first, random.below(holders));
    const packed = slice(first + random.below(4) * DELTA_SEGMENTS, DELTA_SEGMENTS);
    const startedMs = performance.now();
    subject.remove(rank, packed);
    subject.store(rank, packed);
    busyMs += performance.now() - startedMs;
    changes += 2 * DELTA_SEGMENTS;
  }
  return (changes / busyMs) * 1_000;
}

function randomPrompt(count: number): number {
  const prompts = Math.max(1, Math.floor((segments - count) / PROMPT_SEGMENTS));
  return random.below(prompts) * PROMPT_SEGMENTS;
}

function slice(first: number, count: number): Uint8Array {
  return keys.subarray(first * KEY_BYTES, (first + count) * KEY_BYTES);
}

function memoryBytes(): number {
  const collect = globalThis.gc;
  if (collect === undefined) throw new Error('start me with --expose-gc');
  collect();
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
