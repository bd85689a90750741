import { createHash, randomBytes } from 'node:crypto';
import {
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { cacheFolder, makeFolder } from '@baton/provision';
import { isRunOwner, ownerState, thisProcess, type RunOwner } from './run-owner.ts';

/** What `npx baton …` needs to know of a running `npm start`. */
export interface RunRecord extends RunOwner {
  startedAtMs: number;
  phase: 'starting' | 'ready';
  clone: string;
  /** Folder for sockets and such. */
  folder: string;
  /** Port of the gateway. */
  port: number;
  gatewayUrl: string;
  /** Admin HTTP of the conductor, once it is known. */
  conductorUrl?: string;
  /** The run's own trace collector. */
  tracesUrl?: string;
  natsUrl?: string;
  /** Workers that were started. */
  workers?: { id: string; role: string }[];
}

/** Root of the clone that this file belongs to. */
export const cloneRoot = realpathSync(path.resolve(import.meta.dirname, '../../../..'));

/** Folder with one file for each `up` of this clone. */
export function runsFolder(env: NodeJS.ProcessEnv = process.env, clone = cloneRoot): string {
  const name = createHash('sha256').update(clone).digest('hex').slice(0, 16);
  return path.join(stateFolder(env) ?? cacheFolder({ env }), 'runs', name);
}

function stateFolder(env: NodeJS.ProcessEnv): string | undefined {
  const folder = env['BATON_STATE_DIR'];
  return folder === '' ? undefined : folder;
}

export interface RunFile {
  update(changes: Partial<RunRecord>): void;
  remove(): void;
}

/**
 * Makes this process known as a running `up`, and removes the records of dead ones.
 *
 * @throws BatonError config_invalid when there is no place for the record
 */
export function announceRun(
  record: Omit<RunRecord, keyof RunOwner | 'startedAtMs' | 'clone'>,
  env: NodeJS.ProcessEnv = process.env,
): RunFile {
  let current: RunRecord = {
    ...record,
    ...thisProcess(),
    startedAtMs: Date.now(),
    clone: cloneRoot,
  };
  const runs = runsFolder(env);
  makeFolder(runs, stateFolder(env) === undefined ? 'XDG_CACHE_HOME' : 'BATON_STATE_DIR');
  for (const { file, record } of readRuns(runs)) {
    if (ownerState(record) === 'dead') rmSync(file, { force: true });
  }
  const file = path.join(runs, `${process.pid}.json`);
  const write = (): void => {
    const partial = `${file}.${randomBytes(4).toString('hex')}.tmp`;
    writeFileSync(partial, `${JSON.stringify(current, null, 2)}\n`, { mode: 0o600 });
    renameSync(partial, file);
  };
  write();
  return {
    update(changes) {
      current = { ...current, ...changes };
      write();
    },
    remove: () => rmSync(file, { force: true }),
  };
}

/** Runs of this clone whose process is alive, newest first. */
export function liveRuns(runs = runsFolder()): RunRecord[] {
  return readRuns(runs)
    .filter(({ record }) => ownerState(record) === 'alive')
    .map(({ record }) => record)
    .sort((a, b) => b.startedAtMs - a.startedAtMs);
}

function readRuns(runs: string): { file: string; record: RunRecord }[] {
  let names: string[];
  try {
    names = readdirSync(runs).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    const file = path.join(runs, name);
    try {
      const record: unknown = JSON.parse(readFileSync(file, 'utf8'));
      return isRunRecord(record) ? [{ file, record }] : [];
    } catch {
      // Removed meanwhile.
      return [];
    }
  });
}

function isRunRecord(value: unknown): value is RunRecord {
  if (!isRunOwner(value)) return false;
  const record: Partial<Record<keyof RunRecord, unknown>> = value;
  return (
    typeof record.startedAtMs === 'number' &&
    typeof record.folder === 'string' &&
    typeof record.port === 'number' &&
    typeof record.gatewayUrl === 'string'
  );
}
