import type { Tier } from '@baton/kv';
import { EngineCache } from '../events/engine-cache.ts';
import type { EngineCacheOptions } from '../events/engine-cache.ts';
import { engineTiers } from '../events/engine-tiers.ts';
import { EventDecoder } from '../events/event-decoder.ts';
import type { EventDialect } from '../events/event-fields.ts';
import { FuzzInputs } from './fuzz-input.ts';

/** Inputs after which a cache is compared with a copy of itself and begins anew. */
const LIFETIME = 2_000;

const variants: readonly [EventDialect, Partial<EngineCacheOptions>][] = [
  ['vllm', {}],
  ['vllm', { hybrid: true }],
  ['vllm', { maxBlocks: 12, maxUnresolvedBlocks: 5 }],
  ['vllm', { hashesAreKeys: true }],
  ['sglang', { segmentTokens: 16 }],
  ['snapshot', { hybrid: true }],
];

/** A cache under fire, which is asked now and then whether it still adds up. */
class Target {
  readonly #options: Partial<EngineCacheOptions>;
  readonly #decoder: EventDecoder;
  #cache: EngineCache;
  #told = new Map<string, number>();

  constructor(dialect: EventDialect, options: Partial<EngineCacheOptions>) {
    this.#options = options;
    this.#decoder = new EventDecoder(dialect);
    this.#cache = this.#newCache();
  }

  hit(payload: Uint8Array): void {
    const batch = this.#decoder.decode(payload);
    if (batch) this.#cache.apply(batch);
  }

  /** Complains when what was told is not what is held, or a copy differs; then begins anew. */
  check(): void {
    for (const tier of engineTiers) {
      for (const resumePoints of [false, true]) {
        const told = this.#told.get(`${tier} ${resumePoints}`) ?? 0;
        const held = this.#cache.segments(tier, resumePoints);
        const listed = this.#cache.heldKeys(tier, resumePoints).length / 16;
        if (told !== held || listed !== held) {
          throw new Error(`tier ${tier}: ${told} told, ${held} held, ${listed} listed`);
        }
      }
    }
    this.#compareCopy();
    this.#cache.reset();
    if (this.#cache.blocks > 0) throw new Error('a reset has left something');
    this.#cache = this.#newCache();
  }

  #compareCopy(): void {
    const original = this.#cache;
    if (original.hybridRefused) return;
    this.#cache = this.#newCache();
    const decoder = new EventDecoder('snapshot');
    for (const payload of original.snapshot()) {
      const batch = decoder.decode(payload);
      if (!batch || batch.skipped > 0) throw new Error('a snapshot cannot be read');
      this.#cache.apply(batch);
    }
    for (const tier of engineTiers) {
      const held = this.#cache.segments(tier);
      if (held !== original.segments(tier)) throw new Error(`a copy holds ${held} in tier ${tier}`);
    }
    if (this.#cache.blocks !== original.blocks) {
      throw new Error(`a copy knows ${this.#cache.blocks} blocks, not ${original.blocks}`);
    }
  }

  #newCache(): EngineCache {
    this.#told = new Map();
    const count = (tier: Tier, keys: Uint8Array, resumePoints: boolean, sign: 1 | -1): void => {
      const name = `${tier} ${resumePoints}`;
      this.#told.set(name, (this.#told.get(name) ?? 0) + (sign * keys.length) / 16);
    };
    return new EngineCache({
      tokenization: 'fuzz',
      segmentTokens: 64,
      sink: {
        store: (tier, keys, resumePoints) => count(tier, keys, resumePoints, 1),
        remove: (tier, keys, resumePoints) => count(tier, keys, resumePoints, -1),
        clear: (tier, resumePoints) => this.#told.delete(`${tier} ${resumePoints}`),
      },
      ...this.#options,
    });
  }
}

/** Fires so many inputs at decoders and caches of all kinds; throws when anything does not add up. */
export function fuzzEvents(seed: number, inputs: number, onInput?: (count: number) => void): void {
  const inputsOf = new FuzzInputs(seed);
  const targets = variants.map(([dialect, options]) => new Target(dialect, options));
  for (let count = 1; count <= inputs; count += 1) {
    const payload = inputsOf.next();
    const [plain] = targets;
    plain?.hit(payload);
    targets[1 + (count % (targets.length - 1))]?.hit(payload);
    if (count % LIFETIME === 0 || count === inputs) for (const target of targets) target.check();
    onInput?.(count);
  }
}
