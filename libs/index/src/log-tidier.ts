import type { Holder } from './holder.ts';

/**
 * Takes out of the logs of holders what they no longer hold and what stands there twice, some entries at a time: a
 * holder of a million segments must not stop everything else. One holder after the other; each goes once through its
 * log, from the oldest entry to the one that was newest when it began, and puts what is to stay at the end again.
 */
export class LogTidier {
  readonly #isHeld: (segment: number, holder: Holder) => boolean;
  /** In the order in which they have come; the first one is being worked on. */
  readonly #holders = new Set<Holder>();
  /** Entries of the first one's log that are still to be looked at; 0 between holders. */
  #left = 0;
  /** A bit for each segment that stays; zero between holders. */
  #stays = new Int32Array(0);

  constructor(isHeld: (segment: number, holder: Holder) => boolean) {
    this.#isHeld = isHeld;
  }

  add(holder: Holder): void {
    this.#holders.add(holder);
  }

  /** Looks at up to so many entries. All segments are below `idLimit`. */
  step(entries: number, idLimit: number): void {
    for (let i = 0; i < entries; i += 1) {
      const [holder] = this.#holders;
      if (holder === undefined) return;
      if (this.#left === 0) this.#left = holder.logged;
      if (this.#left > 0 && holder.state !== 'leaving') this.#look(holder, idLimit);
      else this.#left = 0;
      if (this.#left > 0) continue;
      this.#holders.delete(holder);
      this.#stays.fill(0);
    }
  }

  #look(holder: Holder, idLimit: number): void {
    const segment = holder.shift();
    this.#left -= 1;
    if (!this.#isHeld(segment, holder)) return;
    if (this.#stays.length << 5 < idLimit) this.#grow(idLimit);
    const word = this.#stays[segment >>> 5] as number;
    const bit = 1 << (segment & 31);
    if ((word & bit) !== 0) return;
    this.#stays[segment >>> 5] = word | bit;
    holder.append(segment);
  }

  #grow(idLimit: number): void {
    const stays = new Int32Array((idLimit >>> 4) + 1);
    stays.set(this.#stays);
    this.#stays = stays;
  }
}
