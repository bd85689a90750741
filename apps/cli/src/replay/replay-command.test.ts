import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { batonBin, runBaton, type Ran } from '../testing/run-baton.ts';
import { smallTrace, temporaryFile, temporaryFolder, traceLine } from './testing/trace-file.ts';

const replay = (...args: string[]): Promise<Ran> => runBaton(['replay', ...args]);
const fleet = ['--prefill', '2', '--decode', '2'];

test('a whole run: the table, progress, JSON and report; the same once more', async () => {
  const trace = temporaryFile('small.jsonl', smallTrace(250));
  const folder = temporaryFolder();
  const [json, again] = [path.join(folder, 'a.json'), path.join(folder, 'b.json')];
  const args = ['--trace', trace, '--policies', 'kv-centric,round-robin', ...fleet];
  const report = path.join(folder, 'report');
  const ran = await replay(...args, '--pool', '10', '--json', json, '--report', report);
  expect(ran.code).toBe(0);
  expect(ran.stderr).toContain('replay: 100 % of 3 runs of 250 requests\n');
  expect(ran.stdout).toContain('250 requests in 25 s, on average 1025 prompt and 4 output tokens');
  expect(ran.stdout).toContain('blocks found again in one LRU pool of 10 blocks: 0.3320');
  expect(ran.stdout).toMatch(/^kv-centric {3}shortest {3}on /m);
  expect(ran.stdout).toMatch(/^kv-centric {3}shortest {3}off /m);
  expect(ran.stdout).toMatch(/^round-robin {2}immediate {2}off /m);
  const rows = JSON.parse(readFileSync(json, 'utf8')) as Record<string, unknown>[];
  expect(rows.map(({ policy, pulls, rejected }) => [policy, pulls, rejected])).toEqual([
    ['kv-centric', true, 0],
    ['kv-centric', false, 0],
    ['round-robin', false, 0],
  ]);
  const page = readFileSync(path.join(report, 'report.html'), 'utf8');
  expect(page).toContain(`npx baton replay --trace ${trace} --policies kv-centric,round-robin`);
  expect(page).not.toMatch(/https?:/);
  expect((await replay(...args, '--json', again)).code).toBe(0);
  expect(readFileSync(again, 'utf8')).toBe(readFileSync(json, 'utf8'));
});

test('generated workloads: a table for each, the same once more, and two racks', async () => {
  const folder = temporaryFolder();
  const [json, again] = [path.join(folder, 'a.json'), path.join(folder, 'b.json')];
  const size = ['--requests', '40', '--rate', '2', ...fleet];
  const args = ['--workload', 'no-sharing,rag-documents', ...size];
  const racks = ['--racks', '2', '--link-between', '1GB/s', '--policies', 'kv-centric,random'];
  const ran = await replay(...args, ...racks, '--pulls', 'on', '--json', json);
  expect(ran.stderr).toContain('replay: 100 % of 4 runs of 40 requests');
  expect(ran.stdout).toMatch(/^no-sharing, generated with seed 1 and 2 requests\/s$/m);
  expect(ran.stdout).toMatch(/^rag-documents\n\S+ .*\nkv-centric .*\nrandom /m);
  const rows = JSON.parse(readFileSync(json, 'utf8')) as Record<string, unknown>[];
  expect(rows.map(({ workload, policy }) => [workload, policy])).toEqual([
    ['no-sharing', 'kv-centric'],
    ['no-sharing', 'random'],
    ['rag-documents', 'kv-centric'],
    ['rag-documents', 'random'],
  ]);
  await replay(...args, ...racks, '--pulls', 'on', '--json', again);
  expect(readFileSync(again, 'utf8')).toBe(readFileSync(json, 'utf8'));
});

test('blocks of another size, and an engine from a file', async () => {
  const lines = Array.from({ length: 8 }, (_, i) =>
    traceLine({ timestamp: i, block_tokens: 600, hash_ids: [0, i + 1] }),
  );
  const json = path.join(temporaryFolder(), 'a.json');
  const cost = temporaryFile(
    'cost.json',
    JSON.stringify({
      ...{ name: 'mine', kvBytesPerToken: 1_000 },
      prefill: { fixedMs: 5, perTokenMs: 0.1, perPairMs: 0 },
      decode: { fixedMs: 10, perSequenceMs: 1, perKvTokenMs: 0 },
    }),
  );
  const trace = temporaryFile('trace.jsonl', lines.join('\n'));
  const flags = ['--cost-model', cost, '--aggregated', '1', '--policies', 'random'];
  const ran = await replay('--trace', trace, ...flags, '--json', json);
  expect(ran).toMatchObject({ code: 0 });
  const [row] = JSON.parse(readFileSync(json, 'utf8')) as { blockHitRatio: number }[];
  expect(row?.blockHitRatio).toBeCloseTo(7 / 16, 5);
});

test('what is wrong is named before anything runs', async () => {
  const trace = temporaryFile('small.jsonl', smallTrace(2));
  const taken = temporaryFile('taken', '');
  const missing = path.join(temporaryFolder(), 'none.jsonl');
  const blocked = temporaryFolder();
  mkdirSync(path.join(blocked, 'report.html'));
  const given = ['--trace', trace];
  const cases: [string[], string][] = [
    [['--trace', missing], `--trace ${missing}: there is no such file.`],
    [[], '--trace or --workload has to say which requests are replayed.'],
    [['--workload', 'chat'], '--workload: "chat" is not known'],
    [[...given, '--policies', 'best'], '--policies: "best" has no policy "best"'],
    [[...given, '--aggregated', '2', '--decode', '2'], '--aggregated is instead of --prefill'],
    [[...given, '--link', 'fast'], '--link must be a rate'],
    [[...given, '--pool', '10,x'], '--pool must be a whole number'],
    [[...given, '--report', taken], `--report ${taken} cannot be written: there is a file`],
    [[...given, '--json', `${missing}/x`], `--json ${missing}/x cannot be written: there is no`],
    [[...given, '--json', trace], `--json ${trace} would be written over the file of --trace`],
    [[...given, '--report', blocked], `${blocked}/report.html cannot be written: it is a folder.`],
    [[...given, '--cost-model', 'b800'], '--cost-model must be a800, dynamo or a JSON file; b800'],
  ];
  const said = cases.map(async ([args, message]) => {
    const ran = await replay(...args);
    expect(ran.stderr).toContain(message);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
  });
  await Promise.all(said);
  expect(existsSync(path.join(missing, 'x'))).toBe(false);
});

test('a trace is read once: it may come from a pipe', async () => {
  const trace = temporaryFile('small.jsonl', smallTrace(20));
  const pipe = path.join(temporaryFolder(), 'pipe.jsonl');
  execFileSync('mkfifo', [pipe]);
  const writer = spawn('cp', [trace, pipe]);
  onTestFinished(() => void writer.kill());
  const ran = await replay('--trace', pipe, '--policies', 'random,round-robin', ...fleet);
  expect(ran).toMatchObject({ code: 0 });
  expect(ran.stderr).toContain('replay: 100 % of 2 runs of 20 requests');
});

test('Ctrl-C ends it and its threads at once', async () => {
  const trace = temporaryFile('long.jsonl', smallTrace(40_000));
  const args = [batonBin, 'replay', '--trace', trace, '--policies', 'all', ...fleet];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  const began = performance.now();
  child.kill('SIGINT');
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  expect(signal ?? code).toBe('SIGINT');
  expect(performance.now() - began).toBeLessThan(5_000);
});
