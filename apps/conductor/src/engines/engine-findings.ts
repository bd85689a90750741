import type { Adapter } from '@baton/kv';
import type { EngineSetting } from '../config.ts';

/** What is known of an engine. */
export interface EngineFindings {
  workerId: string;
  url: string;
  role: EngineSetting['role'];
  /** Whether it serves; undefined until it was looked at. */
  serves: boolean | undefined;
  /** Why it does not serve. */
  problem: string | undefined;
  engine: string | undefined;
  version: string | undefined;
  model: string | undefined;
  blockTokens: number | undefined;
  /** It does not say how long its blocks are: the number is what they usually have. */
  blockTokensAssumed: boolean | undefined;
  /** What moves its KV in a pair; empty when nothing does. */
  connector: string | undefined;
  /** It runs legs of pairs and never a whole request. */
  pairOnly: boolean | undefined;
  /** False when chats that are sent to it are refused. */
  takesChats: boolean | undefined;
  index: 'exact' | 'approximate' | undefined;
  /** Why it is not known exactly what it holds, and what would be right. */
  approximateBecause: string | undefined;
  /** LoRA adapters that it has now. */
  adapters: readonly Adapter[];
  /** Requests for which it is kept although nothing new is planned on it; undefined while that goes on. */
  drainingFor: number | undefined;
}
