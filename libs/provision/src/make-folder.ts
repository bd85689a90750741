import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { BatonError } from '@baton/kv';

/** For its user alone: what lies in it is run. */
const FOLDER_MODE = 0o700;

/**
 * Makes a folder of ours and all that is missing above it, and sees that it can be written. `variable` is the
 * environment variable that moves it elsewhere, for the message.
 *
 * Not by Node's own recursive `mkdir`: that one never returns, and cannot be interrupted, where a folder that exists
 * takes no entries and says ENOENT, as /proc does.
 *
 * @throws BatonError config_invalid, in one sentence that names the folder and the variable.
 */
export function makeFolder(folder: string, variable = 'XDG_CACHE_HOME'): void {
  try {
    makeWithParents(path.resolve(folder));
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new BatonError(
      'config_invalid',
      `The folder ${folder} cannot be made or written (${code}): set ${variable} to one that can.`,
      { cause },
    );
  }
}

function makeWithParents(folder: string): void {
  try {
    return mkdirSync(folder, { mode: FOLDER_MODE });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const parent = path.dirname(folder);
    if (code !== 'ENOENT' || parent === folder) {
      if (isFolder(folder)) return;
      throw error;
    }
    makeWithParents(parent);
  }
  try {
    mkdirSync(folder, { mode: FOLDER_MODE });
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!isFolder(folder)) throw error;
  }
}

function isFolder(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isDirectory() === true;
}
