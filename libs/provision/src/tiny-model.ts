import { rename } from 'node:fs/promises';
import path from 'node:path';
import { cacheFolder } from './cache-folder.ts';
import { makeFolder } from './make-folder.ts';
import { withPartialFolder } from './partial-folder.ts';

export interface TinyModelOptions {
  /** Writes the model to this path: `writeTinyModel` of @baton/llama. */
  write: (file: string) => void | Promise<void>;
  /** Name of the file in the cache; clients see it as the model's name. */
  name?: string;
  env?: NodeJS.ProcessEnv;
  platform?: NodeJS.Platform;
}

/**
 * Generates the test model into the user's cache and returns its path.
 *
 * It is written anew each time, which takes milliseconds and cannot be stale; a process that has the old file mapped
 * keeps it, since the new one takes its place by a rename.
 */
export async function tinyModelPath(options: TinyModelOptions): Promise<string> {
  const { env = process.env, platform = process.platform, name = 'tiny.gguf' } = options;
  const cache = cacheFolder({ env, platform });
  const file = path.join(cache, 'models', name);
  makeFolder(path.dirname(file));
  await withPartialFolder(cache, async (folder) => {
    const partial = path.join(folder, name);
    await options.write(partial);
    await rename(partial, file);
  });
  return file;
}
