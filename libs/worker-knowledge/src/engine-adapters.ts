import type { WorkerAdapters } from '@baton/cluster';
import type { EngineLook, ProbedEngine } from '@baton/engine-clients';
import { sameAdapter, type Adapter } from '@baton/kv';

/** Names that are remembered between two beats. */
const MAX_USED = 256;

/** The LoRA adapters of a running engine, as it lists them and as its metrics show them in use. */
export class EngineAdapters {
  #held: readonly Adapter[] = [];
  /** Used since it was last told, the last one last. */
  #used: string[] = [];
  #slots = 0;
  #usedAtSec = 0;

  /** All that the engine lists; the same array as long as nothing changes. */
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
    const fresh = adapters.filter((one) => !this.#held.some((known) => sameAdapter(known, one)));
    // vLLM has what it loads in its place at once, SGLang with its first use.
    if (engine === 'vllm') this.#use(fresh.map(({ name }) => name));
    if (fresh.length > 0 || adapters.length !== this.#held.length) this.#held = adapters;
    const { slots = 0, used = [], atSec = 0 } = metrics?.adapters ?? {};
    if (slots > 0) this.#slots = slots;
    // An engine at rest goes on to show what it used last.
    if (atSec > this.#usedAtSec) this.#use(used);
    this.#usedAtSec = Math.max(this.#usedAtSec, atSec);
  }

  /** Which weights a name stands for. */
  revisionOf(name: string): string | undefined {
    return this.#held.find((adapter) => adapter.name === name)?.revision;
  }

  /** For the next beat; undefined where there are none. */
  take(): WorkerAdapters | undefined {
    const used = this.#used;
    this.#used = [];
    return this.#held.length === 0 ? undefined : { held: this.#held, slots: this.#slots, used };
  }

  #use(names: readonly string[]): void {
    const others = this.#used.filter((name) => !names.includes(name));
    this.#used = [...others, ...names].slice(-MAX_USED);
  }
}
