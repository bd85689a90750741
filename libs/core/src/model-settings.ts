import {
  createPolicy,
  queueOrders,
  seededRandom,
  type Policy,
  type PolicySelection,
  type QueueOrder,
} from '@baton/scheduling';
import { BatonError } from '@baton/kv';
import { changed, overlaid, type OwnSettings, type SettingsChange } from './settings-change.ts';

/**
 * When a request is bound to a worker: at once, to wait in the engine, or when a worker has room, in
 * this order.
 */
export type Queueing = 'immediate' | QueueOrder;
export const queueings: readonly Queueing[] = ['immediate', ...queueOrders];

/** What is promised for a model. */
export interface Slo {
  /** Time to the first token: a part for all, and a part for each prompt token that has to be computed. */
  ttftBaseMs: number;
  ttftPerTokenMs: number;
  /** Time between two tokens; Infinity where nothing is promised. */
  tbtMs: number;
}

/** How the requests of one model are treated. */
export interface ModelSettings extends PolicySelection {
  queue: Queueing;
  slo: Slo;
}

/** Settings in force, with the policy that they name. */
export interface ModelTreatment {
  settings: ModelSettings;
  policy: Policy;
}

/** Models whose treatment is remembered. */
const MAX_MODELS = 1024;

/** How each model's requests are treated: by its own settings, and as all others in what it has none of. */
export class ModelTreatments {
  readonly #seed: number;
  /** What was given at the start, and what was changed of it since. */
  readonly #start: ModelSettings;
  #changes: OwnSettings = {};
  #defaults: ModelSettings;
  readonly #own = new Map<string, OwnSettings>();
  readonly #treatments = new Map<string, ModelTreatment>();

  /** @throws BatonError config_invalid that names the setting */
  constructor(
    defaults: ModelSettings,
    models: Readonly<Record<string, SettingsChange>>,
    seed: number,
  ) {
    this.#seed = seed;
    this.#start = defaults;
    this.#defaults = defaults;
    this.#made(defaults);
    for (const [model, settings] of Object.entries(models)) this.set(model, settings);
  }

  of(model: string): ModelTreatment {
    const known = this.#treatments.get(model);
    if (known !== undefined) return known;
    const made = this.#made(overlaid(this.#defaults, this.#own.get(model) ?? {}));
    this.#treatments.set(model, made);
    for (const oldest of this.#treatments.keys()) {
      if (this.#treatments.size <= MAX_MODELS) break;
      this.#treatments.delete(oldest);
    }
    return made;
  }

  /** The settings of all models, in what they have none of their own. */
  get defaults(): ModelSettings {
    return this.#defaults;
  }

  /** Settings that models have of their own. */
  get own(): Record<string, OwnSettings> {
    return Object.fromEntries(this.#own);
  }

  /**
   * Changes the settings of a model, or, without one, those of all models. The default is, for all, what was given at the
   * start, and for a model what holds for all. What a policy had learned is forgotten where another one is chosen, or the
   * same with other parameters.
   *
   * @throws BatonError config_invalid that names the setting; nothing is changed then
   */
  set(model: string | undefined, change: SettingsChange): void {
    if (model === undefined) return this.#setDefaults(change);
    const own = changed(this.#own.get(model) ?? {}, change);
    this.#made(overlaid(this.#defaults, own));
    const isOwn = Object.keys(own).length > 0;
    if (isOwn && !this.#own.has(model) && this.#own.size >= MAX_MODELS) {
      const message = `models: there are settings of ${MAX_MODELS} models already`;
      throw new BatonError('config_invalid', message, { details: { field: 'models' } });
    }
    if (isOwn) this.#own.set(model, own);
    else this.#own.delete(model);
    this.#treatAnew(model);
  }

  forgetWorker(workerId: string): void {
    for (const { policy } of this.#treatments.values()) policy.forgetWorker?.(workerId);
  }

  #setDefaults(change: SettingsChange): void {
    const changes = changed(this.#changes, change);
    const defaults = overlaid(this.#start, changes);
    this.#made(defaults);
    for (const own of this.#own.values()) this.#made(overlaid(defaults, own));
    this.#changes = changes;
    this.#defaults = defaults;
    for (const model of [...this.#treatments.keys()]) this.#treatAnew(model);
  }

  /** A model that has been asked for goes by its new settings. */
  #treatAnew(model: string): void {
    const known = this.#treatments.get(model);
    if (known === undefined) return;
    const settings = overlaid(this.#defaults, this.#own.get(model) ?? {});
    const isSame = selectionOf(settings) === selectionOf(known.settings);
    if (isSame) this.#treatments.set(model, { ...known, settings });
    else this.#treatments.delete(model);
  }

  #made(settings: ModelSettings): ModelTreatment {
    if (!queueings.includes(settings.queue)) {
      const message = `queue must be one of ${queueings.join(', ')}, "${settings.queue}" is not`;
      throw new BatonError('config_invalid', message, { details: { field: 'queue' } });
    }
    return { settings, policy: createPolicy(settings, seededRandom(this.#seed)) };
  }
}

/** Equal for settings by which the same policies are made. */
function selectionOf(settings: ModelSettings): string {
  const { policy, prefillPolicy, decodePolicy, policyParameters } = settings;
  const parameters = Object.entries(policyParameters ?? {}).map(([name, values]) => [
    name,
    Object.entries(values ?? {}).map(([parameter, value]) => `${parameter}=${String(value)}`),
  ]);
  return JSON.stringify([policy, prefillPolicy, decodePolicy, parameters]);
}
