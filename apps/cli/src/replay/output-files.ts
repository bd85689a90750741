import {
  accessSync,
  constants,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
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
    if (file === '') throw Object.assign(new Error(), { code: 'ENOENT' });
    if (found !== undefined) accessSync(file, constants.W_OK);
    if (found?.isFile() !== false) accessSync(folderOf(file), constants.W_OK);
  });
}

/**
 * Sees that a file which was read is not written over.
 *
 * @throws BatonError config_invalid that names both flags
 */
export function requireOther(
  flag: string,
  file: string,
  read: { flag: string; file: string },
): void {
  const [found, input] = [file, read.file].map((one) => statSync(one, { throwIfNoEntry: false }));
  const isSame = found?.isFile() === true && found.ino === input?.ino && found.dev === input.dev;
  if (!isSame) return;
  const message = `${flag} ${file} would be written over the file of ${read.flag}: give another one.`;
  throw new BatonError('config_invalid', message, { details: { field: flag } });
}

/**
 * Writes the whole file or leaves it as it was. A pipe or a device is written to.
 *
 * @throws BatonError config_invalid as {@link requireFolder}
 */
export function writeOutput(flag: string, file: string, text: string): void {
  attempt(flag, file, () => {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found?.isFile() === false) return writeFileSync(file, text);
    const whole = found === undefined ? file : realpathSync(file);
    const partial = `${whole}.${process.pid}.partial`;
    try {
      writeFileSync(partial, text, found && { mode: found.mode });
      renameSync(partial, whole);
    } catch (error) {
      rmSync(partial, { force: true });
      throw error;
    }
  });
}

/** Where the file is, or will be, whatever links lead there. */
function folderOf(file: string): string {
  const isThere = statSync(file, { throwIfNoEntry: false }) !== undefined;
  return path.dirname(isThere ? realpathSync(file) : file);
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
