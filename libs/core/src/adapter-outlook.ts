import { holdsAdapter, type Cluster, type WorkerAdapters, type WorkerFacts } from '@baton/cluster';
import type { Adapter } from '@baton/kv';
import type { AdapterDemand } from '@baton/scheduling';
import { kindOf } from './fleet-views.ts';

/** Adapters whose last use is remembered, of each worker. */
const MAX_REMEMBERED = 256;
/** Share of a new load in the mean. */
const WEIGHT = 0.2;

/**
 * Which adapters have their place on which worker, and what it costs where one has not. Engines give up the adapter
 * that was used longest ago; what was planned is used, and so is what an engine says that it uses.
 */
export class AdapterOutlook {
  readonly #cluster: Cluster;
  readonly #firstGuessMs: number;
  /** Names by worker, the one that was used last at the end. */
  readonly #used = new Map<string, string[]>();
  /** Mean duration of loads, by kind of worker. */
  readonly #loadMs = new Map<string, number>();

  /** @param firstGuessMs what loading an adapter takes before that was measured */
  constructor(cluster: Cluster, firstGuessMs: number) {
    this.#cluster = cluster;
    this.#firstGuessMs = firstGuessMs;
  }

  /** What a worker says of its adapters. */
  heard(workerId: string, { used }: WorkerAdapters): void {
    for (const name of used) this.used(workerId, name);
  }

  /** A request is planned there with it. */
  used(workerId: string, name: string): void {
    const names = (this.#used.get(workerId) ?? []).filter((other) => other !== name);
    this.#used.set(workerId, [...names, name].slice(-MAX_REMEMBERED));
  }

  /** Loading one took so long on a worker, as far as it can be told from computing. */
  observe(facts: WorkerFacts, loadMs: number): void {
    const kind = kindOf(facts);
    const before = this.#loadMs.get(kind) ?? this.#firstGuessMs;
    this.#loadMs.set(kind, before + WEIGHT * (Math.max(0, loadMs) - before));
  }

  demand(adapter: Adapter): AdapterDemand {
    return {
      obstacle: (workerId) => this.#obstacle(workerId, adapter),
      loadMs: (facts) =>
        this.isWarm(facts.workerId, adapter.name)
          ? 0
          : (this.#loadMs.get(kindOf(facts)) ?? this.#firstGuessMs),
    };
  }

  /** It has its place beside the weights. Of an engine that does not say how many there are all have. */
  isWarm(workerId: string, name: string): boolean {
    const slots = this.#cluster.get(workerId)?.adapters?.slots ?? 0;
    return slots === 0 || (this.#used.get(workerId)?.slice(-slots).includes(name) ?? false);
  }

  forgetWorker(workerId: string): void {
    this.#used.delete(workerId);
  }

  #obstacle(workerId: string, adapter: Adapter): string | undefined {
    const worker = this.#cluster.get(workerId);
    if (worker !== undefined && holdsAdapter(worker, adapter)) return undefined;
    const isOther = worker?.adapters?.held.some(({ name }) => name === adapter.name) ?? false;
    return isOther
      ? `adapter_revision: it has other weights as ${adapter.name}`
      : `adapter_missing: it has no adapter ${adapter.name}`;
  }
}
