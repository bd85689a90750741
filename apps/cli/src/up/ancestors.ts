import { readFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';

const pollIntervalMs = 500;
const maxAncestors = 16;

/** A process as it was when it was looked at: a later one with the same id has another start. */
export interface ProcessIdentity {
  pid: number;
  parentPid: number;
  /** Kernel ticks since boot, where the platform tells it. */
  startedAt: string | undefined;
  command: string;
}

/** Reads a process, or undefined when it is gone or only waits to be reaped. */
export function readProcess(pid: number): ProcessIdentity | undefined {
  return process.platform === 'linux' ? readProc(pid) : readPs(pid);
}

function readProc(pid: number): ProcessIdentity | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name is in parentheses and may itself contain any of them.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, parentPid] = fields;
    if (state === 'Z' || state === 'X') return undefined;
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return { pid, parentPid: Number(parentPid), startedAt: fields[19], command };
  } catch {
    return undefined;
  }
}

function readPs(pid: number): ProcessIdentity | undefined {
  if (process.platform === 'win32') return undefined;
  try {
    const text = execFileSync('ps', ['-o', 'ppid=,command=', '-p', String(pid)], {
      encoding: 'utf8',
    });
    const [, parentPid, command = ''] = /^\s*(\d+)\s+(.*)$/m.exec(text) ?? [];
    if (parentPid === undefined) return undefined;
    return { pid, parentPid: Number(parentPid), startedAt: undefined, command };
  } catch {
    return undefined;
  }
}

/**
 * The processes from our parent up to the outermost npm that started us; empty when npm did not.
 *
 * npm runs a script as npm → sh → node, and neither of the first two passes on that it was killed.
 */
export function npmAncestors(
  env: NodeJS.ProcessEnv = process.env,
  read: (pid: number) => ProcessIdentity | undefined = readProcess,
  parentPid = process.ppid,
): ProcessIdentity[] {
  if (env['npm_execpath'] === undefined && env['npm_lifecycle_event'] === undefined) return [];
  const chain: ProcessIdentity[] = [];
  let upToNpm = 0;
  let pid = parentPid;
  while (pid > 1 && chain.length < maxAncestors) {
    const found = read(pid);
    if (found === undefined) break;
    chain.push(found);
    if (isNpm(found.command)) upToNpm = chain.length;
    else if (upToNpm > 0) break;
    pid = found.parentPid;
  }
  return chain.slice(0, upToNpm);
}

function isNpm(command: string): boolean {
  return /^(npm|npx)\b/.test(command) || /[/\\](npm|npx)(-cli\.js)?(\s|$)/.test(command);
}

/** Calls `onDeath` once when one of the processes is gone. The result ends the watch. */
export function watchProcesses(
  watched: readonly ProcessIdentity[],
  onDeath: (dead: ProcessIdentity) => void,
): () => void {
  if (watched.length === 0) return () => {};
  const timer = setInterval(() => {
    const dead = watched.find((one) => !isStillThere(one));
    if (dead === undefined) return;
    clearInterval(timer);
    onDeath(dead);
  }, pollIntervalMs);
  timer.unref();
  return () => clearInterval(timer);
}

export function isStillThere({
  pid,
  startedAt,
}: Pick<ProcessIdentity, 'pid' | 'startedAt'>): boolean {
  if (process.platform === 'linux') {
    const now = readProc(pid);
    return now !== undefined && (startedAt === undefined || now.startedAt === startedAt);
  }
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
