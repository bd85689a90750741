import { batonProtocol } from './baton/baton-protocol.ts';
import type { EngineProtocol } from './engine-protocol.ts';
import { sglangProtocol } from './sglang/sglang-protocol.ts';
import { mooncakeProtocol } from './vllm/mooncake-protocol.ts';
import { nixlPushProtocol } from './vllm/nixl-push-protocol.ts';
import { vllmBatonProtocol } from './vllm/vllm-baton-protocol.ts';
import { vllmProtocol } from './vllm/vllm-protocol.ts';

/** By the name that a worker gives of its engine. */
interface Spoken {
  /** Of one that does it alone. */
  protocol: EngineProtocol;
  /** Of a pair, by its connector; undefined where it is the same for all. */
  pairs?: Readonly<Record<string, EngineProtocol>>;
  /** Of one that does it alone and has a connector that needs to know of it. */
  alone?: Readonly<Record<string, EngineProtocol>>;
}

const spoken: Readonly<Record<string, Spoken>> = {
  llama: { protocol: batonProtocol },
  sglang: {
    protocol: sglangProtocol,
    pairs: {
      'sglang-ascend': sglangProtocol,
      'sglang-mooncake': sglangProtocol,
      'sglang-mori': sglangProtocol,
      'sglang-nixl': sglangProtocol,
    },
  },
  vllm: {
    protocol: vllmProtocol,
    pairs: {
      baton: vllmBatonProtocol,
      mooncake: mooncakeProtocol,
      nixl: vllmProtocol,
      'nixl-push': nixlPushProtocol,
    },
    alone: { baton: vllmBatonProtocol },
  },
};

/**
 * Undefined for an engine that nobody here speaks to, and for a pair whose KV is moved in a way that is not known here.
 *
 * @param connector as the worker says in its layout; empty where nothing moves its KV
 */
export function protocolOf(
  engine: string,
  connector: string,
  isPair: boolean,
): EngineProtocol | undefined {
  const known = Object.hasOwn(spoken, engine) ? spoken[engine] : undefined;
  const byConnector = isPair ? known?.pairs : known?.alone;
  if (byConnector !== undefined && Object.hasOwn(byConnector, connector)) {
    return byConnector[connector];
  }
  return isPair && known?.pairs !== undefined ? undefined : known?.protocol;
}
