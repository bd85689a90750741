import {
  engineKey,
  PodDiscovery,
  type EnginesChange,
  type PodDiscoveryState,
  type PodEngine,
} from '@baton/kubernetes';
import { toBatonError } from '@baton/kv';
import type { Logger } from '@baton/service';
import type { ConductorConfig } from '../config.ts';
import type { WatchedEngines } from './watched-engines.ts';

export interface PodEnginesOptions {
  settings: NonNullable<ConductorConfig['kubernetes']>;
  engines: WatchedEngines;
  log: Logger;
  signal: AbortSignal;
}

/** Has engines watched while their pods can be sent to, beside those that the configuration lists. */
export class PodEngines {
  readonly #options: PodEnginesOptions;
  readonly #discovery: PodDiscovery;
  /** Engines of pods that are not watched, and why, by pod and place. */
  readonly #refused = new Map<string, { engine: PodEngine; why: string }>();
  /** One change after another: what comes may have the name of what goes. */
  #changes: Promise<void> = Promise.resolve();

  constructor(options: PodEnginesOptions) {
    this.#options = options;
    const { log, settings, signal } = options;
    this.#discovery = new PodDiscovery({
      ...settings,
      signal,
      onEngines: (change) => {
        this.#changes = this.#changes.then(() => this.#change(change));
      },
      onProblem: (problem) => {
        if (problem === undefined) log.info({ event: 'pods_heard' }, 'pods are watched');
        else log.warn({ event: 'pods_unheard' }, `pods cannot be watched: ${problem}`);
      },
    });
    // What stood in the way of another one may be gone.
    options.engines.onGone = () => {
      this.#changes = this.#changes.then(() => this.#tryRefused());
    };
  }

  /** As the admin API has it. */
  get state(): PodDiscoveryState {
    const { state, engines, unused, ...others } = this.#discovery.state;
    const refused = [...this.#refused.values()].map(({ engine, why }) => ({
      pod: engine.pod,
      why,
    }));
    return { state, ...others, engines: engines - refused.length, unused: [...unused, ...refused] };
  }

  /** When it has stopped, after the signal was aborted. */
  async ended(): Promise<void> {
    await this.#discovery.ended();
    await this.#changes;
  }

  async #change({ gone, found, paused, resumed }: EnginesChange): Promise<void> {
    const { engines, log } = this.#options;
    await Promise.all(
      gone.map(async ({ engine, why }) => {
        if (this.#refused.delete(engineKey(engine))) return;
        const { workerId, pod } = engine;
        log.info({ event: 'pod_gone', workerId, pod }, `${workerId} gets nothing new: ${why}`);
        await engines.remove(workerId);
      }),
    );
    for (const { engine, why } of paused) this.#pause(engine, why);
    for (const engine of resumed) this.#pause(engine, undefined);
    for (const engine of found) this.#add(engine);
  }

  /** @param why undefined where it may have something again */
  #pause(engine: PodEngine, why: string | undefined): void {
    const { engines, log } = this.#options;
    if (this.#refused.has(engineKey(engine))) return;
    const { workerId, pod } = engine;
    const fields = { event: why === undefined ? 'pod_resumed' : 'pod_paused', workerId, pod };
    const isSo = why === undefined ? 'is ready again' : `gets nothing new: ${why}`;
    log.info(fields, `${workerId} ${isSo}`);
    engines.pause(workerId, why && `of its pod: ${why}`);
  }

  #tryRefused(): void {
    for (const { engine } of [...this.#refused.values()]) this.#add(engine);
  }

  #add(engine: PodEngine): void {
    const { engines, log, settings, signal } = this.#options;
    if (signal.aborted) return;
    const { workerId, url, role, pod } = engine;
    const { kvBytesPerToken, maxSequences, connector, bootstrapPort } = settings;
    const before = this.#refused.get(engineKey(engine));
    try {
      const told = { kvBytesPerToken, maxSequences, connector, bootstrapPort };
      engines.add({ url, role, workerId, ...told });
      this.#refused.delete(engineKey(engine));
      log.info({ event: 'pod_found', workerId, pod, url, role }, `${workerId} runs at ${url}`);
    } catch (error) {
      const { message } = toBatonError(error);
      this.#refused.set(engineKey(engine), { engine, why: message });
      if (before?.why === message) return;
      log.warn({ event: 'pod_refused', workerId, pod }, `${workerId} gets nothing: ${message}`);
    }
  }
}
