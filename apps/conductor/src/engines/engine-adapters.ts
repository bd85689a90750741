import type { WorkerAdapters } from '@baton/cluster';
import type { EngineLook, ProbedEngine } from '@baton/engine-clients';
import { sameAdapter, type Adapter } from '@baton/kv';

/** The LoRA adapters of a running engine, as it lists them and as its metrics show them in use. */
export class EngineAdapters {
  #held: readonly Adapter[] = [];
  /** Told, in the same array as long as nothing changes. */
  #told: readonly Adapter[] = [];
  /** Names of those that are about to be unloaded: nothing new is to be planned with them. */
  readonly #leaving = new Set<string>();
  /** Used since it was last told. */
  #used: string[] = [];
  #slots = 0;
  #usedAtSec = 0;

  /** All that the engine lists. */
  get held(): readonly Adapter[] {
    return this.#held;
  }

  /** Another engine, or one that has begun again: what was loaded before is gone. */
  begin(): void {
    this.#held = [];
    this.#used = [];
    this.#slots = 0;
    this.#usedAtSec = 0;
  }

  heard(engine: ProbedEngine['engine'], { adapters = this.#held, metrics }: EngineLook): void {
    const isNew = (adapter: Adapter): boolean =>
      !this.#held.some((known) => sameAdapter(known, adapter));
    // vLLM has what it loads in its place at once, SGLang with its first use.
    if (engine === 'vllm') this.#used.push(...adapters.filter(isNew).map(({ name }) => name));
    this.#held = adapters;
    const { slots = 0, used = [], atSec = 0 } = metrics?.adapters ?? {};
    if (slots > 0) this.#slots = slots;
    // An engine at rest goes on to show what it used last.
    if (atSec > this.#usedAtSec) this.#used.push(...used);
    this.#usedAtSec = Math.max(this.#usedAtSec, atSec);
  }

  /** Which weights a name stands for. */
  revisionOf(name: string): string | undefined {
    return this.#held.find((adapter) => adapter.name === name)?.revision;
  }

  /** It is about to be unloaded, or will not be after all. */
  setLeaving(name: string, isLeaving: boolean): void {
    if (isLeaving) this.#leaving.add(name);
    else this.#leaving.delete(name);
  }

  /** For the next beat; undefined where there are none. */
  take(): WorkerAdapters | undefined {
    const held = this.#held.filter(({ name }) => !this.#leaving.has(name));
    const isSame =
      held.length === this.#told.length &&
      held.every((adapter, at) => sameAdapter(adapter, this.#told[at] ?? adapter));
    if (!isSame) this.#told = held;
    const used = this.#used;
    this.#used = [];
    if (this.#told.length === 0) return undefined;
    return { held: this.#told, slots: this.#slots, used };
  }
}
