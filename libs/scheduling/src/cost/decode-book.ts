import { DecayedFit } from './decayed-fit.ts';

/** How long a decode step takes: it reads the weights once, and the KV of every sequence in its batch. */
export interface DecodeCost {
  fixedMs: number;
  perSequenceMs: number;
  /** For each token of KV that is read, of all sequences together. */
  perKvTokenMs: number;
}

/** What a rank decodes at a time. */
export interface DecodeLoad {
  streams: number;
  kvTokens: number;
}

export interface LearnedDecodeCost {
  kind: string;
  cost: DecodeCost;
  observations: number;
  /** Mean distance of prediction and observation, as a share of the prediction. */
  errorShare: number;
}

/** What is believed of a step before the first observation gives the scale. */
const PRIOR: DecodeCost = { fixedMs: 15, perSequenceMs: 0.1, perKvTokenMs: 1e-5 };
const TYPICAL: DecodeLoad = { streams: 8, kvTokens: 50_000 };
/** Kinds of workers that are remembered. */
const MAX_KINDS = 64;

/** Times between tokens, learned from all workers of a kind (same model and engine). */
export class DecodeBook {
  readonly #kinds = new Map<string, DecayedFit>();

  /** Predicted time between two tokens; undefined while none was measured. */
  tbtMs(kind: string, { streams, kvTokens }: DecodeLoad): number | undefined {
    const fit = this.#kinds.get(kind);
    if (fit === undefined) return undefined;
    const { fixedMs, perSequenceMs, perKvTokenMs } = costOf(fit);
    return fixedMs + perSequenceMs * streams + perKvTokenMs * kvTokens;
  }

  /**
   * @param load mean of the time in which the answer grew
   * @param ms mean time between two of its tokens
   */
  observe(kind: string, { streams, kvTokens }: DecodeLoad, ms: number): void {
    if (!Number.isFinite(ms) || ms <= 0) return;
    let fit = this.#kinds.get(kind);
    if (fit === undefined) {
      const { fixedMs, perSequenceMs, perKvTokenMs } = PRIOR;
      const typical = [1, TYPICAL.streams, TYPICAL.kvTokens];
      fit = new DecayedFit([fixedMs, perSequenceMs, perKvTokenMs], typical);
      this.#kinds.set(kind, fit);
      for (const oldest of this.#kinds.keys()) {
        if (this.#kinds.size <= MAX_KINDS) break;
        this.#kinds.delete(oldest);
      }
    }
    fit.observe([1, streams, kvTokens], ms);
  }

  learned(): LearnedDecodeCost[] {
    return [...this.#kinds].map(([kind, fit]) => ({
      kind,
      cost: costOf(fit),
      observations: fit.observations,
      errorShare: fit.errorShare,
    }));
  }
}

function costOf(fit: DecayedFit): DecodeCost {
  const [fixedMs = 0, perSequenceMs = 0, perKvTokenMs = 0] = fit.coefficients();
  return { fixedMs, perSequenceMs, perKvTokenMs };
}
