import type { Adapter } from '@baton/kv';

export interface PoolWorker {
  workerId: string;
  engineUrl: string;
}

/** What every engine of a model can do. */
export interface EngineAbilities {
  /** Takes the prompt of a completion as token ids. */
  takeTokens: boolean;
  callTools: boolean;
}

/** One model and the workers that serve it. */
export interface ModelPool {
  model: string;
  tokenization: string;
  segmentTokens: number;
  /** Prompt and output together. */
  maxModelTokens: number;
  workers: readonly PoolWorker[];
  ready: boolean;
  capabilities: EngineAbilities;
  /** LoRA adapters of the model, of which some of its workers have each. */
  adapters: readonly ServedAdapter[];
  /** Unix time at which the gateway first heard of it, seconds. */
  createdSec: number;
}

export interface ServedAdapter extends Adapter {
  ready: boolean;
}

/** What a name that a client used stands for. */
export interface NamedModel {
  pool: ModelPool;
  /** Undefined for the model itself. */
  adapter: ServedAdapter | undefined;
}

/** What the conductor last said about models and workers. */
export class FleetView {
  #pools = new Map<string, ModelPool>();

  update(told: readonly Omit<ModelPool, 'createdSec'>[], nowMs: number): void {
    const pools = new Map<string, ModelPool>();
    for (const pool of told) {
      const createdSec = this.#pools.get(pool.model)?.createdSec ?? Math.floor(nowMs / 1_000);
      pools.set(pool.model, { ...pool, createdSec });
    }
    this.#pools = pools;
  }

  /** A model by its name, or else an adapter; undefined for what nobody serves. */
  named(name: string): NamedModel | undefined {
    const own = this.#pools.get(name);
    if (own !== undefined) return { pool: own, adapter: undefined };
    for (const pool of this.#pools.values()) {
      const adapter = pool.adapters.find((served) => served.name === name);
      if (adapter !== undefined) return { pool, adapter };
    }
    return undefined;
  }

  pools(): ModelPool[] {
    return [...this.#pools.values()];
  }

  engineUrls(): Set<string> {
    return new Set(this.pools().flatMap((pool) => pool.workers.map((worker) => worker.engineUrl)));
  }

  workerIds(): Set<string> {
    return new Set(this.pools().flatMap((pool) => pool.workers.map((worker) => worker.workerId)));
  }
}
