import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually, processList } from '@baton/test-kit';
import { expect, test } from 'vitest';
import { report, table, writeJson } from './report.ts';

test('a report says what was measured, where and of which commit', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'baton-bench-'));
  const file = path.join(folder, 'r.json');
  const figures = [
    { name: 'path.ttft_ms', value: 3, unit: 'ms', baseline: 2, ratio: 1.5 },
    { name: 'path.gateway_added_ms', value: 1.23456, unit: 'ms' },
  ];
  const result = report('path', figures);
  writeJson(file, result);
  const written = JSON.parse(readFileSync(file, 'utf8')) as typeof result;
  rmSync(folder, { recursive: true });
  expect(Object.keys(written)).toEqual(['suite', 'commit', 'machine', 'node', 'results']);
  expect(written).toMatchObject({ suite: 'path', node: process.version, results: figures });
  expect(written.machine.cores).toBeGreaterThan(0);
  const head = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  expect(written.commit.split('+')[0]).toBe(head);
  expect(table(result)).toMatch(/path\.gateway_added_ms +1\.235 ms/);
});

const main = path.join(import.meta.dirname, 'main.ts');

test('an unknown suite ends with the list of those that are there', () => {
  const { status, stderr } = spawnSync(process.execPath, [main, 'nonsense'], { encoding: 'utf8' });
  expect(status).toBe(2);
  expect(stderr).toMatch(/usage: .*\n +path /);
});

test('a benchmark that is interrupted ends what it started and removes its folders', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'baton-b-'));
  const bench = spawn(process.execPath, [main, 'path'], {
    stdio: 'ignore',
    env: { ...process.env, TMPDIR: folder },
  });
  const exited = once(bench, 'exit');
  const started = (): string[] =>
    [...processList().values()].filter((args) => args.includes(folder));
  await eventually(() => started().some((args) => args.includes('ports_file_dir')));
  bench.kill('SIGINT');
  expect((await exited)[0]).toBe(130);
  expect(started()).toEqual([]);
  expect(readdirSync(folder).filter((name) => name.startsWith('baton'))).toEqual([]);
  rmSync(folder, { recursive: true });
});
