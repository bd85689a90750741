import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';

export interface GuardedProcess {
  /** The guard: its exit code or signal is the command's; its stdout and stderr are pipes of the command. */
  readonly guard: ChildProcess;
  /** The command's own process id, once it runs. */
  commandPid(): number | undefined;
  /** SIGTERM to the command, SIGKILL if it is still there two seconds later. */
  stop(): void;
  /** SIGKILL to both, at once. */
  kill(): void;
}

export interface SpawnGuardedOptions {
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /** Folder that is removed when we are gone and could not do it ourselves. */
  leftFolder?: string;
}

/**
 * Starts a program that ends with us even when we are killed by SIGKILL.
 *
 * A small Node process in between holds one end of an IPC channel and ends the program when the channel closes. It has
 * a process group of its own, so that the terminal's Ctrl-C does not reach it.
 */
export function spawnGuarded(
  command: string,
  args: readonly string[],
  { env = process.env, cwd, leftFolder = '' }: SpawnGuardedOptions = {},
): GuardedProcess {
  const main = path.join(import.meta.dirname, 'guard-main.ts');
  const guard = spawn(process.execPath, [main, leftFolder, command, ...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: true,
    windowsHide: true,
    env,
    ...(cwd === undefined ? {} : { cwd }),
  });
  let pid: number | undefined;
  guard.on('message', (message) => {
    if (typeof message === 'object' && message !== null && 'pid' in message) {
      pid = Number(message.pid);
    }
  });
  return {
    guard,
    commandPid: () => pid,
    stop: () => guard.kill('SIGTERM'),
    kill: () => {
      // The guard may be gone already; the command must not outlive it.
      if (pid !== undefined && guard.exitCode === null) killQuietly(pid);
      guard.kill('SIGKILL');
    },
  };
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone between the check and the signal.
  }
}
