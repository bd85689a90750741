import { SeededRandom } from '@baton/kv';
import { batchOf, clearedMap, removedMap, storedMap } from './engine-messages.ts';
import type { BlockHash } from './engine-messages.ts';
import { arr, bin, f64, int, ints, map, nil, str, u64, yes } from './msgpack-bytes.ts';
import type { Bytes } from './msgpack-bytes.ts';

const words = ['GPU', 'CPU', 'FS', 'x', '', 'full_attention', 'mamba', 'sliding_window', 'ä\0'];
const fields = [
  'type',
  'block_hashes',
  'parent_block_hash',
  'token_ids',
  'block_size',
  'lora_id',
  'medium',
  'lora_name',
  'extra_keys',
  'group_idx',
  'kv_cache_spec_kind',
  'kv_cache_spec_sliding_window',
  'segment_keys',
  'tiers',
  'metadata',
  'more',
];
const types = ['BlockStored', 'BlockRemoved', 'AllBlocksCleared', 'Other'];

/** Batches that are kept to be sent again, whole or damaged. */
const POOL = 512;

/** Bytes as an engine may send them, or as nobody should: random, damaged, or well-formed nonsense. */
export class FuzzInputs {
  readonly #random: SeededRandom;
  readonly #pool: Uint8Array[] = [];

  constructor(seed: number) {
    this.#random = new SeededRandom(seed);
  }

  next(): Uint8Array {
    const random = this.#random;
    if (this.#pool.length < 16 || random.below(10) === 0) {
      const at = this.#pool.length < POOL ? this.#pool.length : random.below(POOL);
      const made = random.below(4) > 0 ? sensible(random) : nonsenseBatch(random);
      this.#pool[at] = made;
      return made;
    }
    if (random.below(12) === 0) return random.bytes(random.below(80));
    const taken = random.oneOf(this.#pool);
    return random.below(3) === 0 ? damaged(random, taken) : taken;
  }
}

function nonsenseBatch(random: SeededRandom): Uint8Array {
  return Uint8Array.from(arr(f64(1), arr(...listOf(random, 4, nonsenseEvent)), int(0)));
}

function listOf(
  random: SeededRandom,
  most: number,
  make: (random: SeededRandom) => Bytes,
): Bytes[] {
  return Array.from({ length: random.below(most + 1) }, () => make(random));
}

function damaged(random: SeededRandom, bytes: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(bytes);
  switch (random.below(4)) {
    case 0:
      return copy.subarray(0, random.below(copy.length + 1));
    case 1:
      return Buffer.concat([copy, random.bytes(1 + random.below(4))]);
    case 2: {
      const at = random.below(copy.length);
      return Buffer.concat([copy.subarray(0, at), random.bytes(2), copy.subarray(at)]);
    }
    default:
      for (let i = random.below(4); i >= 0; i -= 1)
        copy[random.below(copy.length)] = random.below(256);
      return copy;
  }
}

/** A batch of an engine with few names, so that events meet each other. */
function sensible(random: SeededRandom): Uint8Array {
  return batchOf(listOf(random, 4, sensibleEvent), random.below(3));
}

function sensibleEvent(random: SeededRandom): Bytes {
  const medium = random.oneOf([undefined, 'GPU', 'GPU', 'CPU', 'FS', 'x']);
  const group = random.oneOf([undefined, 0, 0, 0, 1, 2]);
  const first = random.below(30);
  const count = 1 + random.below(5);
  const hashes = Array.from({ length: count }, (_, i) => nameOf(random, first + i));
  if (random.below(40) === 0) return clearedMap;
  if (random.below(3) === 0) return removedMap({ hashes, medium, group });
  const blockTokens = random.oneOf([16, 16, 16, 32, 8, 24, 0, 64]);
  const isPlaceholder = random.below(6) === 0;
  const isExtra = random.below(6) === 0;
  return storedMap({
    hashes,
    parent: first % 10 === 0 ? undefined : nameOf(random, first - 1),
    tokens: Array.from(
      { length: isPlaceholder ? 0 : count * blockTokens + (random.below(30) === 0 ? 1 : 0) },
      (_, i) => first * 100 + i,
    ),
    blockTokens: isPlaceholder ? 0 : blockTokens,
    medium,
    adapter: random.below(8) === 0 ? 'sql' : undefined,
    extraKeys: isExtra ? hashes.map(() => extraKeys(random)) : undefined,
    group,
    kind: random.oneOf([undefined, 'full_attention', 'full_attention', ...words]),
    window: random.oneOf([undefined, 32, 100]),
  });
}

function nameOf(random: SeededRandom, index: number): BlockHash {
  if (random.below(20) > 0) return BigInt(index) * 0x9e3779b97f4a7c15n;
  return new Uint8Array(random.oneOf([8, 16, 32])).fill(index);
}

function extraKeys(random: SeededRandom): readonly Bytes[] | undefined {
  if (random.below(2) === 0) return undefined;
  const keys = [
    str('sql'),
    arr(str('cat'), int(random.below(40) - 20)),
    str('salt'),
    bin(random.bytes(3)),
  ];
  return keys.filter(() => random.below(2) === 0);
}

function nonsenseEvent(random: SeededRandom): Bytes {
  if (random.below(2) === 0) {
    return arr(str(random.oneOf(types)), ...listOf(random, 10, (numbers) => nonsense(numbers, 2)));
  }
  const entries = Array.from(
    { length: random.below(8) },
    () => [random.oneOf(fields), nonsense(random, 2)] as const,
  );
  return map(['type', str(random.oneOf(types))], ...entries);
}

function nonsense(random: SeededRandom, depth: number): Bytes {
  switch (random.below(depth > 0 ? 11 : 8)) {
    case 0:
      return nil;
    case 1:
      return yes;
    case 2:
      return int(random.below(300) - 20);
    case 3:
      return u64(2n ** 64n - BigInt(random.below(3) + 1));
    case 4:
      return f64(random.below(100) / 3);
    case 5:
      return str(random.oneOf(words));
    case 6:
      return bin(random.bytes(random.below(40)));
    case 7:
      return [random.below(256)];
    case 8:
      return ints(Array.from({ length: random.below(70) }, () => random.below(70_000)));
    case 9:
      return map([random.oneOf(words), nonsense(random, depth - 1)]);
    default:
      return arr(...listOf(random, 4, (numbers) => nonsense(numbers, depth - 1)));
  }
}
