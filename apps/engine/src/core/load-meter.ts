import { DecayedRate } from './decayed-rate.ts';
import type { InferenceEvent, InferenceLoad } from './inference-port.ts';

const REPORT_INTERVAL_MS = 250;

export interface MeasuredPiece {
  kind: 'prefill' | 'decode';
  tokens: { length: number };
}

/** The engine's speed and load, reported when something changed, at most every quarter of a second and when it rests. */
export class LoadMeter {
  readonly #emit: (event: InferenceEvent) => void;
  readonly #prefill = new DecayedRate();
  readonly #decode = new DecayedRate();
  readonly #imports = new DecayedRate();
  #reportedMs = -Infinity;
  #reported = '';

  constructor(emit: (event: InferenceEvent) => void) {
    this.#emit = emit;
  }

  /**
   * Steps of decoding alone tell the decode rate (over all sequences). In a mixed step the prompt's share is what is
   * left after the time that decoding would have taken by that rate, at least half.
   */
  measure(pieces: readonly MeasuredPiece[], elapsedMs: number): void {
    const seconds = elapsedMs / 1000;
    let prefill = 0;
    let decode = 0;
    for (const { kind, tokens } of pieces) {
      if (kind === 'prefill') prefill += tokens.length;
      else decode += tokens.length;
    }
    if (prefill === 0) {
      this.#decode.add(decode, seconds);
      return;
    }
    const rate = this.#decode.perSec;
    const decoding = rate === 0 ? 0 : Math.min(decode / rate, seconds / 2);
    this.#prefill.add(prefill, seconds - decoding);
  }

  /** KV was copied from the arena into the engine. */
  imported(bytes: number, elapsedMs: number): void {
    this.#imports.add(bytes, elapsedMs / 1000);
  }

  report(
    nowMs: number,
    atRest: boolean,
    state: Omit<InferenceLoad, 'prefillTokensPerSec' | 'decodeTokensPerSec' | 'dramBytesPerSec'>,
  ): void {
    if (!atRest && nowMs - this.#reportedMs < REPORT_INTERVAL_MS) return;
    const load: InferenceLoad = {
      ...state,
      prefillTokensPerSec: this.#prefill.perSec,
      decodeTokensPerSec: this.#decode.perSec,
      dramBytesPerSec: this.#imports.perSec,
    };
    const text = JSON.stringify(load);
    if (text === this.#reported) return;
    this.#reported = text;
    this.#reportedMs = nowMs;
    this.#emit({ type: 'load', load });
  }
}
