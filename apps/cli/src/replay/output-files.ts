import { accessSync, constants, mkdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { BatonError } from '@baton/kv';

/**
 * Makes a folder for files that are written at the end of a long run, and sees that they can be.
 *
 * @throws BatonError config_invalid that names the flag, the folder and what stands in the way
 */
export function requireFolder(flag: string, folder: string): void {
  attempt(flag, folder, () => {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
  });
}

/** Sees that a file can be written. @throws BatonError config_invalid as {@link requireFolder} */
export function requireWritable(flag: string, file: string): void {
  attempt(flag, file, () => {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found?.isDirectory() === true) throw Object.assign(new Error(), { code: 'EISDIR' });
    accessSync(found === undefined ? path.dirname(file) : file, constants.W_OK);
  });
}

/** @throws BatonError config_invalid as {@link requireFolder} */
export function writeOutput(flag: string, file: string, text: string): void {
  attempt(flag, file, () => writeFileSync(file, text));
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EEXIST: 'there is a file of this name',
  EISDIR: 'it is a folder',
  ENOENT: 'there is no such folder',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'there is a file where a folder has to be',
  EROFS: 'the file system is read-only',
};

function attempt(flag: string, place: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    const message = `${flag} ${place} cannot be written: ${reasons[code] ?? code}.`;
    throw new BatonError('config_invalid', message, { cause: error, details: { field: flag } });
  }
}
