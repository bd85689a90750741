import type { Adapter } from '../cache/block-names.ts';
import type { AdapterSettings } from '../engine-options.ts';

/** Adapters that one engine can hold. */
const MAX_ADAPTERS = 64;

/** LoRA adapters that requests may name: those of the start, and those that were loaded since. */
export class Adapters {
  readonly #byName = new Map<string, Adapter>();
  #lastId = 0;

  constructor(settings?: AdapterSettings) {
    for (const { name, path } of settings?.modules ?? []) this.load(name, path);
  }

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
