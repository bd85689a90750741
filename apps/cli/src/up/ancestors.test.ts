import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { isStillThere, npmAncestors, readProcess, watchProcesses } from './ancestors.ts';

const npmEnv = { npm_lifecycle_event: 'start' };

function chain(...commands: string[]): ReturnType<typeof npmAncestors> {
  const read = (pid: number) => {
    const command = commands[pid - 100];
    const parentPid = pid + 1;
    return command === undefined ? undefined : { pid, parentPid, startedAt: '1', command };
  };
  return npmAncestors(npmEnv, read, 100);
}

describe('npmAncestors', () => {
  it.each([
    [['npm start', 'bash'], 1],
    [['sh -c node x', 'npm start', 'bash'], 2],
    [['sh -c baton up', 'node /usr/bin/npx baton up', 'zsh'], 2],
    [['sh -c x', 'node /usr/lib/node_modules/npm/bin/npm-cli.js start', 'bash'], 2],
    [['sh -c x', 'npm exec baton up', 'npm start', 'bash'], 3],
    [['bash', 'login'], 0],
  ])('of %j are the first %d', (commands, count) => {
    expect(chain(...commands).map(({ command }) => command)).toEqual(commands.slice(0, count));
  });

  it('are none when npm did not start us', () => {
    expect(
      npmAncestors({}, () => ({ pid: 2, parentPid: 1, startedAt: '', command: 'npm start' }), 2),
    ).toEqual([]);
  });
});

describe('watchProcesses', () => {
  it('tells the end of a process', async () => {
    const child = spawn('/bin/cat', { stdio: ['pipe', 'ignore', 'ignore'] });
    const watched = readProcess(child.pid ?? 0);
    expect(watched).toMatchObject({ parentPid: process.pid });
    if (watched === undefined) return;
    expect(isStillThere(watched)).toBe(true);
    const died = new Promise<number>((resolve) => {
      watchProcesses([watched], (dead) => resolve(dead.pid));
      // Keeps this process alive, which the watch alone does not.
      setTimeout(() => resolve(-1), 20_000).unref();
    });
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await died).toBe(child.pid);
  });

  it.runIf(process.platform === 'linux')('takes another process with the same id for dead', () => {
    const self = readProcess(process.pid);
    expect(isStillThere({ pid: process.pid, startedAt: self?.startedAt })).toBe(true);
    expect(isStillThere({ pid: process.pid, startedAt: '1' })).toBe(false);
  });
});
