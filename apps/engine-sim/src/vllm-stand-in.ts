import {
  nixlDefaults,
  settingsDefaults,
  type NixlSettings,
  type StandInSettings,
} from './engine-options.ts';
import { NixlNetwork } from './nixl/nixl-network.ts';
import { StandIn, type StandInOptions } from './stand-in.ts';
import { VllmLife } from './vllm-life.ts';

export interface VllmOptions extends Partial<Omit<StandInSettings, 'nixl'>>, StandInOptions {
  name: string;
  /** A connector with these settings; without it the engine hands nothing over. */
  nixl?: Partial<NixlSettings> | undefined;
  /** Those that may hand over to one another share one; default: one of its own. */
  network?: NixlNetwork | undefined;
}

/** A vLLM without a model. */
export class VllmStandIn extends StandIn {
  /** Resolves when all of it can be reached. @throws Error when a port is taken or its cache is too small for its window. */
  static async start(options: VllmOptions): Promise<VllmStandIn> {
    const { nixl, network = new NixlNetwork(), clock, speedUp, violations, ...given } = options;
    const settings: StandInSettings = {
      ...settingsDefaults,
      ...given,
      nixl: nixl === undefined ? undefined : { ...nixlDefaults, ...nixl },
    };
    const shared = { name: options.name, clock, speedUp, violations };
    const standIn = new VllmStandIn(
      shared,
      (context) => new VllmLife({ settings, network, ...context }),
    );
    await standIn.open();
    return standIn;
  }
}
