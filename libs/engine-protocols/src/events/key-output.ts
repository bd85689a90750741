import { KEY_BYTES } from '@baton/kv';
import type { Tier } from '@baton/kv';
import { engineTiers, ENGINE_TIERS, holdingOf, HOLDINGS } from './engine-tiers.ts';
import type { SegmentStore } from './segment-slots.ts';

/**
 * Hears what changes in the sets of segments that an engine holds. Each key of a tier is stored once before it is
 * removed once; `clear` removes all of a tier. With `resumePoints` the keys are segments at whose end a hybrid model's
 * sequence can be resumed, a set beside the held ones.
 */
export interface EngineCacheSink {
  /** `keys` are packed, and a view for the time of the call. */
  store(tier: Tier, keys: Uint8Array, resumePoints: boolean): void;
  remove(tier: Tier, keys: Uint8Array, resumePoints: boolean): void;
  clear(tier: Tier, resumePoints: boolean): void;
}

const BATCH_KEYS = 256;

/** Collects keys of equal fate and hands them to the sink together, in order; counts what is held. */
export class KeyOutput {
  /** Segments by holding. */
  readonly held = new Float64Array(HOLDINGS);
  readonly #sink: EngineCacheSink;
  readonly #keys = new Uint8Array(BATCH_KEYS * KEY_BYTES);
  readonly #view = new DataView(this.#keys.buffer);
  #count = 0;
  #holding = 0;
  #isStore = true;

  constructor(sink: EngineCacheSink) {
    this.#sink = sink;
  }

  put(isStore: boolean, holding: number, segments: SegmentStore, slot: number): void {
    const isFull = this.#count === BATCH_KEYS;
    if (isFull || isStore !== this.#isStore || holding !== this.#holding) {
      this.flush();
      this.#isStore = isStore;
      this.#holding = holding;
    }
    segments.write(slot, this.#view, this.#count * KEY_BYTES);
    this.#count += 1;
    this.held[holding] = (this.held[holding] as number) + (isStore ? 1 : -1);
  }

  /** A segment came to or left the tiers of the set `changed`; those of the set `tiers` have it now. */
  update(
    segments: SegmentStore,
    slot: number,
    tiers: number,
    changed: number,
    resumePoints: boolean,
  ): void {
    for (let tier = 0; tier < ENGINE_TIERS; tier += 1) {
      if ((changed & (1 << tier)) === 0) continue;
      const isStore = (tiers & (1 << tier)) !== 0;
      const holding = holdingOf(tier, resumePoints);
      const isNews = isStore ? segments.hold(slot, holding) : segments.drop(slot, holding);
      if (isNews) this.put(isStore, holding, segments, slot);
    }
  }

  /** Nothing is held in this way any more; silent where nothing was. */
  clear(holding: number): void {
    this.flush();
    if (this.held[holding] === 0) return;
    this.held[holding] = 0;
    this.#sink.clear(tierOf(holding), isResumePoint(holding));
  }

  flush(): void {
    if (this.#count === 0) return;
    const keys = this.#keys.subarray(0, this.#count * KEY_BYTES);
    this.#count = 0;
    const tier = tierOf(this.#holding);
    if (this.#isStore) this.#sink.store(tier, keys, isResumePoint(this.#holding));
    else this.#sink.remove(tier, keys, isResumePoint(this.#holding));
  }
}

function isResumePoint(holding: number): boolean {
  return holding >= ENGINE_TIERS;
}

function tierOf(holding: number): Tier {
  return engineTiers[holding % ENGINE_TIERS] as Tier;
}
