import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually, startService } from '@baton/test-kit';
import type { ServiceProcess } from '@baton/test-kit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FakeEngine } from './testing/fake-engine.ts';

/** Nobody is there: the agent does not need NATS for any of this. */
const NO_NATS = 'nats://127.0.0.1:1';

let folder: string;
const agents: ServiceProcess[] = [];
const engines: FakeEngine[] = [];
beforeEach(() => void (folder = mkdtempSync(path.join(tmpdir(), 'baton-am-'))));
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.kill()));
  await Promise.all(agents.splice(0).map((agent) => agent.kill()));
  rmSync(folder, { recursive: true });
});

async function start(id: string, ...flags: string[]): Promise<ServiceProcess> {
  const socketPath = path.join(folder, `${id}.sock`);
  const agent = await startService('agent', id, [
    ...['--worker-id', id, '--nats-url', NO_NATS, '--socket-path', socketPath],
    ...['--arena-folder', folder, '--state-folder', folder],
    ...['--dram-bytes', String(2 ** 20), ...flags],
  ]);
  agents.push(agent);
  engines.push(await FakeEngine.start(socketPath));
  return agent;
}

const arenas = (): string[] => readdirSync(folder).filter((name) => name.startsWith('baton-arena'));
const linked = (engine: FakeEngine | undefined) => eventually(() => engine?.hello !== undefined);

test('the arena of a killed agent goes with the next start, that of a living one stays', async () => {
  const killed = await start('killed');
  await start('alive');
  await Promise.all(engines.map(linked));
  await killed.kill();
  expect(arenas().map((name) => name.split('-')[2])).toEqual(['alive', 'killed']);

  const next = await start('next');
  await linked(engines.at(-1));
  expect(arenas().map((name) => name.split('-')[2])).toEqual(['alive', 'next']);
  expect(next.output().join()).toContain('removed stale arenas');
  // It works as before: the file is not only there, the memory behind it is the engine's.
  await engines[1]?.prefill('a', new Uint8Array());
  expect(engines[1]?.problems).toEqual([]);
});

test.each([
  ['in a folder that is not there', ['--arena-folder', '/nowhere/at/all'], /nowhere.*ENOENT/],
  ['of more than there is', ['--dram-bytes', String(2 ** 46)], /only \d+ bytes are free/],
])('an arena %s ends the agent at once, with the reason', async (_, flags, reason) => {
  const agent = await start('a', ...flags);
  await eventually(() => agent.exitCode() !== null);
  expect(agent.exitCode()).toBe(1);
  const fatal = agent.output().flatMap((line) => {
    const { level, msg, err } = JSON.parse(line) as { level: string; msg: string; err?: object };
    return level === 'fatal' ? [{ msg, err }] : [];
  });
  expect(fatal).toEqual([{ msg: expect.stringMatching(reason) as string, err: undefined }]);
  expect(arenas()).toEqual([]);
});
