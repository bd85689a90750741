import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { spawnGuarded } from '@baton/provision';
import { eventually } from '@baton/test-kit';

const main = path.resolve(import.meta.dirname, '../../apps/cli/src/main.ts');
const run = promisify(execFile);
/** For a start on a busy machine: bounds a failure, not a speed. */
const STARTED_MS = 120_000;

/** A `baton` that serves until it is told to stop. */
export interface Served {
  url: string;
  /** Everything that it has printed. */
  output(): string;
  /** URL of the conductor's admin API. */
  adminUrl(): string;
  /** Another command of `baton`, about this one; what it prints. */
  baton(...args: string[]): Promise<string>;
  stop(): Promise<void>;
}

export interface ServedOptions {
  port: number;
  /** Listed engines that have to serve before it counts as started. */
  engines: number;
  /** More of the environment. */
  env?: NodeJS.ProcessEnv;
}

/**
 * Starts a command of `baton` that serves engines, in a process and with a home folder of its own, and waits until all of
 * them serve. Rejects with what it printed when it ends before.
 */
export async function startServed(
  command: readonly string[],
  { port, engines, env = {} }: ServedOptions,
): Promise<Served> {
  const home = mkdtempSync(path.join(tmpdir(), 'baton-served-'));
  const own = { PATH: process.env['PATH'], HOME: home, TMPDIR: home, XDG_CACHE_HOME: home, ...env };
  const url = `http://127.0.0.1:${port}`;
  const args = [main, ...command, '--port', String(port)];
  const guarded = spawnGuarded(process.execPath, args, { env: own });
  let output = '';
  for (const stream of [guarded.guard.stdout, guarded.guard.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const ended = once(guarded.guard, 'exit').then(() =>
    rmSync(home, { recursive: true, force: true }),
  );
  const served: Served = {
    url,
    output: () => output,
    adminUrl: () => /http:\/\/127\.0\.0\.1:\d+(?= {2}\(\/workers)/.exec(output)?.[0] ?? '',
    baton: async (...asked) => {
      const about = [main, ...asked, '--port', String(port)];
      return (await run(process.execPath, about, { env: own })).stdout;
    },
    stop: async () => {
      guarded.stop();
      await ended;
    },
  };
  const started = eventually(async () => {
    const { ok } = await fetch(`${url}/health`);
    // Without an engine nothing can be served, and it says so.
    if ((!ok && engines > 0) || served.adminUrl() === '') throw new Error(output);
    const answer = await fetch(`${served.adminUrl()}/engines`);
    const found = ((await answer.json()) as { engines: { serves?: boolean }[] }).engines;
    if (found.filter(({ serves }) => serves === true).length < engines) throw new Error(output);
    return served;
  }, STARTED_MS);
  const early = ended.then(() => Promise.reject(new Error(output)));
  try {
    return await Promise.race([started, early]);
  } catch (error) {
    await served.stop();
    throw error;
  }
}
