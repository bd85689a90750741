import type { KeySource } from './key-source.ts';

export interface ChainRoot {
  readonly adapter: string | undefined;
  readonly salt: string | undefined;
  readonly key: Uint8Array;
}

interface CountedRoot extends ChainRoot {
  name: string;
  children: number;
}

/** Where chains begin: one root for each adapter and salt, as long as a block hangs on it. */
export class ChainRoots {
  readonly #keys: KeySource;
  readonly #roots: (CountedRoot | undefined)[] = [];
  readonly #free: number[] = [];
  readonly #byName = new Map<string, number>();

  constructor(keys: KeySource) {
    this.#keys = keys;
  }

  /** Index of the root of an adapter and a salt. */
  ensure(adapter: string | undefined, salt: string | undefined): number {
    const name = this.#nameOf(adapter, salt);
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    const index = this.#free.pop() ?? this.#roots.length;
    const key = this.#keys.root(adapter, salt);
    this.#roots[index] = { name, adapter, salt, key, children: 0 };
    this.#byName.set(name, index);
    return index;
  }

  /** Behind an adapter's name there may be other weights than before: chains that begin now are theirs. */
  #nameOf(adapter: string | undefined, salt: string | undefined): string {
    if (adapter === undefined) return salt === undefined ? '' : JSON.stringify([null, null, salt]);
    return JSON.stringify([adapter, this.#keys.revisionOf?.(adapter) ?? null, salt ?? null]);
  }

  at(index: number): ChainRoot {
    const root = this.#roots[index];
    if (!root) throw new RangeError(`no root ${index}`);
    return root;
  }

  /** A block hangs on it. */
  attach(index: number): void {
    const root = this.#roots[index];
    if (root) root.children += 1;
  }

  /** A block hangs on it no more. */
  detach(index: number): void {
    const root = this.#roots[index];
    if (root) root.children -= 1;
    this.forgetIdle(index);
  }

  /** Forgets it unless a block hangs on it. */
  forgetIdle(index: number): void {
    const root = this.#roots[index];
    if (!root || root.children > 0) return;
    this.#byName.delete(root.name);
    this.#roots[index] = undefined;
    this.#free.push(index);
  }
}
