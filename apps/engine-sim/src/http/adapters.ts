/** A LoRA adapter that was loaded while the engine runs. */
export interface Adapter {
  id: number;
  name: string;
  path: string;
}

/** Adapters that one engine can hold. */
const MAX_ADAPTERS = 64;

export class Adapters {
  readonly #byName = new Map<string, Adapter>();
  #lastId = 0;

  get list(): Adapter[] {
    return [...this.#byName.values()];
  }

  find(name: string): Adapter | undefined {
    return this.#byName.get(name);
  }

  /** Undefined when the name is taken or there is no room. */
  load(name: string, path: string): Adapter | undefined {
    if (this.#byName.has(name) || this.#byName.size >= MAX_ADAPTERS) return undefined;
    this.#lastId += 1;
    const adapter = { id: this.#lastId, name, path };
    this.#byName.set(name, adapter);
    return adapter;
  }

  unload(name: string): boolean {
    return this.#byName.delete(name);
  }
}
