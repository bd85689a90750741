import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processList } from '@baton/test-kit';
import { describe, expect, it } from 'vitest';
import { allGone, ready, start } from '../testing/up-process.ts';
import { readProcess } from './ancestors.ts';
import { runsFolder } from './run-file.ts';

/** A process and all that descend from it, the eldest first. */
function familyOf(pid: number): number[] {
  const others = [...processList().keys()].map((other) => readProcess(other));
  const children = others.filter((other) => other?.parentPid === pid);
  return [pid, ...children.flatMap((child) => familyOf(child?.pid ?? 0))];
}

/** Whoever ends meanwhile, because its parent has, is as good as killed. */
function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

describe('up', () => {
  it('starts everything, shows requests, warnings and errors, and stops on SIGTERM', async () => {
    const up = await ready({ options: { decode: 2 } });
    const { gatewayUrl, folder, phase } = up.run();
    expect(phase).toBe('ready');
    expect(up.output).toMatch(
      /^Starting nats-server, conductor, gateway, 1 prefill and 2 decode workers …\n/,
    );
    expect(up.output).toContain(`curl -sN ${gatewayUrl}/v1/chat/completions`);
    expect(up.output).toContain('1 prefill and 2 decode workers serve stand-in');
    expect(up.output).toContain('353 tokens, 5 whole segments');
    expect(up.output).toContain('the generated test model');
    await fetch(`${gatewayUrl}/v1/chat/completions`, { method: 'POST' });
    await up.says(/prefill-1 → decode-1 +353 .* 12 ms/);
    await fetch(`${gatewayUrl}/complain`);
    await up.says('gateway: error: something is odd');
    const pids = up.pids();
    expect(pids).toHaveLength(1 + 1 + 2 + 6);
    up.signal('SIGTERM');
    expect(await up.exits()).toBe(0);
    await allGone(pids);
    expect(existsSync(folder)).toBe(false);
    expect(readdirSync(runsFolder(up.env))).toEqual([]);
  });

  it('leaves nobody and nothing when it is killed by SIGKILL', async () => {
    const up = await ready({ faults: { gateway: 'stubborn', 'engine decode-1': 'stubborn' } });
    const pids = up.pids();
    const { folder } = up.run();
    expect(existsSync(folder)).toBe(true);
    up.signal('SIGKILL');
    await allGone(pids);
    await expect.poll(() => existsSync(folder), { timeout: 10_000 }).toBe(false);
  });

  it('stops when nobody reads its output any more', async () => {
    const up = await ready();
    const pids = up.pids();
    up.process.stdout?.destroy();
    await fetch(`${up.run().gatewayUrl}/complain`);
    expect(await up.exits()).toBe(0);
    await allGone(pids);
  });

  it('says when it cannot be found by other commands', async () => {
    const up = start({ stateDir: '/dev/null/state' });
    expect(await up.exits()).toBe(1);
    expect(up.output).toContain('set BATON_STATE_DIR');
  });

  // Below /proc a folder that exists says of what is not in it that it itself is not there, and has hung Node.
  it.each([
    ['XDG_CACHE_HOME', '/proc/baton/x', 'set XDG_CACHE_HOME'],
    ['XDG_CACHE_HOME', '/dev/null/x', 'set XDG_CACHE_HOME'],
    ['BATON_STATE_DIR', '/proc/baton/x', 'set BATON_STATE_DIR'],
    ['TMPDIR', '/proc/baton/x', 'set TMPDIR'],
  ])('ends with one sentence when %s is %s', async (variable, folder, remedy) => {
    const up = start({ env: { [variable]: folder } });
    expect(await up.exits()).toBe(1);
    const [sentence, ...more] = up.output.trim().split('\n');
    expect(sentence).toContain(folder);
    expect(sentence).toContain(remedy);
    expect(more.join('')).toMatch(/^(Stopping …)?$/);
  });

  it('kills children that do not stop', async () => {
    const up = await ready({ faults: { 'engine decode-1': 'stubborn' }, stopGraceMs: 500 });
    const pids = up.pids();
    up.signal('SIGINT');
    expect(await up.exits()).toBe(0);
    await allGone(pids);
  });

  it('kills at once on the second Ctrl-C', async () => {
    const up = await ready({ faults: { 'engine decode-1': 'stubborn' }, stopGraceMs: 600_000 });
    const pids = up.pids();
    up.signal('SIGINT');
    await allGone([up.pidOf('agent decode-1')]);
    // The same key press counts once for a quarter of a second.
    await sleep(300);
    up.signal('SIGINT');
    expect(await up.exits()).toBe(0);
    await allGone(pids);
  });

  it.each([['%up'], ['%up; true']])(
    'ends when npm is killed by SIGKILL (script "%s")',
    async (npmScript) => {
      const up = await ready({ npmScript });
      const pids = up.pids();
      expect(pids).not.toContain(up.pid);
      up.signal('SIGKILL');
      await allGone(pids);
    },
  );

  it('ends when the shell between npm and it is killed by SIGKILL', async () => {
    const up = await ready({ npmScript: 'echo $$ > "$HOME/shell"; %up; true' });
    const pids = up.pids();
    const shell = Number(readFileSync(path.join(up.home, 'shell'), 'utf8'));
    process.kill(shell, 'SIGKILL');
    await allGone(pids);
  });

  it('takes the SIGINT of a terminal and its copy from npm as one', async () => {
    const up = await ready({ npmScript: '%up' });
    const pids = up.pids();
    process.kill(-(up.process.pid ?? 0), 'SIGINT');
    await up.exits();
    await allGone(pids);
    expect(up.output).toContain('Stopping');
    expect(up.output).not.toContain('error');
    expect(readdirSync(runsFolder(up.env))).toEqual([]);
  });
});

