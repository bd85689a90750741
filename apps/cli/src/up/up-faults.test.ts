import { existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { allGone, ready, start } from '../testing/up-process.ts';
import { runsFolder } from './run-file.ts';

it('names a process that cannot start, with its own words, and leaves nobody', async () => {
  const up = start({ faults: { 'engine decode-1': 'exit' } });
  expect(await up.exits()).toBe(1);
  expect(up.output).toContain('engine decode-1 could not start: engine decode-1 has no luck');
  await allGone(up.standInPids());
  expect(readdirSync(runsFolder(up.env))).toEqual([]);
});

// So much time to get ready that waiting for it would be noticed.
const patient = { readyTimeoutMs: 600_000 };

it.each(['conductor', 'gateway', 'agent prefill-1', 'engine prefill-1'])(
  'ends at once when %s cannot start, whatever else it still waits for',
  async (name) => {
    const faults = { [name]: 'exit', 'engine decode-1': 'never ready' };
    const up = start({ faults, options: patient });
    expect(await up.exits()).toBe(1);
    expect(up.output).toContain(`${name} could not start: ${name} has no luck`);
    await allGone(up.standInPids());
  },
);

it.each(['conductor', 'gateway', 'agent prefill-1', 'engine prefill-1'])(
  'ends at once when %s is ready and gives up before the others are',
  async (name) => {
    const faults = { [name]: 'exit when ready', 'engine decode-1': 'never ready' };
    const up = start({ faults, options: patient });
    expect(await up.exits()).toBe(1);
    expect(up.output).toContain(`${name} could not start: ${name} has no luck`);
    await allGone(up.standInPids());
  },
);

it('ends at once when nats-server cannot start', async () => {
  const home = mkdtempSync(path.join(tmpdir(), 'up-test-'));
  const natsServer = path.join(home, 'nats-server');
  const version = '[ "$1" = --version ] && echo nats-server: v2.10.0 && exit';
  const script = `#!/bin/sh\n${version}\necho no luck\nexit 3\n`;
  writeFileSync(natsServer, script, { mode: 0o755 });
  const up = start({ home, options: { ...patient, natsServer } });
  expect(await up.exits()).toBe(1);
  expect(up.output).toContain('nats-server could not start: ended with exit code 3');
  expect(up.output).toContain('  | no luck');
});

it('goes on without a worker, as long as its role has another', async () => {
  const up = await ready({ options: { decode: 2 } });
  process.kill(up.pidOf('agent decode-1'), 'SIGKILL');
  await up.says('agent decode-1 was ended by SIGKILL');
  await up.says('decode-1 is out');
  expect(up.output).toContain('  | info ready');
  expect((await fetch(`${up.run().gatewayUrl}/v1/models`)).status).toBe(200);
  const pids = up.pids();
  process.kill(up.pidOf('engine decode-2'), 'SIGKILL');
  await up.says('No decode worker is left');
  expect(await up.exits()).toBe(1);
  await allGone(pids);
});

it.each(['gateway', 'conductor', 'nats-server'])('stops when %s dies', async (name) => {
  const up = await ready();
  const pids = up.pids();
  const pid = name === 'nats-server' ? (pids[1] ?? 0) : up.pidOf(name);
  process.kill(pid, 'SIGKILL');
  expect(await up.exits()).toBe(1);
  expect(up.output).toContain(`${name} was ended by SIGKILL`);
  await allGone(pids);
});

it('does not take what was wrong before for the reason of an end by a signal', async () => {
  const up = await ready();
  await fetch(`${up.run().gatewayUrl}/complain`);
  await up.says('gateway: error: something is odd');
  process.kill(up.pidOf('gateway'), 'SIGKILL');
  expect(await up.exits()).toBe(1);
  expect(up.output).toMatch(/^gateway was ended by SIGKILL$/m);
  expect(up.output).toContain('  | error something is odd');
});

it('names who is not ready in time', async () => {
  const up = start({
    faults: { 'engine decode-1': 'never ready' },
    options: { readyTimeoutMs: 2000 },
  });
  expect(await up.exits()).toBe(1);
  expect(up.output).toMatch(/Not ready after 2 s: .*engine decode-1/);
  await allGone(up.standInPids());
});

it('names workers that the conductor does not hold for ready, and why', async () => {
  const up = start({
    faults: { conductor: 'knows no fleet' },
    options: { readyTimeoutMs: 3000 },
  });
  expect(await up.exits()).toBe(1);
  expect(up.output).toContain('prefill-1 is starting: its engine has not come yet');
});

it('stops while it is still starting', async () => {
  const up = start({ faults: { 'engine decode-1': 'never ready' } });
  await expect
    .poll(() => existsSync(path.join(up.home, 'pids', 'engine decode-1')), { timeout: 30_000 })
    .toBe(true);
  const pids = up.pids();
  up.signal('SIGINT');
  expect(await up.exits()).toBe(0);
  await allGone(pids);
});
