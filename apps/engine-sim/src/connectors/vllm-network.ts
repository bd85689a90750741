import type { PromptExchange } from '../exchange/prompt-exchange.ts';
import type { NixlSource } from '../nixl/nixl-source.ts';
import { EnginePlaces } from './engine-places.ts';

/** vLLM's defaults of VLLM_NIXL_SIDE_CHANNEL_PORT and VLLM_MOONCAKE_BOOTSTRAP_PORT. */
const NIXL_PORT = 5_600;
const MOONCAKE_PORT = 8_998;

/** Vllm stand-ins that may hand over to one another. */
export class VllmNetwork {
  readonly nixl = new EnginePlaces<NixlSource>(NIXL_PORT);
  readonly nixlPush = new EnginePlaces<PromptExchange>(NIXL_PORT);
  readonly mooncake = new EnginePlaces<PromptExchange>(MOONCAKE_PORT);
}
