import { PodDiscovery, type GoneEngine, type PodEngine } from '@baton/kubernetes';
import type { PodDiscoveryState } from '@baton/kubernetes';
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
  /** Why engines of pods are not watched, by worker id. */
  readonly #refused = new Map<string, { pod: string; why: string }>();
  /** One change after another: what comes may have the name of what goes. */
  #changes: Promise<void> = Promise.resolve();

  constructor(options: PodEnginesOptions) {
    this.#options = options;
    const { log, settings, signal } = options;
    this.#discovery = new PodDiscovery({
      ...settings,
      signal,
      onEngines: ({ gone, found }) => {
        this.#changes = this.#changes.then(() => this.#change(gone, found));
      },
      onProblem: (problem) => {
        if (problem === undefined) log.info({ event: 'pods_heard' }, 'pods are watched');
        else log.warn({ event: 'pods_unheard' }, `pods cannot be watched: ${problem}`);
      },
    });
  }

  /** As the admin API has it. */
  get state(): PodDiscoveryState {
    const { state, engines, unused, ...others } = this.#discovery.state;
    const refused = [...this.#refused.values()];
    return { state, ...others, engines: engines - refused.length, unused: [...unused, ...refused] };
  }

  /** When it has stopped, after the signal was aborted. */
  async ended(): Promise<void> {
    await this.#discovery.ended();
    await this.#changes;
  }

  async #change(gone: readonly GoneEngine[], found: readonly PodEngine[]): Promise<void> {
    const { engines, log } = this.#options;
    await Promise.all(
      gone.map(async ({ engine: { workerId, pod }, why }) => {
        if (this.#refused.delete(workerId)) return;
        log.info({ event: 'pod_gone', workerId, pod }, `${workerId} gets nothing new: ${why}`);
        await engines.remove(workerId);
      }),
    );
    for (const engine of found) this.#add(engine);
  }

  #add({ workerId, url, role, pod }: PodEngine): void {
    const { engines, log, settings, signal } = this.#options;
    if (signal.aborted) return;
    const { kvBytesPerToken, maxSequences, connector, bootstrapPort } = settings;
    const known = engines.list().find((engine) => engine.url.replace(/\/+$/, '') === url);
    try {
      if (known !== undefined) throw new Error(`${url} is served as ${known.workerId}`);
      const told = { kvBytesPerToken, maxSequences, connector, bootstrapPort };
      engines.add({ url, role, workerId, ...told });
      log.info({ event: 'pod_found', workerId, pod, url, role }, `${workerId} runs at ${url}`);
    } catch (error) {
      const { message } = toBatonError(error);
      this.#refused.set(workerId, { pod, why: message });
      log.warn({ event: 'pod_refused', workerId, pod }, `${workerId} gets nothing: ${message}`);
    }
  }
}
