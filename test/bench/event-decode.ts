import { hash } from 'node:crypto';
import { decode, encode } from '@msgpack/msgpack';
import { EngineCache, EventDecoder } from '@baton/engine-protocols';
import { KEY_BYTES, rootKey, SeededRandom, segmentKeys } from '@baton/kv';
import type { Figure } from './report.ts';
import { median } from './statistics.ts';

const BLOCK_TOKENS = 16;
const BLOCKS_PER_EVENT = 32;
const EVENTS_PER_PROMPT = 8;
const PROMPTS = 200;
const VOCABULARY = 128_000;
const ROUNDS = 15;
const SEGMENT_TOKENS = 64;
const KEYS_AT_ONCE = 512;
const BLOCKS = PROMPTS * EVENTS_PER_PROMPT * BLOCKS_PER_EVENT;

/**
 * What the events of an engine cost, in CPU time for a block of 16 tokens at 32 blocks in an event: reading them, and
 * following them down to segment keys, in a cache that has its size. Removals come as engines send them, one block an
 * event. The baseline reads the same bytes with a general msgpack decoder, which is only the beginning of what would
 * have to be done; that of a segment key is one SHA-256 of as many bytes.
 */
export function benchEventDecode(): Figure[] {
  const { stored, removed } = payloadsOfPrompts();
  const decoder = new EventDecoder();
  const read = (payloads: readonly Uint8Array[]) => () => {
    for (const payload of payloads) decoder.decode(payload);
  };
  const readGenerally = (payloads: readonly Uint8Array[]) => () => {
    for (const payload of payloads) decode(payload, { useBigInt64: true });
  };
  const [decodeUs = NaN] = cpuPerBlock(read(stored));
  const [generalUs = NaN] = cpuPerBlock(readGenerally(stored));
  const [generalRemovalUs = NaN] = cpuPerBlock(readGenerally(removed));
  const [follow64Us = NaN, remove64Us = NaN] = cpuPerBlock(...follow(decoder, 64, stored, removed));
  const [follow16Us = NaN] = cpuPerBlock(...follow(decoder, 16, stored, removed));
  return [
    figure('index.event_decode_us_per_block', decodeUs, generalUs),
    figure('index.event_cache_us_per_block', follow64Us, generalUs),
    figure('index.event_cache_16_us_per_block', follow16Us, generalUs),
    figure('index.event_remove_us_per_block', remove64Us, generalRemovalUs),
    figure('index.segment_key_us', segmentKeyUs(), sha256Us()),
  ];
}

function figure(name: string, value: number, baseline: number): Figure {
  return { name, value, unit: 'µs', baseline, ratio: value / baseline };
}

/** Stores all, then removes all, of a cache that lives on. */
function follow(
  decoder: EventDecoder,
  segmentTokens: number,
  stored: readonly Uint8Array[],
  removed: readonly Uint8Array[],
): [() => void, () => void] {
  let keys = 0;
  const count = (sign: 1 | -1) => (_: unknown, packed: Uint8Array) => {
    keys += (sign * packed.length) / KEY_BYTES;
  };
  const sink = { store: count(1), remove: count(-1), clear: () => undefined };
  const cache = new EngineCache({ tokenization: 'bench', segmentTokens, sink });
  const apply = (payloads: readonly Uint8Array[], expected: number) => () => {
    for (const payload of payloads) {
      const batch = decoder.decode(payload);
      if (batch) cache.apply(batch);
    }
    if (keys !== expected) throw new Error(`${keys} segments are held, not ${expected}`);
  };
  return [apply(stored, (BLOCKS * BLOCK_TOKENS) / segmentTokens), apply(removed, 0)];
}

function segmentKeyUs(): number {
  const tokens = Uint32Array.from({ length: SEGMENT_TOKENS * KEYS_AT_ONCE }, (_, i) => i);
  const root = rootKey({ tokenization: 'bench' });
  const [perBlock = NaN] = cpuPerBlock(() => {
    for (let i = 0; i < BLOCKS; i += KEYS_AT_ONCE) segmentKeys(root, tokens, SEGMENT_TOKENS);
  });
  return perBlock;
}

function sha256Us(): number {
  const bytes = new Uint8Array(KEY_BYTES + SEGMENT_TOKENS * 4);
  const [perBlock = NaN] = cpuPerBlock(() => {
    for (let i = 0; i < BLOCKS; i += 1) hash('sha256', bytes, 'binary');
  });
  return perBlock;
}

/** Medians over rounds in which the parts take turns, after one round that is not counted. */
function cpuPerBlock(...parts: (() => void)[]): number[] {
  const rounds: number[][] = parts.map(() => []);
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [i, part] of parts.entries()) {
      const before = process.cpuUsage();
      part();
      const { user, system } = process.cpuUsage(before);
      if (round > 0) rounds[i]?.push((user + system) / BLOCKS);
    }
  }
  return rounds.map(median);
}

/** Prompts of 4,096 tokens, each announced in chunks as vLLM 0.24 and later does it, and what takes them back. */
function payloadsOfPrompts(): { stored: Uint8Array[]; removed: Uint8Array[] } {
  const random = new SeededRandom(1);
  const stored: Uint8Array[] = [];
  const removed: Uint8Array[] = [];
  for (let prompt = 0; prompt < PROMPTS; prompt += 1) {
    let parent: bigint | null = null;
    for (let event = 0; event < EVENTS_PER_PROMPT; event += 1) {
      const hashes: bigint[] = Array.from(
        { length: BLOCKS_PER_EVENT },
        () => (BigInt(random.below(2 ** 32)) << 32n) | BigInt(random.below(2 ** 32)),
      );
      stored.push(batchOf([storedEvent(hashes, parent, random)]));
      removed.push(batchOf(hashes.map(removedEvent)));
      parent = hashes.at(-1) ?? null;
    }
  }
  return { stored, removed };
}

function batchOf(events: object[]): Uint8Array {
  return encode([1.5, events, 0], { useBigInt64: true });
}

function removedEvent(hashOfBlock: bigint): object {
  return { type: 'BlockRemoved', block_hashes: [hashOfBlock], medium: 'GPU', group_idx: 0 };
}

function storedEvent(hashes: bigint[], parent: bigint | null, random: SeededRandom): object {
  return {
    type: 'BlockStored',
    block_hashes: hashes,
    parent_block_hash: parent,
    token_ids: Array.from({ length: hashes.length * BLOCK_TOKENS }, () => random.below(VOCABULARY)),
    block_size: BLOCK_TOKENS,
    lora_id: null,
    medium: 'GPU',
    lora_name: null,
    extra_keys: hashes.map(() => null),
    group_idx: 0,
    kv_cache_spec_kind: 'full_attention',
  };
}
