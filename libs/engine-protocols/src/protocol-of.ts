import { batonProtocol } from './baton/baton-protocol.ts';
import type { EngineProtocol } from './engine-protocol.ts';
import { sglangProtocol } from './sglang/sglang-protocol.ts';
import { vllmProtocol } from './vllm/vllm-protocol.ts';

/** By the name that a worker gives of its engine, and, for a pair, of what moves its KV. */
interface Spoken {
  protocol: EngineProtocol;
  /** Undefined where it does not matter. */
  pairConnectors?: readonly string[];
}

const spoken: Readonly<Record<string, Spoken>> = {
  llama: { protocol: batonProtocol },
  sglang: {
    protocol: sglangProtocol,
    pairConnectors: ['sglang-ascend', 'sglang-mooncake', 'sglang-mori', 'sglang-nixl'],
  },
  vllm: { protocol: vllmProtocol, pairConnectors: ['nixl'] },
};

/**
 * Undefined for an engine that nobody here speaks to, and for a pair whose KV is moved in a way that is not known here.
 *
 * @param connector of a pair; undefined for an engine that does it alone
 */
export function protocolOf(engine: string, connector?: string): EngineProtocol | undefined {
  const known = Object.hasOwn(spoken, engine) ? spoken[engine] : undefined;
  const isMoved = connector === undefined || (known?.pairConnectors?.includes(connector) ?? true);
  return isMoved ? known?.protocol : undefined;
}
