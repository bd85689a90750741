import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { BatonError } from '@baton/kv';

/** Where the shared libraries of one platform lie. */
export interface LlamaBinaries {
  /** Also holds the CPU variants of ggml, of which libllama picks one. */
  directory: string;
  llama: string;
  ggml: string;
}

/**
 * Finds libllama in the npm package for this platform. Its file names carry llama.cpp's version, so they are matched,
 * not spelled.
 *
 * @param platform e.g. `linux-x64`; the running one by default.
 * @throws BatonError native_library_missing, naming the platform or the file that is not there.
 */
export function findLlamaBinaries(platform = `${process.platform}-${process.arch}`): LlamaBinaries {
  const name = `@node-llama-cpp/${platform}`;
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(name);
  } catch (cause) {
    throw new BatonError(
      'native_library_missing',
      `libllama is not installed for ${platform}: the npm package ${name} is missing.`,
      { cause, details: { platform } },
    );
  }
  const directory = path.join(path.dirname(entry), '..', 'bins', platform);
  const library = (stem: string): string => {
    const pattern = new RegExp(`^(lib)?${stem}(\\.v?[0-9.]+)?\\.(so|dylib|dll)$`);
    const file = readdirSync(directory).find((candidate) => pattern.test(candidate));
    if (file === undefined) {
      throw new BatonError('native_library_missing', `${name} holds no library named ${stem}.`, {
        details: { directory },
      });
    }
    return path.join(directory, file);
  };
  return { directory, llama: library('llama'), ggml: library('ggml') };
}
