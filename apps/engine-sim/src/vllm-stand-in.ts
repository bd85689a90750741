import { VllmNetwork } from './connectors/vllm-network.ts';
import {
  adapterDefaults,
  mooncakeDefaults,
  nixlDefaults,
  settingsDefaults,
  type AdapterSettings,
  type MooncakeSettings,
  type NixlSettings,
  type StandInSettings,
} from './engine-options.ts';
import { StandIn, type StandInOptions } from './stand-in.ts';
import { VllmLife } from './vllm-life.ts';

export interface VllmOptions
  extends Partial<Omit<StandInSettings, 'nixl' | 'mooncake' | 'adapters'>>, StandInOptions {
  name: string;
  /** A connector with these settings; without it the engine hands nothing over. */
  nixl?: Partial<NixlSettings> | undefined;
  mooncake?: Partial<MooncakeSettings> | undefined;
  /** LoRA adapters that it has from its start, and how it treats adapters. */
  adapters?: Partial<AdapterSettings> | undefined;
  /** Those that may hand over to one another share one; default: one of its own. */
  network?: VllmNetwork | undefined;
}

/** A vLLM without a model. */
export class VllmStandIn extends StandIn {
  /** Resolves when all of it can be reached. @throws Error when a port is taken or its cache is too small for its window. */
  static async start(options: VllmOptions): Promise<VllmStandIn> {
    const { nixl, mooncake, adapters, network = new VllmNetwork(), ...others } = options;
    const { clock, speedUp, violations, ...given } = others;
    const settings: StandInSettings = {
      ...settingsDefaults,
      ...given,
      nixl: nixl && { ...nixlDefaults, ...nixl },
      mooncake: mooncake && { ...mooncakeDefaults, ...mooncake },
      adapters: { ...adapterDefaults, ...adapters },
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
