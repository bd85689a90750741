import { crc32 } from 'node:zlib';
import { Fifo } from '@baton/kv';

export interface WaitingBatch {
  seq: number;
  payload: Uint8Array;
  /** CRC-32 of the payload. */
  digest: number;
}

/** Batches that have come and cannot be delivered yet, in the order in which they came. Bounded in number and bytes. */
export class WaitingBatches {
  readonly #maxBatches: number;
  readonly #maxBytes: number;
  readonly #batches = new Fifo<WaitingBatch>();
  #bytes = 0;

  constructor(maxBatches: number, maxBytes: number) {
    this.#maxBatches = maxBatches;
    this.#maxBytes = maxBytes;
  }

  get length(): number {
    return this.#batches.length;
  }

  get firstSeq(): number | undefined {
    return this.#batches.first?.seq;
  }

  get firstDigest(): number | undefined {
    return this.#batches.first?.digest;
  }

  /** Keeps a copy; false when there is no room. */
  push(seq: number, payload: Uint8Array): boolean {
    const isFull = this.length >= this.#maxBatches || this.#bytes >= this.#maxBytes;
    if (isFull) return false;
    this.#batches.push({ seq, payload: Uint8Array.from(payload), digest: crc32(payload) });
    this.#bytes += payload.length;
    return true;
  }

  clear(): void {
    this.#batches.clear();
    this.#bytes = 0;
  }

  /** @throws RangeError when none waits. */
  shift(): WaitingBatch {
    const batch = this.#batches.shift();
    if (batch === undefined) throw new RangeError('no batch waits');
    this.#bytes -= batch.payload.length;
    return batch;
  }
}
