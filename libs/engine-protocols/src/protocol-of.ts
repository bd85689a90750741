import { batonProtocol } from './baton/baton-protocol.ts';
import type { EngineProtocol } from './engine-protocol.ts';
import { vllmProtocol } from './vllm/vllm-protocol.ts';

/** Engines by the name that workers give of theirs. */
const protocols: Readonly<Record<string, EngineProtocol>> = {
  llama: batonProtocol,
  vllm: vllmProtocol,
};

/** Undefined for an engine that nobody here speaks to. */
export function protocolOf(engine: string): EngineProtocol | undefined {
  return Object.hasOwn(protocols, engine) ? protocols[engine] : undefined;
}
