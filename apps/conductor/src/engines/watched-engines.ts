import type { Bus } from '@baton/bus';
import type { CoreInput } from '@baton/core';
import { BatonError } from '@baton/kv';
import { baton } from '@baton/proto';
import type { Logger } from '@baton/service';
import type { EngineSetting } from '../config.ts';
import { workerIdOf } from './engine-facts.ts';
import { EngineWatch } from './engine-watch.ts';

/** Whoever carries out what is wanted of workers. */
export type Agents = Pick<Bus, 'orderTransfer' | 'publishCancel' | 'requestSnapshot'>;

export interface WatchedEnginesOptions {
  settings: readonly EngineSetting[];
  intervalMs: number;
  hear: (input: CoreInput) => void;
  log: Logger;
  signal: AbortSignal;
}

/** All engines without an agent. */
export class WatchedEngines {
  readonly #watches: ReadonlyMap<string, EngineWatch>;
  #running: Promise<unknown> = Promise.resolve();

  constructor({ settings, ...others }: WatchedEnginesOptions) {
    const watches = settings.map((setting) => new EngineWatch({ setting, ...others }));
    this.#watches = new Map(watches.map((watch) => [watch.workerId, watch]));
  }

  start(): void {
    this.#running = Promise.all([...this.#watches.values()].map((watch) => watch.run()));
  }

  /** When all have said goodbye, after the signal was aborted. */
  ended(): Promise<unknown> {
    return this.#running;
  }

  /** Engines here, agents over the bus, where there is one. */
  agents(bus: Bus | undefined): Agents {
    return {
      requestSnapshot: async (workerId, request, how) => {
        const watch = this.#watches.get(workerId);
        if (watch !== undefined) {
          watch.snapshot(request.snapshotId ?? 0);
          return { ok: true, chunks: 1 };
        }
        return bus?.requestSnapshot(workerId, request, how) ?? { ok: false, code: 'no_worker' };
      },
      // An engine moves KV itself, or not at all: nothing is ordered of it.
      orderTransfer: async (workerId, order, how) => {
        if (bus !== undefined && !this.#watches.has(workerId)) {
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
        this.#watches.has(workerId) || (bus?.publishCancel(workerId, cancel) ?? false),
    };
  }
}

/** @throws BatonError config_invalid when two engines have the same id */
export function checkEngines(settings: readonly EngineSetting[]): void {
  const seen = new Map<string, string>();
  for (const setting of settings) {
    const workerId = workerIdOf(setting);
    const other = seen.get(workerId);
    if (other !== undefined) {
      const message = `engines: ${other} and ${setting.url} are both called ${workerId}; give one of them another workerId`;
      throw new BatonError('config_invalid', message);
    }
    seen.set(workerId, setting.url);
  }
}
