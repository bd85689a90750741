import { fittedCost, type EngineCost } from '@baton/sim';

/** What a stand-in is like. Everything has a default but its name. */
export interface StandInSettings {
  /** In violations and logs. */
  name: string;
  host: string;
  /** Of HTTP, of the events and of their replay; 0 takes a free one. */
  port: number;
  eventsPort: number;
  replayPort: number;
  model: string;
  vocabSize: number;
  maxModelTokens: number;
  blockTokens: number;
  /** Physical blocks of the KV cache, the one that vLLM keeps back among them. */
  blocks: number;
  maxSequences: number;
  /** Tokens of one step; default: those of the cost model. */
  maxBatchTokens: number | undefined;
  /** Tokens of an answer on average, where nothing else ends it; 0: nothing does. */
  meanAnswerTokens: number;
  /** PYTHONHASHSEED of the engine. */
  hashSeed: string;
  cost: EngineCost;
  /** `usage.prompt_tokens_details`, as with --enable-prompt-tokens-details. */
  promptTokensDetails: boolean;
  /** With NixlConnector, or NixlPushConnector. */
  nixl: NixlSettings | undefined;
  /** With MooncakeConnector. */
  mooncake: MooncakeSettings | undefined;
  adapters: AdapterSettings;
}

export interface AdapterSettings {
  /** As with --lora-modules. */
  modules: readonly { name: string; path: string }[];
  /** --max-loras: adapters of one batch, which stay in their places until others need these. */
  slots: number;
  /** Of putting one into its place, ms. */
  loadMs: number;
  /** Whether others may be loaded while it runs, as with VLLM_ALLOW_RUNTIME_LORA_UPDATING. */
  runtimeUpdating: boolean;
}

export interface NixlSettings {
  /** Side channel; 0 takes a free port. Nothing is bound: stand-ins of one process find one another by it. */
  port: number;
  /** vLLM's `kv_lease_duration`, real time: those who hand over are not sped up. */
  leaseMs: number;
  /** vLLM's `bidirectional_kv_xfer`: decode keeps its turns for the next prefill. */
  bidirectional: boolean;
  /** NixlPushConnector: prefill writes into decode's blocks. */
  push: boolean;
  /** vLLM's `decoder_kv_blocks_ttl`, real time; of a decode to which is pushed, how long it waits. */
  turnMs: number;
  bandwidthBytesPerSec: number;
}

export interface MooncakeSettings {
  /** Of the bootstrap server, which is a real one; 0 takes a free port. */
  port: number;
  /** VLLM_MOONCAKE_ABORT_REQUEST_TIMEOUT, real time: prefill keeps, and decode waits, for so long. */
  abortMs: number;
  bandwidthBytesPerSec: number;
}

/** About a small model on a small GPU: 20 ms and 0.1 ms a token for a prompt, 10 ms a step of decoding. */
export const defaultCost: EngineCost = fittedCost({
  name: 'stand-in',
  kvBytesPerToken: 2_048,
  chunkTokens: 2_048,
  firstToken: 'decode',
  prefill: { fixedMs: 20, perTokenMs: 0.1, perPairMs: 0 },
  decode: { fixedMs: 10, perSequenceMs: 0.1, perKvTokenMs: 0 },
});

export const nixlDefaults: NixlSettings = {
  port: 0,
  leaseMs: 30_000,
  bidirectional: false,
  push: false,
  turnMs: 480_000,
  bandwidthBytesPerSec: 1e9,
};

export const mooncakeDefaults: MooncakeSettings = {
  port: 0,
  abortMs: 480_000,
  bandwidthBytesPerSec: 1e9,
};

export const adapterDefaults: AdapterSettings = {
  modules: [],
  slots: 1,
  loadMs: 50,
  runtimeUpdating: true,
};

export const settingsDefaults: Omit<StandInSettings, 'name'> = {
  host: '127.0.0.1',
  port: 0,
  eventsPort: 0,
  replayPort: 0,
  model: 'stand-in',
  vocabSize: 32_000,
  maxModelTokens: 8_192,
  blockTokens: 16,
  blocks: 1_024,
  maxSequences: 128,
  maxBatchTokens: undefined,
  meanAnswerTokens: 0,
  hashSeed: '0',
  cost: defaultCost,
  promptTokensDetails: true,
  nixl: undefined,
  mooncake: undefined,
  adapters: adapterDefaults,
};
