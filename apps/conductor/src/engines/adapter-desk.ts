import { setTimeout as delay } from 'node:timers/promises';
import type { CoreInput, CoreView } from '@baton/core';
import { changeAdapter, type EngineAccess } from '@baton/engine-clients';
import { BatonError, type Adapter } from '@baton/kv';
import type { WatchedEngines } from './watched-engines.ts';

/** Between two looks at who still needs an adapter, or whether an agent has found it. */
const LOOK_MS = 50;
/** An agent finds what its engine has loaded with one of its looks, and tells it with a beat. */
const FOUND_MS = 5_000;

/** An engine whose LoRA adapters can be changed while it runs. */
export interface AdapterHolder {
  workerId: string;
  model: string;
  serves: boolean;
  adapters: readonly Adapter[];
}

export interface AdapterDeskOptions {
  /** Those without an agent. */
  engines: Pick<WatchedEngines, 'find' | 'list'>;
  view: Pick<CoreView, 'usingAdapter' | 'workers'>;
  /** Taken at once. */
  feed: (input: CoreInput) => void;
  access: EngineAccess;
  now: () => number;
  signal: AbortSignal;
}

/** Has engines load and unload adapters: those without an agent, and vLLMs that have one. */
export class AdapterDesk {
  readonly #options: AdapterDeskOptions;

  constructor(options: AdapterDeskOptions) {
    this.#options = options;
  }

  list(): AdapterHolder[] {
    const watched = this.#options.engines
      .list()
      .map(({ workerId, model = '', adapters, serves }) => {
        return { workerId, model, adapters, serves: serves === true };
      });
    const others = this.#withAgents().map(({ facts: { workerId, model }, ...record }) => ({
      ...{ workerId, model, adapters: record.adapters?.held ?? [] },
      serves: record.state === 'ready' && record.fitsPool,
    }));
    return [...watched, ...others];
  }

  /**
   * Has an engine load an adapter from a path on its machine; it can be used when that is done.
   *
   * @throws BatonError adapter_refused with what the engine says, engine_unavailable when it does not serve
   */
  async load(workerId: string, name: string, path: string): Promise<void> {
    const { feed, engines } = this.#options;
    const adapter = { name, revision: path };
    feed({ type: 'adapterLeaving', workerId, adapter, isLeaving: false });
    await this.#change(workerId, name, path);
    if (engines.find(workerId) !== undefined) return;
    await this.#until(FOUND_MS, () => this.#held(workerId, name)?.revision === path);
  }

  /**
   * Plans nothing new with an adapter, waits until nothing that runs needs it, and has the engine unload it.
   *
   * @param waitMs how long that may take; 0 does not wait for anybody
   * @throws BatonError adapter_not_found, or as {@link load} does; then the adapter is served as before
   */
  async unload(workerId: string, name: string, waitMs: number): Promise<void> {
    const { feed, view } = this.#options;
    const adapter = this.#held(workerId, name);
    if (adapter === undefined) {
      throw new BatonError('adapter_not_found', `${workerId} has no adapter ${name}`);
    }
    feed({ type: 'adapterLeaving', workerId, adapter, isLeaving: true });
    try {
      const isFree = (): boolean => view.usingAdapter(workerId, name) === 0;
      if (waitMs > 0 && !(await this.#until(waitMs, isFree))) {
        const count = view.usingAdapter(workerId, name);
        const still = `${count} requests at ${workerId} still need ${name}`;
        throw new BatonError('adapter_refused', `${still}; it stays loaded`);
      }
      await this.#change(workerId, name, undefined);
    } catch (error) {
      feed({ type: 'adapterLeaving', workerId, adapter, isLeaving: false });
      throw error;
    }
  }

  #held(workerId: string, name: string): Adapter | undefined {
    const holder = this.list().find((one) => one.workerId === workerId);
    return holder?.adapters.find((adapter) => adapter.name === name);
  }

  async #change(workerId: string, name: string, path: string | undefined): Promise<void> {
    const { engines, access, signal } = this.#options;
    const watch = engines.find(workerId);
    if (watch !== undefined) return watch.changeAdapter(name, path);
    const record = this.#withAgents().find(({ facts }) => facts.workerId === workerId);
    if (record?.state !== 'ready') {
      const why = record === undefined ? 'it is gone' : record.reason || record.state;
      throw new BatonError('engine_unavailable', `${workerId} does not serve: ${why}`);
    }
    const { engineUrl } = record.facts;
    await changeAdapter({ engine: 'vllm', engineUrl, access, signal }, { name, path });
  }

  /** Workers whose agents tell of their adapters. */
  #withAgents() {
    const { view, engines, now } = this.#options;
    return view
      .workers(now())
      .map(({ record }) => record)
      .filter(({ facts }) => facts.engine === 'vllm' && engines.find(facts.workerId) === undefined);
  }

  /** Whether it has become so in time. */
  async #until(waitMs: number, isSo: () => boolean): Promise<boolean> {
    const { signal } = this.#options;
    const endMs = performance.now() + waitMs;
    while (!isSo()) {
      if (signal.aborted || performance.now() >= endMs) return false;
      await delay(LOOK_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
    return true;
  }
}
