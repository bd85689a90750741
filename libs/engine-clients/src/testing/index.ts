/**
 * For tests that need an engine's KV events: a publisher on real ZMQ sockets that loses, repeats and restarts as it is
 * told.
 *
 * @module
 */
export {
  batchOf,
  BLOCK_TOKENS,
  SEGMENT_TOKENS,
  TestPrompt,
  TOKENIZATION,
} from './followed-cache.ts';
export { ScriptedEngine } from './scripted-engine.ts';
export type { ScriptedEngineOptions } from './scripted-engine.ts';
export { SglangFront } from './sglang-front.ts';
export { startEngine } from './start-engine.ts';
