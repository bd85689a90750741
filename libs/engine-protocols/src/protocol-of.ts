import { batonProtocol } from './baton/baton-protocol.ts';
import type { EngineProtocol } from './engine-protocol.ts';
import { sglangProtocol } from './sglang/sglang-protocol.ts';
import { mooncakeProtocol } from './vllm/mooncake-protocol.ts';
import { nixlPushProtocol } from './vllm/nixl-push-protocol.ts';
import { vllmProtocol } from './vllm/vllm-protocol.ts';

/** By the name that a worker gives of its engine, and, for a pair, of what moves its KV. */
interface Spoken {
  /** Of one that does it alone. */
  protocol: EngineProtocol;
  /** Of a pair, by its connector; undefined where it is the same for all. */
  pairs?: Readonly<Record<string, EngineProtocol>>;
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
    pairs: { nixl: vllmProtocol, 'nixl-push': nixlPushProtocol, mooncake: mooncakeProtocol },
  },
};

/**
 * Undefined for an engine that nobody here speaks to, and for a pair whose KV is moved in a way that is not known here.
 *
 * @param connector of a pair; undefined for an engine that does it alone
 */
export function protocolOf(engine: string, connector?: string): EngineProtocol | undefined {
  const known = Object.hasOwn(spoken, engine) ? spoken[engine] : undefined;
  if (connector === undefined || known?.pairs === undefined) return known?.protocol;
  return Object.hasOwn(known.pairs, connector) ? known.pairs[connector] : undefined;
}
