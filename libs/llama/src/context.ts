import { BatonError } from '@baton/kv';
import koffi from 'koffi';
import type { LlamaModel } from './model.ts';
import type { NativeLlama, Pointer } from './native.ts';
import { readStateLayout, stateBytes, stateFault } from './sequence-state.ts';
import type { StateLayout } from './sequence-state.ts';
import { TokenBatch } from './token-batch.ts';

export interface ContextOptions {
  /** Tokens whose KV fits, over all sequences; rounded up to {@link CELL_ROUNDING}. */
  cells: number;
  /** Sequence ids 1 … `sequences` may be used; 0 is the context's own. At most {@link MAX_SEQUENCES}. */
  sequences: number;
  /** Most tokens of one decode. */
  batchTokens: number;
  /** Most tokens of one decode whose logits are wanted. */
  outputs: number;
  threads: number;
}

/** The graph is built for multiples of this many cells. */
export const CELL_ROUNDING = 256;
/** libllama knows 256 ids, one of which a context keeps for itself. */
export const MAX_SEQUENCES = 255;
/** The id through which ranges leave and enter, the same everywhere so that equal ranges have equal bytes. */
const TRANSIT = 0;
const ALL = -1;

/** `no_cells`: the KV memory is full, nothing was computed. */
export type DecodeResult = 'done' | 'no_cells';

/** KV memory and compute buffers over one model, with one unified cache. */
export class LlamaContext {
  readonly cells: number;
  readonly sequences: number;
  readonly batch: TokenBatch;
  readonly layout: StateLayout;
  readonly #native: NativeLlama;
  readonly #vocabSize: number;
  readonly #memory: Pointer;
  #pointer: Pointer | undefined;

