import { crc32 } from 'node:zlib';

export interface WaitingBatch {
  seq: number;
  payload: Uint8Array;
  /** CRC-32 of the payload. */
  digest: number;
}

/** Entries that have been taken out are cut off in bulk. */
const CUT_AT = 1_024;

/** Batches that have come and cannot be delivered yet, in the order in which they came. Bounded in number and bytes. */
export class WaitingBatches {
  readonly #maxBatches: number;
  readonly #maxBytes: number;
  #batches: WaitingBatch[] = [];
  #taken = 0;
  #bytes = 0;

  constructor(maxBatches: number, maxBytes: number) {
    this.#maxBatches = maxBatches;
    this.#maxBytes = maxBytes;
  }

  get length(): number {
    return this.#batches.length - this.#taken;
  }

  get firstSeq(): number | undefined {
    return this.#batches[this.#taken]?.seq;
  }

  get firstDigest(): number | undefined {
    return this.#batches[this.#taken]?.digest;
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
    this.#batches = [];
    this.#taken = 0;
    this.#bytes = 0;
  }

  /** @throws RangeError when none waits. */
  shift(): WaitingBatch {
    const batch = this.#batches[this.#taken];
    if (batch === undefined) throw new RangeError('no batch waits');
    this.#taken += 1;
    this.#bytes -= batch.payload.length;
    if (this.#taken === this.#batches.length || this.#taken >= CUT_AT) {
      this.#batches = this.#batches.slice(this.#taken);
      this.#taken = 0;
    }
    return batch;
  }
}
