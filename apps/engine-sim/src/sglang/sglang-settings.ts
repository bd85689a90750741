import { settingsDefaults, type AdapterSettings, type StandInSettings } from '../engine-options.ts';
import type { SglangMode } from './sglang-dialect.ts';

/** What an SGLang stand-in is like. Everything has a default but its name. */
export interface SglangSettings extends Omit<
  StandInSettings,
  'nixl' | 'mooncake' | 'hashSeed' | 'adapters'
> {
  mode: SglangMode;
  /** Of its bootstrap server, where it is the prefill side; 0 takes a free one. Nothing is bound. */
  bootstrapPort: number;
  /** How long a leg waits in its room for the other one, real time; SGLang's default is 300 s. */
  meetMs: number;
  bandwidthBytesPerSec: number;
  /** Data-parallel ranks; room and requests at once are those of one. */
  ranks: number;
  /** Undefined without --enable-lora; `slots` is --max-loras-per-batch. */
  adapters: AdapterSettings | undefined;
  /** False for one that chooses among its ranks itself, whatever it is told. */
  heedsRank: boolean;
}

export const sglangDefaults: Omit<SglangSettings, 'name'> = {
  ...settingsDefaults,
  mode: 'null',
  bootstrapPort: 0,
  meetMs: 300_000,
  bandwidthBytesPerSec: 1e9,
  ranks: 1,
  adapters: undefined,
  heedsRank: true,
};
