export interface ReplayEntry {
  seq: number;
  payload: Uint8Array;
}

/**
 * The newest batches, bounded in number and in bytes; the oldest go first. The very newest always stays: whoever asks
 * again knows by it that this is the engine that it followed.
 */
export class ReplayBuffer {
  readonly #maxBatches: number;
  readonly #maxBytes: number;
  #entries: ReplayEntry[] = [];
  /** Entries before this one are gone; they are cut off in bulk. */
  #start = 0;
  #bytes = 0;

  constructor(maxBatches: number, maxBytes: number) {
    this.#maxBatches = maxBatches;
    this.#maxBytes = maxBytes;
  }

  get size(): number {
    return this.#entries.length - this.#start;
  }

  push(entry: ReplayEntry): void {
    this.#entries.push(entry);
    this.#bytes += entry.payload.length;
    while (this.size > 1 && (this.size > this.#maxBatches || this.#bytes > this.#maxBytes)) {
      this.#bytes -= this.#entries[this.#start]?.payload.length ?? 0;
      this.#start += 1;
    }
    if (this.#start > this.#entries.length / 2) {
      this.#entries = this.#entries.slice(this.#start);
      this.#start = 0;
    }
  }

  /** Everything still held from `seq` on, oldest first. A first entry above `seq` means that some are gone. */
  from(seq: number): ReplayEntry[] {
    return this.#entries.slice(this.#start).filter((entry) => entry.seq >= seq);
  }
}
