import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { BatonError } from '@baton/kv';
import { isRunOwner, ownerState, thisProcess } from './run-owner.ts';

/** Short, since the sockets in the folder may have paths of about a hundred characters. */
const prefix = 'baton-run-';
const ownerFile = 'owner.json';

/**
 * A folder for the sockets and such of this run. Those of runs that are dead are removed on the way, wherever their
 * clones and homes were: a run that was killed by SIGKILL could not do it itself.
 *
 * @throws BatonError config_invalid
 */
export function makeRunFolder(parent = tmpdir()): string {
  try {
    for (const name of readdirSync(parent)) {
      if (name.startsWith(prefix)) removeDeadRunFolder(path.join(parent, name));
    }
    const folder = mkdtempSync(path.join(parent, prefix));
    writeFileSync(path.join(folder, ownerFile), JSON.stringify(thisProcess()));
    return folder;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new BatonError(
      'config_invalid',
      `The folder for temporary files ${parent} cannot be used (${code}): set TMPDIR to one that can.`,
      { cause },
    );
  }
}

/** Only where the folder itself says whose it was, and that one is known to be dead; never by its name alone. */
function removeDeadRunFolder(folder: string): void {
  try {
    const { uid } = lstatSync(folder);
    if (uid !== (process.getuid?.() ?? uid)) return;
    const owner: unknown = JSON.parse(readFileSync(path.join(folder, ownerFile), 'utf8'));
    if (!isRunOwner(owner) || ownerState(owner) !== 'dead') return;
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // Not one of ours, just being made, or being removed by another: it is no obstacle to this run.
  }
}
