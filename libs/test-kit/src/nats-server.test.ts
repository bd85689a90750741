import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from './eventually.ts';
import { startNatsServer } from './nats-server.ts';

test('ends with a parent that is killed by SIGKILL, and leaves no folder', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'baton-kit-'));
  const script = `import { startNatsServer } from ${JSON.stringify(import.meta.resolve('./nats-server.ts'))};
    console.log((await startNatsServer()).pid);`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TMPDIR: folder },
  });
  const [text] = (await once(parent.stdout, 'data')) as [Buffer];
  const pid = Number(text);
  expect(() => process.kill(pid, 0)).not.toThrow();
  parent.kill('SIGKILL');
  await eventually(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'));
  await eventually(() => readdirSync(folder).every((name) => !name.startsWith('baton')));
  rmSync(folder, { recursive: true });
});

test('is killed, started again on its port, suspended and ended', async () => {
  const server = await startNatsServer();
  const { pid, port } = server;
  await server.kill();
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  await server.restart();
  expect(server.port).toBe(port);
  expect(server.pid).not.toBe(pid);
  server.pause();
  await server.stop();
  expect(() => process.kill(server.pid, 0)).toThrow('ESRCH');
});

test('a program that ends at once is named with what it said', async () => {
  const refused = startNatsServer(['--no-such-flag']);
  await expect(refused).rejects.toThrow(/nats-server ended with \d+: .*no-such-flag/s);
});
