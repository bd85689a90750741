import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { makeFolder } from './make-folder.ts';

/**
 * Runs `work` with a fresh folder for unfinished files and removes the folder afterwards, whatever happened.
 *
 * Folders carry the id of the process that made them: those that a killed process left are removed on the way.
 */
export async function withPartialFolder<T>(
  cache: string,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const parent = path.join(cache, 'partial');
  makeFolder(parent);
  await removeLeftovers(parent);
  const folder = path.join(parent, `${process.pid}-${randomBytes(6).toString('hex')}`);
  await mkdir(folder, { mode: 0o700 });
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function removeLeftovers(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = Number(name.split('-')[0]);
    if (Number.isInteger(pid) && pid > 0 && !isAlive(pid)) {
      await rm(path.join(parent, name), { recursive: true, force: true });
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
