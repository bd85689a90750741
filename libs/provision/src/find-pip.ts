import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findCommand } from './find-command.ts';

const versionTimeoutMs = 20_000;

/** A command line that runs pip for some Python 3. */
export interface Pip {
  command: string;
  args: string[];
}

export interface FindPipOptions {
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
  signal?: AbortSignal | undefined;
}

/** The first of pip3, pip and `python -m pip` that answers `--version` for Python 3. */
export async function findPip({ env, platform, signal }: FindPipOptions): Promise<Pip | undefined> {
  for (const [name, ...args] of [
    ['pip3'],
    ['pip'],
    ['python3', '-m', 'pip'],
    ['python', '-m', 'pip'],
    ...(platform === 'win32' ? [['py', '-3', '-m', 'pip']] : []),
  ] as [string, ...string[]][]) {
    const command = findCommand(name, { env, platform });
    if (command === undefined) continue;
    if (await runsPython3({ command, args }, env, signal)) return { command, args };
    signal?.throwIfAborted();
  }
  return undefined;
}

async function runsPython3(
  pip: Pip,
  env: NodeJS.ProcessEnv,
  signal?: AbortSignal,
): Promise<boolean> {
  try {
    const { stdout } = await promisify(execFile)(pip.command, [...pip.args, '--version'], {
      env,
      timeout: versionTimeoutMs,
      windowsHide: true,
      ...(signal ? { signal } : {}),
    });
    return /\(python 3\./.test(stdout);
  } catch {
    return false;
  }
}
