/** What one would write first: a Map from key to a Set of holders, and one Set of keys for each holder. */
export class MapIndex {
  readonly #holders = new Map<string, Set<number>>();
  readonly #held = new Map<number, Set<string>>();

  get replicas(): number {
    return [...this.#held.values()].reduce((sum, keys) => sum + keys.size, 0);
  }

  store(holder: number, keys: Uint8Array): void {
    for (const key of names(keys)) {
      let holders = this.#holders.get(key);
      if (holders === undefined) this.#holders.set(key, (holders = new Set()));
      holders.add(holder);
      let held = this.#held.get(holder);
      if (held === undefined) this.#held.set(holder, (held = new Set()));
      held.add(key);
    }
  }

  remove(holder: number, keys: Uint8Array): void {
    for (const key of names(keys)) {
      const holders = this.#holders.get(key);
      holders?.delete(holder);
      if (holders?.size === 0) this.#holders.delete(key);
      this.#held.get(holder)?.delete(key);
    }
  }

  /** Leading segments that anybody holds, and those that each holder has without a gap. */
  match(keys: Uint8Array): { known: number; reached: Map<number, number> } {
    const reached = new Map<number, number>();
    let index = 0;
    for (const key of names(keys)) {
      const holders = this.#holders.get(key);
      if (holders === undefined) break;
      for (const holder of holders) {
        if ((reached.get(holder) ?? 0) === index) reached.set(holder, index + 1);
      }
      index += 1;
    }
    return { known: index, reached };
  }
}

function* names(keys: Uint8Array): Iterable<string> {
  const buffer = Buffer.from(keys.buffer, keys.byteOffset, keys.byteLength);
  for (let at = 0; at < buffer.length; at += 16) yield buffer.toString('latin1', at, at + 16);
}
