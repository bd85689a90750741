import { createHash, randomBytes } from 'node:crypto';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { BatonError } from '@baton/kv';
import { cacheFolder } from '@baton/provision';
import { isStillThere, readProcess } from './ancestors.ts';

/** What `npx baton …` needs to know of a running `npm start`. */
export interface RunRecord {
  pid: number;
  /** Tells a living process from a later one with the same id, where the platform can. */
  processStartedAt: string | undefined;
  startedAtMs: number;
  phase: 'starting' | 'ready';
  clone: string;
  /** Folder for sockets and such; removed with the record. */
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
  const state = env['BATON_STATE_DIR'];
  return path.join(
    state === undefined || state === '' ? cacheFolder({ env }) : state,
    'runs',
    name,
  );
}

export interface RunFile {
  update(changes: Partial<RunRecord>): void;
  remove(): void;
}

/** Makes this process known as a running `up`, and removes what dead ones left. */
export function announceRun(
  record: Omit<RunRecord, 'pid' | 'processStartedAt' | 'startedAtMs' | 'clone'>,
  runs = runsFolder(),
): RunFile {
  let current: RunRecord = {
    ...record,
    pid: process.pid,
    processStartedAt: readProcess(process.pid)?.startedAt,
    startedAtMs: Date.now(),
    clone: cloneRoot,
  };
  try {
    mkdirSync(runs, { recursive: true, mode: 0o700 });
    removeStaleRuns(runs);
  } catch (cause) {
    const { message } = cause as Error;
    throw new BatonError(
      'config_invalid',
      `The folder of running "npm start"s cannot be made (${message}): set BATON_STATE_DIR to one that can.`,
      { cause },
    );
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
    .filter(({ record }) => isAlive(record))
    .map(({ record }) => record)
    .sort((a, b) => b.startedAtMs - a.startedAtMs);
}

function removeStaleRuns(runs: string): void {
  for (const { file, record } of readRuns(runs)) {
    if (isAlive(record)) continue;
    // A record that was tampered with must not name a folder of somebody else.
    if (path.basename(record.folder).startsWith('baton-')) {
      rmSync(record.folder, { recursive: true, force: true });
    }
    rmSync(file, { force: true });
  }
}

function isAlive(record: RunRecord): boolean {
  return isStillThere({ pid: record.pid, startedAt: record.processStartedAt });
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
  if (typeof value !== 'object' || value === null) return false;
  const record = value as Partial<Record<keyof RunRecord, unknown>>;
  return (
    typeof record.pid === 'number' &&
    typeof record.startedAtMs === 'number' &&
    typeof record.folder === 'string' &&
    typeof record.port === 'number' &&
    typeof record.gatewayUrl === 'string'
  );
}
