import type { EngineMetrics, ServedModel } from '@baton/engine-protocols';
import { BatonError, type Adapter, type MeetingPoint } from '@baton/kv';
import type { EngineAccess } from '../access/engine-access.ts';
import type { KvEventSource } from '../kv-events/subscribe.ts';
import { askEngine, type EngineAnswer } from './ask-engine.ts';

/** What a running engine says of itself. */
export interface ProbedEngine {
  engine: 'vllm' | 'sglang';
  version: string;
  model: ServedModel;
  /** How its KV is kept. */
  dtype: string;
  /** Prompt and output together. */
  maxModelTokens: number;
  /** Requests that one rank runs at once; undefined where it does not say. */
  maxSequences: number | undefined;
  /** Undefined when it has none. */
  metrics: EngineMetrics | undefined;
  /** What moves its KV in a pair; empty when nothing does. */
  connector: string;
  /** Where decode workers meet it, for a connector that needs it. */
  meetingPoint: MeetingPoint | undefined;
  /** The side of pairs that it was started as, and then is alone; undefined for one that does whole requests. */
  side: 'prefill' | 'decode' | undefined;
  /** Data-parallel ranks that are asked one by one; 1 where there is one, or the engine chooses among them itself. */
  ranks: number;
  /** Of each rank; undefined when its events cannot be followed. */
  events: readonly KvEventSource[] | undefined;
  /** Why they cannot, and what would be right. */
  eventsObstacle: string | undefined;
  /** Digest of how it cuts texts and renders chats: engines with equal ones have equal keys. */
  tokenization: string;
  /** False when it gives no tokens of a chat: then it serves completions alone. */
  takesChats: boolean;
  /** That it can serve now, in its order. */
  adapters: readonly Adapter[];
}

/** What changes while an engine runs. */
export interface EngineLook {
  metrics: EngineMetrics | undefined;
  /** Undefined when it did not say. */
  adapters: readonly Adapter[] | undefined;
}

/** With whether some of it is only so because the engine failed to answer, and may be otherwise when it is asked again. */
export interface ProbeResult extends ProbedEngine {
  isProvisional: boolean;
}

export interface ProbeOptions {
  engineUrl: string;
  timeoutMs?: number;
  /** Its key and certificate, where it asks for them. */
  access?: EngineAccess | undefined;
  /** What the engine does not tell itself of how it works in pairs. */
  pair?: PairSettings | undefined;
  signal: AbortSignal;
}

export interface PairSettings {
  role: 'prefill' | 'decode' | 'both';
  /** What moves its KV; vLLM tells of NixlConnector only. */
  connector?: 'nixl-push' | 'mooncake' | undefined;
  /** Of the bootstrap server of MooncakeConnector beside a prefill worker. */
  bootstrapPort?: number | undefined;
}

/** Asks one engine. @throws BatonError as {@link askEngine} does */
export type Ask = (
  path: string,
  body?: object,
  headers?: Readonly<Record<string, string>>,
) => Promise<EngineAnswer>;

const TIMEOUT_MS = 5_000;
const HTTP_UNAUTHORIZED = 401;

/** @returns a way to ask that refuses an answer of 401 with a sentence about the engine's key */
export function asking(options: ProbeOptions): Ask {
  const { engineUrl, timeoutMs = TIMEOUT_MS, access, signal } = options;
  return async (path, body, headers) => {
    const question = { engineUrl, path, body, headers, timeoutMs, access, signal };
    const answer = await askEngine(question);
    if (answer.status !== HTTP_UNAUTHORIZED) return answer;
    const hasKey = access?.of(engineUrl).headers['authorization'] !== undefined;
    const message = hasKey
      ? `the engine at ${engineUrl} does not take the API key that was given for it`
      : `the engine at ${engineUrl} asks for an API key; give the file with it as --api-key-file`;
    throw new BatonError('config_invalid', message);
  };
}

export function unusable(engineUrl: string, why: string): BatonError {
  const only = 'only vLLM and SGLang can be served without an agent';
  return new BatonError('config_invalid', `the engine at ${engineUrl} ${why}; ${only}`);
}
