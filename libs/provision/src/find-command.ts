import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';

export interface FindCommandOptions {
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
  /** Folders searched after PATH. */
  alsoIn?: readonly string[];
}

/** Full path of a command as a shell would find it, or undefined. */
export function findCommand(name: string, options: FindCommandOptions): string | undefined {
  const { env, platform, alsoIn = [] } = options;
  const windows = platform === 'win32';
  const searchPath = env['PATH'] ?? env['Path'] ?? '';
  const folders = [...searchPath.split(windows ? ';' : ':').filter((f) => f !== ''), ...alsoIn];
  const names = windows ? [`${name}.exe`, `${name}.cmd`, `${name}.bat`] : [name];
  for (const folder of folders) {
    for (const candidate of names) {
      const file = path.resolve(folder, candidate);
      if (isExecutableFile(file)) return file;
    }
  }
  return undefined;
}

export function isExecutableFile(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
