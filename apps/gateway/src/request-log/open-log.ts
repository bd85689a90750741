import { open as openFile, stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { BatonError } from '@baton/kv';

/** As much of a file as is needed here. */
export type LogHandle = Pick<FileHandle, 'write' | 'truncate' | 'close'>;

/** A new file, with nothing in it. */
export interface OpenedLog {
  path: string;
  handle: LogHandle;
}

const OWNER_ONLY = 0o600;
/** An earlier log is kept: the next one has a number in its name. */
const MAX_NAMES = 1_000;

/** Opens a file that is not there yet. */
export function createFile(file: string): Promise<LogHandle> {
  return openFile(file, 'wx', OWNER_ONLY);
}

/** @throws the system's error; EISDIR where the name is that of a folder */
export async function openLog(file: string, create = createFile): Promise<OpenedLog> {
  for (let number = 1; ; number += 1) {
    const named = numbered(file, number);
    try {
      return { path: named, handle: await create(named) };
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === 'EEXIST';
      if (isTaken && number === 1 && (await stat(file)).isDirectory()) {
        throw Object.assign(new Error(`${file} is a folder`), { code: 'EISDIR' });
      }
      if (!isTaken || number >= MAX_NAMES) throw error;
    }
  }
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EISDIR: 'it is a folder, and has to be a new file',
  ENOENT: 'there is no such folder',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'there is a file where a folder has to be',
  EROFS: 'the file system is read-only',
};

/**
 * As {@link openLog} for the file of the configuration, before anything is served.
 *
 * @throws BatonError config_invalid that names the setting and what stands in the way
 */
export async function openConfiguredLog(file: string): Promise<OpenedLog> {
  try {
    return await openLog(file);
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException;
    const message = `record.file ${file} cannot be written: ${reasons[code] ?? code}.`;
    throw new BatonError('config_invalid', message, { cause, details: { field: 'record.file' } });
  }
}

/** `log.jsonl`, `log-2.jsonl`, `log-3.jsonl`, … */
function numbered(file: string, number: number): string {
  if (number === 1) return file;
  const { dir, name, ext } = path.parse(file);
  return path.join(dir, `${name}-${number}${ext}`);
}
