import koffi from 'koffi';
import type { NativeBatch, Pointer } from './native.ts';

/**
 * Tokens for one llama_decode, in native memory that is written in place and reused from step to step.
 *
 * Each token belongs to one sequence, so the table of sequence lists that libllama wants is filled once.
 */
export class TokenBatch {
  readonly capacity: number;
  #size = 0;
  readonly #memory: Pointer[] = [];
  readonly #struct: NativeBatch;
  readonly #tokens: Int32Array;
  readonly #positions: Int32Array;
  readonly #sequences: Int32Array;
  readonly #wanted: Int8Array;

  constructor(capacity: number) {
    this.capacity = capacity;
    const ints = (): { address: Pointer; values: Int32Array } => {
      const address = this.#allocate(capacity * 4);
      return { address, values: new Int32Array(koffi.view(address, capacity * 4)) };
    };
    const tokens = ints();
    const positions = ints();
    const sequenceCounts = ints();
    const sequences = ints();
    const lists = this.#allocate(capacity * 8);
    const wanted = this.#allocate(capacity);
    sequenceCounts.values.fill(1);
    const table = new BigUint64Array(koffi.view(lists, capacity * 8));
    for (let i = 0; i < capacity; i += 1) table[i] = sequences.address + BigInt(i * 4);
    this.#tokens = tokens.values;
    this.#positions = positions.values;
    this.#sequences = sequences.values;
    this.#wanted = new Int8Array(koffi.view(wanted, capacity));
    this.#struct = {
      n_tokens: 0,
      token: tokens.address,
      embd: null,
      pos: positions.address,
      n_seq_id: sequenceCounts.address,
      seq_id: lists,
      logits: wanted,
    };
  }

  clear(): void {
    this.#size = 0;
  }

  /** Appends a token and returns its index, under which its logits can be read when `wantsLogits`. */
  add(token: number, position: number, sequence: number, wantsLogits: boolean): number {
    const index = this.#size;
    if (index >= this.capacity) throw new RangeError(`a batch holds ${this.capacity} tokens`);
    this.#tokens[index] = token;
    this.#positions[index] = position;
    this.#sequences[index] = sequence;
    this.#wanted[index] = wantsLogits ? 1 : 0;
    this.#size += 1;
    return index;
  }

  /** Valid until the next change. */
  toNative(): NativeBatch {
    this.#struct.n_tokens = this.#size;
    return this.#struct;
  }

  close(): void {
    this.#size = 0;
    for (const address of this.#memory.splice(0)) koffi.free(address);
  }

  #allocate(sizeBytes: number): Pointer {
    const address = koffi.alloc('uint8', sizeBytes) as Pointer;
    this.#memory.push(address);
    return address;
  }
}