  /** @throws BatonError engine_failed when libllama cannot make the context, mostly for want of memory. */
  constructor(model: LlamaModel, options: ContextOptions) {
    this.#native = model.native;
    this.#vocabSize = model.vocab.size;
    this.cells = Math.ceil(options.cells / CELL_ROUNDING) * CELL_ROUNDING;
    this.sequences = options.sequences;
    const pointer = this.#native.openContext(model.pointer, {
      ...this.#native.contextDefaults(),
      n_ctx: this.cells,
      n_batch: options.batchTokens,
      n_ubatch: options.batchTokens,
      n_seq_max: options.sequences + 1,
      // libllama keeps room for one output of each sequence in any case and ends the process when told less.
      n_outputs_max: Math.max(options.outputs, options.sequences + 1),
      n_threads: options.threads,
      n_threads_batch: options.threads,
      kv_unified: true,
    });
    if (!pointer) {
      throw new BatonError(
        'engine_failed',
        `libllama cannot make a context of ${this.cells} tokens: there is not enough memory.`,
      );
    }
    this.#pointer = pointer;
    this.#memory = this.#native.memoryOf(pointer);
    this.batch = new TokenBatch(options.batchTokens);
    this.layout = this.#probeLayout();
  }

  get pointer(): Pointer {
    if (this.#pointer === undefined) {
      throw new BatonError('internal_error', 'The context is closed.');
    }
    return this.#pointer;
  }

  /**
   * Computes what is in {@link batch}.
   *
   * @throws BatonError invalid_request when libllama refuses the batch as it is (then nothing was computed), and
   *   engine_failed when it failed in the middle: the context is not to be used any more.
   */
  decode(): DecodeResult {
    const code = this.#native.decode(this.pointer, this.batch.toNative());
    if (code === 0) return 'done';
    if (code === 1) return 'no_cells';
    if (code === -1) throw new BatonError('invalid_request', 'libllama refused the batch.');
    throw new BatonError('engine_failed', `libllama failed to compute a batch (code ${code}).`, {
      details: { code },
    });
  }

  /** Logits of a batch entry, a view that is valid until the next decode. */
  logits(index: number): Float32Array {
    const address = this.#native.logitsAt(this.pointer, index);
    if (!address) throw new BatonError('internal_error', `Batch entry ${index} has no logits.`);
    return new Float32Array(koffi.view(address, this.#vocabSize * 4));
  }

  /** Lets `to` share the cells of `from` at positions `p0` (inclusive) to `p1` (exclusive); nothing is copied. */
  share(from: number, to: number, p0: number, p1: number): void {
    this.#require(from, to);
    this.#native.copySequence(this.#memory, from, to, p0, p1);
  }

  /** Takes positions `p0` to `p1` (exclusive; -1 is the end) from a sequence; cells without a sequence are free. */
  remove(sequence: number, p0 = ALL, p1 = ALL): void {
    this.#require(sequence);
    this.#native.removeSequence(this.#memory, sequence, p0, p1);
  }

  /** Last position of a sequence, -1 when it has none. */
  lastPosition(sequence: number): number {
    this.#require(sequence);
    return this.#native.lastPosition(this.#memory, sequence);
  }

  clear(): void {
    this.#native.clearMemory(this.#memory, false);
  }

  /** Bytes of the KV of so many tokens. */
  rangeBytes(tokens: number): number {
    return stateBytes(this.layout, tokens);
  }

  /**
   * Writes the KV of positions `p0` to `p1` (exclusive) straight into `into`, without a copy between.
   *
   * @returns bytes written: {@link rangeBytes} of the range.
   * @throws BatonError internal_error when the sequence lacks part of the range or `into` is too small.
   */
  exportRange(sequence: number, p0: number, p1: number, into: Uint8Array): number {
    this.#require(sequence);
    const expected = this.rangeBytes(p1 - p0);
    if (into.length < expected) {
      throw new BatonError('internal_error', `A range of ${expected} bytes does not fit the page.`);
    }
    this.#native.copySequence(this.#memory, sequence, TRANSIT, p0, p1);
    const written = this.#native.getState(this.pointer, into, expected, TRANSIT);
    this.#native.removeSequence(this.#memory, TRANSIT, ALL, ALL);
    if (written !== expected) {
      throw new BatonError('internal_error', `Positions ${p0} to ${p1} are not all there.`);
    }
    return written;
  }

  /**
   * Gives a sequence the KV of positions `p0` to `p1` (exclusive), straight from `bytes`.
   *
   * @returns undefined, or why the bytes were refused; nothing has changed then.
   */
  importRange(sequence: number, p0: number, p1: number, bytes: Uint8Array): string | undefined {
    this.#require(sequence);
    const fault = stateFault(this.layout, bytes, p0, p1);
    if (fault !== undefined) return fault;
    if (this.#native.setState(this.pointer, bytes, bytes.length, TRANSIT) === 0) {
      this.#native.removeSequence(this.#memory, TRANSIT, ALL, ALL);
      return 'refused by libllama';
    }
    this.#native.copySequence(this.#memory, TRANSIT, sequence, ALL, ALL);
    this.#native.removeSequence(this.#memory, TRANSIT, ALL, ALL);
    return undefined;
  }

  close(): void {
    if (this.#pointer === undefined) return;
    this.#native.freeContext(this.#pointer);
    this.#pointer = undefined;
    this.batch.close();
  }

  /** Computes two tokens of nothing, which also warms the compute buffers. */
  #probeLayout(): StateLayout {
    const { batch } = this;
    const sizeOf = (): number => this.#native.stateSize(this.pointer, TRANSIT);
    batch.clear();
    batch.add(0, 0, TRANSIT, true);
    this.decode();
    const one = new Uint8Array(sizeOf());
    this.#native.getState(this.pointer, one, one.length, TRANSIT);
    batch.clear();
    batch.add(0, 1, TRANSIT, true);
    this.decode();
    const layout = readStateLayout(one, sizeOf());
    batch.clear();
    this.clear();
    return layout;
  }

  /** An id outside the range would end the process inside libllama. */
  #require(...sequences: number[]): void {
    for (const sequence of sequences) {
      if (!Number.isInteger(sequence) || sequence < 1 || sequence > this.sequences) {
        throw new RangeError(`there is no sequence ${sequence}`);
      }
    }
  }
}
