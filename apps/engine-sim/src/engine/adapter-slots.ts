import type { Adapter } from '../cache/block-names.ts';

/** The places for adapters beside the weights: the one that was used longest ago gives way to one that has none. */
export class AdapterSlots {
  readonly count: number;
  /** Ids, the one that was used last at the end. */
  #ids: number[] = [];

  constructor(count: number) {
    this.count = count;
  }

  /** An adapter was in a place. */
  get isUsed(): boolean {
    return this.#ids.length > 0;
  }

  /** These are used now; returns how many had to be loaded for it. */
  use(adapters: Iterable<Adapter>): number {
    let loads = 0;
    for (const { id } of adapters) {
      if (!this.#ids.includes(id)) loads += 1;
      this.#ids = [...this.#ids.filter((other) => other !== id), id].slice(-this.count);
    }
    return loads;
  }
}
