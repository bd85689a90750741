import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readdirSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import path from 'node:path';
import { lockFile, mapFile, reserveFileSpace } from './mapped-memory.ts';

/** Memory that several processes map. */
export interface Arena {
  /** The whole mapping; length 0 after `close`. */
  readonly bytes: Uint8Array;
  /** Nothing may be reading or writing the memory any more. The creator's file goes, other mappings of it stay. */
  close(): void;
}

export interface CreateArenaOptions {
  /** Must not exist; name it `baton-arena-…` so that {@link removeStaleArenas} finds it if its owner dies. */
  path: string;
  pageBytes: number;
  pageCount: number;
}

export interface OpenArenaOptions {
  path: string;
  sizeBytes: number;
}

const FILE_PREFIX = 'baton-arena-';
const OWNER_ONLY = 0o600;

/** Creates the file, takes its memory and maps it. The file is locked while this process lives. */
export function createArena(options: CreateArenaOptions): Arena {
  const { pageBytes, pageCount } = options;
  for (const [name, value] of Object.entries({ pageBytes, pageCount })) {
    if (!Number.isSafeInteger(value) || value < 1) {
      throw new RangeError(`arena: ${name} must be a positive integer, not ${value}`);
    }
  }
  const sizeBytes = pageBytes * pageCount;
  const fd = createLocked(options.path);
  try {
    ftruncateSync(fd, sizeBytes);
    reserveFileSpace(fd, sizeBytes);
    const mapping = mapFile(fd, sizeBytes);
    return {
      bytes: mapping.bytes,
      close() {
        if (mapping.bytes.length === 0) return;
        mapping.unmap();
        removeFile(options.path);
        closeSync(fd);
      },
    };
  } catch (cause) {
    removeFile(options.path);
    closeSync(fd);
    const why = cause instanceof Error ? cause.message : String(cause);
    const folder = path.dirname(options.path);
    throw new Error(`arena of ${sizeBytes} bytes in ${folder}: ${why}`, { cause });
  }
}

/** Maps an arena that another process created. */
export function openArena(options: OpenArenaOptions): Arena {
  const fd = openSync(options.path, 'r+');
  try {
    const { size } = fstatSync(fd);
    if (size !== options.sizeBytes) {
      throw new Error(
        `arena ${options.path} has ${size} bytes, ${options.sizeBytes} were announced`,
      );
    }
    const mapping = mapFile(fd, size);
    return { bytes: mapping.bytes, close: () => mapping.unmap() };
  } finally {
    closeSync(fd);
  }
}

/**
 * Removes the arenas that dead processes left in these folders, and returns their paths. The lock of a living owner
 * protects its file, whatever its process id is here.
 */
export function removeStaleArenas(folders: readonly string[]): string[] {
  return [...new Set(folders)]
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => name.startsWith(FILE_PREFIX))
        .map((name) => path.join(folder, name)),
    )
    .filter(removeIfUnlocked);
}

function removeIfUnlocked(file: string): boolean {
  let fd: number | undefined;
  try {
    fd = openSync(file, 'r+');
    if (!lockFile(fd)) return false;
    unlinkSync(file);
    return true;
  } catch {
    // Somebody else's, or gone already.
    return false;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

const CREATE_ATTEMPTS = 5;

/** Somebody who removes stale arenas may take a new file for one before it is locked: then once more. */
function createLocked(file: string): number {
  for (let attempt = 0; attempt < CREATE_ATTEMPTS; attempt += 1) {
    const fd = openSync(file, 'wx+', OWNER_ONLY);
    if (lockFile(fd) && statSync(file, { throwIfNoEntry: false })?.ino === fstatSync(fd).ino) {
      return fd;
    }
    closeSync(fd);
    removeFile(file);
  }
  throw new Error(`arena ${file} was taken away ${CREATE_ATTEMPTS} times`);
}

function removeFile(file: string): void {
  try {
    unlinkSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
