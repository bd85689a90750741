/** Batches remembered: a live copy of a replayed one comes at most this much later. */
const REMEMBERED = 4_096;

/** Digests of the last batches by sequence number, to tell a repetition from another life of the engine. */
export class SeqDigests {
  readonly #seqs = new Float64Array(REMEMBERED).fill(-1);
  readonly #digests = new Uint32Array(REMEMBERED);

  /** Undefined for a batch that is not remembered. */
  get(seq: number): number | undefined {
    const at = seq % REMEMBERED;
    return this.#seqs[at] === seq ? this.#digests[at] : undefined;
  }

  set(seq: number, digest: number): void {
    const at = seq % REMEMBERED;
    this.#seqs[at] = seq;
    this.#digests[at] = digest;
  }

  clear(): void {
    this.#seqs.fill(-1);
  }
}
