/** The demo on a real fleet with the generated model, which is recorded meanwhile. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { eventually, processList } from '@baton/test-kit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { UpProcess } from '../testing/up-process.ts';

const run = promisify(execFile);
const main = path.resolve(import.meta.dirname, '../main.ts');
const home = mkdtempSync(path.join(tmpdir(), 'demo-test-'));
const log = path.join(home, 'requests.jsonl');
/** Bounds a failure, not a speed. */
const STARTED_WITHIN_MS = 110_000;
let up: UpProcess;

beforeAll(async () => {
  const flags = ['--model', 'tiny', '--decode', '1', '--policy', 'least-tokens'];
  up = new UpProcess({ home, real: [...flags, '--record', log] });
  await up.says('Ctrl-C', STARTED_WITHIN_MS);
});
afterAll(() => up.remove());

const policies = async (): Promise<{ defaults: Record<string, unknown>; models: object }> => {
  const answer = await fetch(`${up.run().conductorUrl}/policies`);
  const { defaults, models } = (await answer.json()) as Awaited<ReturnType<typeof policies>>;
  return { defaults, models };
};

interface Run {
  policy: string;
  computedTokens: number;
  reusedTokens: number;
  movedTokens: number;
  movedBytes: number;
  refusals: string[];
}

it('shows what round robin and Baton made of the same load, by the counters of the fleet', async () => {
  const before = await policies();
  expect(before.defaults['policy']).toBe('least-tokens');
  const { stdout } = await run(process.execPath, [main, 'demo', '--json'], { env: up.env });
  expect(await policies()).toEqual(before);
  const report = JSON.parse(stdout) as { requests: number; promptTokens: number; runs: Run[] };
  const { requests, promptTokens, runs } = report;
  const [rotated, ours] = runs as [Run, Run];
  expect([rotated.policy, ours.policy]).toEqual(['round-robin', 'kv-centric']);
  for (const one of runs) {
    expect(one.refusals).toEqual([]);
    expect(one.computedTokens + one.reusedTokens).toBe(promptTokens);
    expect(one.movedBytes).toBeGreaterThanOrEqual(one.movedTokens * 256);
  }
  expect(rotated.movedTokens).toBeGreaterThan(0);
  expect(ours.computedTokens).toBeLessThan(rotated.computedTokens);
  // How much it moves depends on what this machine measures: a pull may save a worker a wait.

  const lines = readFileSync(log, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { input_length: number; hash_ids: number[] });
  expect(lines).toHaveLength(2 * requests);
  const halves = [lines.slice(0, requests), lines.slice(requests)];
  for (const half of halves) {
    expect(half.reduce((sum, line) => sum + line.input_length, 0)).toBe(promptTokens);
  }
  const [first = [], second = []] = halves.map((half) => half.flatMap((line) => line.hash_ids));
  expect(first.filter((id) => second.includes(id))).toEqual([]);
});

/** Begun, and by now under round robin. */
async function begun(): Promise<{ child: ChildProcess; ended: Promise<unknown[]> }> {
  const child = spawn(process.execPath, [main, 'demo'], { env: up.env });
  const ended = once(child, 'exit');
  await eventually(async () => expect((await policies()).defaults['policy']).toBe('round-robin'));
  return { child, ended };
}

it('puts the policy back after Ctrl-C, and when nobody reads its output any more', async () => {
  const before = await policies();
  const interrupted = await begun();
  interrupted.child.kill('SIGINT');
  expect(await interrupted.ended).toEqual([130, null]);
  expect(await policies()).toEqual(before);

  const unread = await begun();
  unread.child.stdout?.destroy();
  await unread.ended;
  expect(await policies()).toEqual(before);
});

it('ends with one sentence when the conductor is killed, and "npm start" with it', async () => {
  const { folder, natsUrl = '' } = up.run();
  const { child, ended } = await begun();
  let complaint = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (complaint += text));
  const [conductor = 0] =
    [...processList()].find(([, args]) => /apps\/conductor/.test(args) && args.includes(natsUrl)) ??
    [];
  process.kill(conductor, 'SIGKILL');
  expect(await ended).toEqual([1, null]);
  expect(complaint.trim().split('\n')).toEqual([
    expect.stringMatching(
      /^The conductor \(http:.*\) does not answer any more: has its "npm start"/,
    ),
  ]);
  expect(await up.exits()).toBe(1);
  expect(up.output).toContain('conductor was ended by SIGKILL');
  expect([...processList().values()].filter((args) => args.includes(folder))).toEqual([]);
});

it('says so when there is no fleet', async () => {
  up.signal('SIGTERM');
  await up.exits();
  const failed = run(process.execPath, [main, 'demo'], { env: up.env });
  await expect(failed).rejects.toMatchObject({
    code: 1,
    stderr:
      'No "npm start" or "baton serve" of this clone is running: start it in another terminal first.\n',
  });
});
