import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { spawnGuarded } from './guarded-process.ts';

const module = path.join(import.meta.dirname, 'guarded-process.ts');
const gone = (pid: number): Promise<void> =>
  vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), { timeout: 10_000 });

// At once: most of them wait.
describe.concurrent('spawnGuarded', () => {
  it('passes on output and exit code', async () => {
    const { guard } = spawnGuarded('/bin/sh', ['-c', 'echo out; echo err >&2; exit 7']);
    let output = '';
    guard.stdout?.on('data', (chunk) => (output += String(chunk)));
    guard.stderr?.on('data', (chunk) => (output += String(chunk)));
    const [code] = await once(guard, 'close');
    expect(code).toBe(7);
    expect(output).toContain('out');
    expect(output).toContain('err');
  });

  it('passes on the signal that ended the command', async () => {
    const { guard } = spawnGuarded('/bin/sh', ['-c', 'kill -9 $$']);
    expect(await once(guard, 'exit')).toEqual([null, 'SIGKILL']);
  });

  it('says when the command does not exist', async () => {
    const { guard } = spawnGuarded('/nonexistent/command', []);
    const [code] = await once(guard, 'exit');
    expect(code).toBe(127);
  });

  it('ends a command that ignores SIGTERM', async () => {
    const guarded = spawnGuarded('/bin/sh', [
      '-c',
      'trap "" TERM; echo ready; while :; do sleep 1; done',
    ]);
    await once(guarded.guard.stdout ?? guarded.guard, 'data');
    guarded.stop();
    await once(guarded.guard, 'exit');
    await gone(guarded.commandPid() ?? 0);
  });

  it('kills command and guard at once', async () => {
    const guarded = spawnGuarded('/bin/sleep', ['600']);
    await vi.waitFor(() => expect(guarded.commandPid()).toBeGreaterThan(0), { timeout: 10_000 });
    guarded.kill();
    await once(guarded.guard, 'exit');
    await gone(guarded.commandPid() ?? 0);
  });

  it.each([
    ['killed by SIGKILL', `process.kill(process.pid, 'SIGKILL')`, false],
    ['there until the command has ended', `guarded.stop()`, true],
  ])('removes what is left over of a parent that is %s: %s', async (_, end, stays) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'guarded-'));
    const script = `import { spawnGuarded } from ${JSON.stringify(module)};
      const guarded = spawnGuarded('/bin/sleep', ['600'], { leftFolder: ${JSON.stringify(folder)} });
      guarded.guard.on('message', () => { console.log(guarded.guard.pid); ${end}; });`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [text] = await once(parent.stdout, 'data');
    await gone(Number(String(text)));
    expect(existsSync(folder)).toBe(stays);
    rmSync(folder, { recursive: true, force: true });
  });

  it('ends the command when the parent is killed by SIGKILL', async () => {
    const script = `import { spawnGuarded } from ${JSON.stringify(module)};
      const guarded = spawnGuarded('/bin/sleep', ['600']);
      guarded.guard.on('message', () => console.log(guarded.commandPid(), guarded.guard.pid));`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [text] = await once(parent.stdout, 'data');
    const pids = String(text).trim().split(' ').map(Number);
    expect(pids).toHaveLength(2);
    parent.kill('SIGKILL');
    for (const pid of pids) await gone(pid);
  });
});
