import type { Bus } from '@baton/bus';
import type { CoreInput } from '@baton/core';
import { readCredentials, type Credentials, type EngineAccess } from '@baton/engine-clients';
import { BatonError } from '@baton/kv';
import { baton } from '@baton/proto';
import type { Logger } from '@baton/service';
import { MAX_ENGINES, type ConductorConfig, type EngineSetting } from '../config.ts';
import { workerIdOf } from './engine-facts.ts';
import type { EngineFindings } from './engine-findings.ts';
import { EngineWatch } from './engine-watch.ts';

/** Whoever carries out what is wanted of workers. */
export type Agents = Pick<Bus, 'orderTransfer' | 'publishCancel' | 'requestSnapshot'>;

export interface WatchedEnginesOptions {
  settings: ConductorConfig['engines'];
  access: EngineAccess;
  intervalMs: number;
  hear: (input: CoreInput) => void;
  misfit: (workerId: string) => string | undefined;
  using: (workerId: string) => number;
  log: Logger;
  signal: AbortSignal;
}

interface Watched {
  watch: EngineWatch;
  stop: AbortController;
  ended: Promise<void>;
}

/** All engines without an agent. */
export class WatchedEngines {
  readonly #options: WatchedEnginesOptions;
  readonly #watched = new Map<string, Watched>();
  /** One is gone, and with it its name and address. */
  onGone: () => void = () => undefined;

  /** @throws BatonError config_invalid when two engines have the same id or URL, and for credentials that are none */
  constructor(options: WatchedEnginesOptions) {
    this.#options = options;
    for (const { apiKeyFile, caFile, ...setting } of options.settings) {
      this.add(setting, readCredentials({ apiKeyFile, caFile }));
    }
  }

  /** When all have said goodbye, after the signal was aborted. */
  ended(): Promise<unknown> {
    return Promise.all([...this.#watched.values()].map(({ ended }) => ended));
  }

  /** The watch of an engine; undefined when there is none of this id. */
  find(workerId: string): EngineWatch | undefined {
    return this.#watched.get(workerId)?.watch;
  }

  list(): EngineFindings[] {
    return [...this.#watched.values()].map(({ watch }) => watch.findings);
  }

  /**
   * From now on.
   *
   * @param own what this engine asks for and the others do not
   * @throws BatonError config_invalid when another has its id or URL, and for credentials that are none
   */
  add(setting: EngineSetting, own: Credentials = {}): EngineWatch {
    const { signal, ...shared } = this.#options;
    const workerId = workerIdOf(setting);
    const other = this.#watched.get(workerId);
    if (other !== undefined) {
      const { url } = other.watch.findings;
      const message =
        new URL(url).href === new URL(setting.url).href
          ? `${url} is listed already, as ${workerId}`
          : `${url} and ${setting.url} would both be called ${workerId}; give one of them another workerId`;
      throw new BatonError('config_invalid', message, { details: { field: 'workerId' } });
    }
    const same = this.list().find(({ url }) => url === setting.url);
    if (same !== undefined) {
      const message = `${setting.url} is served as ${same.workerId}`;
      throw new BatonError('config_invalid', message, { details: { field: 'url' } });
    }
    if (this.#watched.size >= MAX_ENGINES) {
      throw new BatonError('config_invalid', `more than ${MAX_ENGINES} engines`);
    }
    const isGiven = own.apiKey !== undefined || own.ca !== undefined;
    if (isGiven) shared.access.allow(setting.url, own);
    const stop = new AbortController();
    const ending = AbortSignal.any([signal, stop.signal]);
    const watch = new EngineWatch({ ...shared, setting, signal: ending });
    const ended = watch.run().then(() => this.#forget(workerId, watch));
    this.#watched.set(workerId, { watch, stop, ended });
    return watch;
  }

  /**
   * Nothing new is planned on it, and it is gone when nothing that runs needs it any more: no answer, and no decode that
   * still reads from it.
   *
   * @returns what is known of it; undefined when there is none of this id
   */
  drain(workerId: string): EngineFindings | undefined {
    const watch = this.#watched.get(workerId)?.watch;
    watch?.drain();
    return watch?.findings;
  }

  /** Nothing new is planned on it until it may be again; what is known of it stays. @param because undefined goes on */
  pause(workerId: string, because: string | undefined): void {
    this.#watched.get(workerId)?.watch.pause(because);
  }

  /** It is gone; what runs there goes on, unwatched. False when there is none of this id. */
  async remove(workerId: string): Promise<boolean> {
    const watched = this.#watched.get(workerId);
    watched?.stop.abort();
    await watched?.ended;
    return watched !== undefined;
  }

  #forget(workerId: string, { findings }: EngineWatch): void {
    this.#watched.delete(workerId);
    this.#options.access.forget(findings.url);
    this.onGone();
  }

  /** Engines here, agents over the bus, where there is one. */
  agents(bus: Bus | undefined): Agents {
    return {
      requestSnapshot: async (workerId, request, how) => {
        const watched = this.#watched.get(workerId);
        if (watched !== undefined) {
          watched.watch.snapshot(request.snapshotId ?? 0);
          return { ok: true, chunks: 1 };
        }
        return bus?.requestSnapshot(workerId, request, how) ?? { ok: false, code: 'no_worker' };
      },
      // An engine moves KV itself, or not at all: nothing is ordered of it.
      orderTransfer: async (workerId, order, how) => {
        if (bus !== undefined && !this.#watched.has(workerId)) {
          return bus.orderTransfer(workerId, order, how);
        }
        const message = `${workerId} has no agent`;
        return new baton.v1.TransferAck({
          accepted: false,
          code: 'unsupported_parameter',
          message,
        });
      },
      // Its request is closed by the gateway, and with it everything that the engine does for it.
      publishCancel: (workerId, cancel) =>
        this.#watched.has(workerId) || (bus?.publishCancel(workerId, cancel) ?? false),
    };
  }
}
