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
  /** Unix time at which the gateway first heard of it, seconds. */
  createdSec: number;
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

  pool(model: string): ModelPool | undefined {
    return this.#pools.get(model);
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