describe('ports and files', () => {
  it('takes the next port when nobody gave one, and says so', async () => {
    const first = await ready();
    const second = await ready({ home: first.home });
    const ports = [first, second].map((up) =>
      Number(/http:\/\/127\.0\.0\.1:(\d+)\/v1\n/.exec(up.output)?.[1]),
    );
    expect(ports[1]).toBeGreaterThan(ports[0] ?? 0);
    expect(second.output).toContain('Port 8080 is in use');
    // The newest is the one that other commands talk to.
    expect(second.run().port).toBe(ports[1]);
    for (const up of [second, first]) {
      up.signal('SIGTERM');
      expect(await up.exits()).toBe(0);
    }
  });

  it('refuses a given port that is in use, in one sentence', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    const up = start({ options: { port } });
    expect(await up.exits()).toBe(1);
    expect(up.output.trim().split('\n')).toHaveLength(1);
    expect(up.output).toContain(`Port ${port} on 127.0.0.1 is in use`);
    other.close();
  });

  it('gives the conductor the admin port that was given, or says why not', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port: adminPort } = other.address() as AddressInfo;
    const refused = start({ options: { adminPort } });
    expect(await refused.exits()).toBe(1);
    expect(refused.output).toContain(`Port ${adminPort} on 127.0.0.1 is in use`);
    expect(refused.output).toContain('--admin-port');
    await new Promise((resolve) => other.close(resolve));
    const twice = start({ options: { adminPort, port: adminPort } });
    expect(await twice.exits()).toBe(1);
    expect(twice.output.trim()).toBe(`--port and --admin-port are both ${adminPort}.`);
    const up = await ready({ options: { adminPort } });
    expect(up.run().conductorUrl).toBe(`http://127.0.0.1:${adminPort}`);
    expect(up.output).toContain(`http://127.0.0.1:${adminPort}  (/workers /plans /index /metrics)`);
  });

  it('names the variables that have no effect, once, before anything starts', async () => {
    const env = { BATON_POLICY: 'x', BATON_LOG_LEVEL: 'warn', BATON_TRACE_ENDPOINT: 'http://x' };
    const up = start({ env });
    await up.says('Starting nats-server');
    const [first, second] = up.output.split('\n');
    expect(first).toMatch(/^"npm start" ignores BATON_POLICY, BATON_TRACE_ENDPOINT: use its flags/);
    expect(second).toContain('Starting nats-server');
    up.signal('SIGTERM');
    expect(await up.exits()).toBe(0);
  });

  it('refuses a model file that is not there or is no GGUF', async () => {
    const missing = start({ options: { model: '/nonexistent/model.gguf' } });
    expect(await missing.exits()).toBe(1);
    expect(missing.output.trim()).toBe('The model file /nonexistent/model.gguf does not exist.');
    const file = path.join(missing.home, 'text.gguf');
    writeFileSync(file, 'not a model');
    const wrong = start({ options: { model: file } });
    expect(await wrong.exits()).toBe(1);
    expect(wrong.output.trim()).toBe(`${file} is not a GGUF file: take one made for llama.cpp.`);
  });

  it('cleans up after one that was killed, and leaves one that lives alone', async () => {
    const killed = await ready();
    const living = await ready({ home: killed.home });
    const { pid, folder } = killed.runs().at(-1) ?? { pid: 0, folder: '' };
    // All at once, so that nobody is left who could tidy up.
    for (const victim of familyOf(pid)) killIfThere(victim);
    await killed.exits();
    expect(existsSync(folder)).toBe(true);
    const next = await ready({ home: killed.home });
    expect(existsSync(folder)).toBe(false);
    expect(next.runs()).toHaveLength(2);
    for (const run of next.runs()) expect(existsSync(run.folder)).toBe(true);
    expect(living.process.exitCode).toBe(null);
  });
});
