import { decode, encode } from '@msgpack/msgpack';
import { EngineCache, EventDecoder } from '@baton/engine-protocols';
import type { Figure } from './report.ts';
import { median } from './statistics.ts';

const BLOCK_TOKENS = 16;
const BLOCKS_PER_EVENT = 32;
const EVENTS_PER_PROMPT = 8;
const PROMPTS = 1_000;
const VOCABULARY = 128_000;
const ROUNDS = 7;
const BLOCKS = PROMPTS * EVENTS_PER_PROMPT * BLOCKS_PER_EVENT;

/**
 * What the events of an engine cost, in CPU time for a block of 16 tokens at 32 blocks in an event: reading them, and
 * reading and following them down to segment keys. The baseline reads the same bytes with a general msgpack decoder,
 * which is only the beginning of what would have to be done.
 */
export function benchEventDecode(): Figure[] {
  const payloads = storedPayloads();
  const decoder = new EventDecoder();
  const ours = cpuPerBlock(() => {
    for (const payload of payloads) decoder.decode(payload);
  });
  const general = cpuPerBlock(() => {
    for (const payload of payloads) decode(payload, { useBigInt64: true });
  });
  const followed = [64, 16].map((segmentTokens) =>
    cpuPerBlock(() => follow(decoder, payloads, segmentTokens)),
  );
  const figure = (name: string, value: number, baseline: number): Figure => ({
    name,
    value,
    unit: 'µs',
    baseline,
    ratio: value / baseline,
  });
  return [
    figure('index.event_decode_us_per_block', ours, general),
    figure('index.event_cache_us_per_block', followed[0] ?? NaN, general),
    figure('index.event_cache_16_us_per_block', followed[1] ?? NaN, general),
  ];
}

/** A fresh cache each time, since what it holds already is no work. */
function follow(
  decoder: EventDecoder,
  payloads: readonly Uint8Array[],
  segmentTokens: number,
): void {
  let keys = 0;
  const cache = new EngineCache({
    tokenization: 'bench',
    segmentTokens,
    sink: {
      store(_, packed) {
        keys += packed.length / 16;
      },
      remove() {},
      clear() {},
    },
  });
  for (const payload of payloads) {
    const batch = decoder.decode(payload);
    if (batch) cache.apply(batch);
  }
  const expected = (BLOCKS * BLOCK_TOKENS) / segmentTokens;
  if (keys !== expected) throw new Error(`${keys} segments were announced, not ${expected}`);
}

/** Median over rounds, after one that is not counted. */
function cpuPerBlock(run: () => void): number {
  run();
  const rounds = Array.from({ length: ROUNDS }, () => {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / BLOCKS;
  });
  return median(rounds);
}

/** Prompts of 4,096 tokens, each announced in chunks as vLLM 0.24 and later does it. */
function storedPayloads(): Uint8Array[] {
  const random = lcg(1);
  const payloads: Uint8Array[] = [];
  for (let prompt = 0; prompt < PROMPTS; prompt += 1) {
    let parent: bigint | null = null;
    for (let event = 0; event < EVENTS_PER_PROMPT; event += 1) {
      const hashes: bigint[] = Array.from(
        { length: BLOCKS_PER_EVENT },
        () => (BigInt(random()) << 32n) | BigInt(random()),
      );
      payloads.push(encode([1.5, [storedEvent(hashes, parent, random)], 0], { useBigInt64: true }));
      parent = hashes.at(-1) ?? null;
    }
  }
  return payloads;
}

function storedEvent(hashes: bigint[], parent: bigint | null, random: () => number): object {
  return {
    type: 'BlockStored',
    block_hashes: hashes,
    parent_block_hash: parent,
    token_ids: Array.from({ length: hashes.length * BLOCK_TOKENS }, () => random() % VOCABULARY),
    block_size: BLOCK_TOKENS,
    lora_id: null,
    medium: 'GPU',
    lora_name: null,
    extra_keys: hashes.map(() => null),
    group_idx: 0,
    kv_cache_spec_kind: 'full_attention',
  };
}

function lcg(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state;
  };
}
