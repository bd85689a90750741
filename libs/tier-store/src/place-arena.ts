import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createArena } from './arena.ts';
import type { Arena } from './arena.ts';

export interface PlaceArenaOptions {
  /** Tried in this order. */
  folders: readonly string[];
  /** Name of the file; begins with `baton-arena-`, see {@link createArena}. */
  name: string;
  pageBytes: number;
  pageCount: number;
  /** A folder does not take the arena, for this reason. */
  onSkipped(folder: string, reason: string): void;
}

export interface PlacedArena {
  path: string;
  arena: Arena;
}

/** Where arenas are made unless a folder is named: shared memory, then the folder for temporary files. */
export const arenaFolders: readonly string[] = [...new Set(['/dev/shm', tmpdir()])];

/**
 * Creates an arena in the first folder that takes it. Between a look at its free space and the use of it others may have
 * taken it: what counts is which folder works.
 *
 * @throws Error with the reason of each folder when none works; RangeError for a size that is none.
 */
export function placeArena(options: PlaceArenaOptions): PlacedArena {
  const reasons: string[] = [];
  for (const folder of options.folders) {
    const placed = placeIn(folder, options);
    if (typeof placed !== 'string') return placed;
    reasons.push(`${folder}: ${placed}`);
    options.onSkipped(folder, placed);
  }
  const sizeBytes = options.pageBytes * options.pageCount;
  throw new Error(`no folder takes an arena of ${sizeBytes} bytes: ${reasons.join('; ')}`);
}

/** Why not, when it does not work. */
function placeIn(folder: string, options: PlaceArenaOptions): PlacedArena | string {
  const { name, pageBytes, pageCount } = options;
  const file = path.join(folder, name);
  try {
    // A file system that is asked for more than it has takes all of it first, from everybody.
    const freeBytes = freeBytesOf(folder);
    if (freeBytes < pageBytes * pageCount) return `only ${freeBytes} bytes are free`;
    return { path: file, arena: createArena({ path: file, pageBytes, pageCount }) };
  } catch (error) {
    if (error instanceof RangeError) throw error;
    return error instanceof Error ? error.message : String(error);
  }
}

function freeBytesOf(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
