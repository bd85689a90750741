import { adapterDefaults, type AdapterSettings } from './engine-options.ts';
import { BootstrapNetwork } from './sglang/bootstrap-network.ts';
import { SglangLife } from './sglang/sglang-life.ts';
import { sglangDefaults, type SglangSettings } from './sglang/sglang-settings.ts';
import { StandIn, type StandInOptions } from './stand-in.ts';

export interface SglangOptions extends Partial<Omit<SglangSettings, 'adapters'>>, StandInOptions {
  name: string;
  /** With LoRA adapters: those of its start, and how it treats them; without it there are none. */
  adapters?: Partial<AdapterSettings> | undefined;
  /** Those that may meet share one; default: one of its own. */
  network?: BootstrapNetwork | undefined;
}

/** An SGLang without a model. */
export class SglangStandIn extends StandIn {
  /** Resolves when all of it can be reached. @throws Error when a port is taken */
  static async start(options: SglangOptions): Promise<SglangStandIn> {
    const { network = new BootstrapNetwork(), adapters, ...others } = options;
    const { clock, speedUp, violations, ...given } = others;
    const settings: SglangSettings = {
      ...{ ...sglangDefaults, ...given },
      adapters: adapters && { ...adapterDefaults, ...adapters },
    };
    const shared = { name: options.name, clock, speedUp, violations };
    const standIn = new SglangStandIn(
      shared,
      (context) => new SglangLife({ settings, network, ...context }),
    );
    await standIn.open();
    return standIn;
  }
}
