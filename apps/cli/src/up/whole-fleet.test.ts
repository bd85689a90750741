import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { eventually, post, processList } from '@baton/test-kit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Lookup } from '../index/lookup-command.ts';
import { Pty, hasPty } from '../testing/pty.ts';
import { allGone, UpProcess } from '../testing/up-process.ts';

const run = promisify(execFile);
const main = path.resolve(import.meta.dirname, '../main.ts');
/** For polls: bounds a failure, not a speed. */
const SOON = { timeout: 30_000 };
let up: UpProcess;

beforeAll(async () => {
  const flags = ['--model', 'tiny', '--prefill', '1', '--decode', '2', '--dram', '16MiB'];
  up = new UpProcess({ real: flags });
  await up.says('Ctrl-C');
});
afterAll(() => up.remove());

async function baton(...args: string[]): Promise<string> {
  return (await run(process.execPath, [main, ...args], { env: up.env })).stdout;
}

/** The command that a person would paste. */
function printedCurl(): string {
  const command = /^curl .*$/m.exec(up.output)?.[0];
  if (command === undefined) throw new Error(`no curl in:\n${up.output}`);
  return command;
}

/** Runs the printed command in a shell, with a stand-in for curl that needs nothing but Node. */
async function paste(command: string): Promise<string> {
  const script = `const [, url, , , , body] = process.argv.slice(1);
    const headers = { 'content-type': 'application/json' };
    fetch(url, { method: 'POST', headers, body }).then((r) => r.text()).then(console.log);`;
  const shell = `curl() { "$NODE" -e "$SCRIPT" -- "$@"; }\n${command}`;
  const env = { ...up.env, NODE: process.execPath, SCRIPT: script };
  return (await run('/bin/sh', ['-c', shell], { env })).stdout;
}

it('hands over with the printed curl, reuses with the same again, and shows both', async () => {
  expect(up.output).toMatch(/its prompt: \d+ tokens, [5-9] whole segments/);
  expect(await paste(printedCurl())).toContain('data: [DONE]');
  await up.says(/prefill-1 → decode-1 +(\d+) +0 +\1 +\1 +[\d.]+ kB/);

  // Each process sends its spans now and then.
  const all = ['tokenize', 'plan', 'leg.prefill', 'engine.prefill', 'engine.decode'];
  let trace = '';
  await eventually(async () => {
    trace = await baton('trace', 'last');
    for (const span of all) expect(trace).toContain(span);
  });
  expect(trace).not.toContain('unfinished');
  expect(trace).toMatch(
    /kv\.transfer +agent decode-1 .*handover · [5-9] segments · [1-9][\d.]* kB/,
  );

  const before = up.output.length;
  expect(await paste(printedCurl())).toContain('data: [DONE]');
  await expect.poll(() => up.output.slice(before), { timeout: 30_000 }).toMatch(/ (320|384|448) /);
});

async function ask(prompt: string): Promise<void> {
  const body = { model: 'tiny', prompt, max_tokens: 4 };
  const { status } = await post(up.run().gatewayUrl, '/v1/completions', body);
  expect(status).toBe(200);
}

it('says who holds a prompt, what the index knows, and every replica', async () => {
  const prompt = 'a prompt that is asked once and then looked up. '.repeat(40);
  const file = path.join(up.home, 'prompt.txt');
  writeFileSync(file, prompt);
  expect(await baton('index', 'lookup', file)).toContain('Nobody holds the beginning');
  await ask(prompt);

  const held = async (): Promise<Lookup> =>
    JSON.parse(await baton('index', 'lookup', file, '--json')) as Lookup;
  await expect.poll(async () => (await held()).workers.length, SOON).toBeGreaterThan(0);
  const { segments, segmentTokens, workers, runs } = await held();
  expect(segments).toBeGreaterThan(3);
  expect(Math.max(...workers.map(({ localTokens }) => localTokens))).toBe(segments * segmentTokens);
  expect(runs[0]).toMatchObject({ tier: 'hbm', fromToken: 0 });
  expect(await baton('index', 'lookup', file)).toMatch(/worker +rank +in HBM +with DRAM/);

  expect(await baton('index', 'stats')).toMatch(/prefill-1 +0 +hbm +\d+ +same +synced/);
  const { stats } = JSON.parse(await baton('index', 'stats', '--json')) as {
    stats: { replicas: number };
  };
  const lines = (await baton('index', 'dump')).trimEnd().split('\n');
  expect(lines).toHaveLength(stats.replicas);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    worker: expect.any(String) as string,
    rank: 0,
    tier: expect.stringMatching(/^(hbm|dram)$/) as string,
    key: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
  });
});

/** Process id of a part of this run, found by its command line. */
function pidOf(part: 'agent' | 'engine', workerId: string): number {
  const { folder } = up.run();
  for (const [pid, args] of processList()) {
    if ([folder, `apps/${part}/`, workerId].every((word) => args.includes(word))) return pid;
  }
  throw new Error(`no ${part} of ${workerId}`);
}

it.runIf(hasPty)('top shows workers, a transfer that moves, and who has died', async () => {
  const pty = new Pty([process.execPath, main, 'top'], up.env, 200, 40);
  try {
    for (const id of ['prefill-1', 'decode-1', 'decode-2']) await pty.shows(id);
    const from = pty.output.length;
    // One new prompt after the other, until top has looked while segments were on their way.
    const looking = new AbortController();
    const asking = (async () => {
      for (let i = 0; !looking.signal.aborted; i++) await ask(`${i} word `.repeat(400));
    })();
    await pty.shows('moving', from).finally(() => looking.abort());
    await asking;
    const shown = stripVTControlCharacters(pty.output.slice(from));
    expect(shown).toContain('transfers, 1 under way');
    expect(shown).toMatch(/prefill-1 → decode-[12] +handover +\d+ segments ordered · moving/);

    process.kill(pidOf('agent', 'decode-2'), 'SIGKILL');
    await up.says('agent decode-2 was ended by SIGKILL');
    await pty.shows('gone', from);
    expect(stripVTControlCharacters(pty.output)).toMatch(/decode-2 +decode +gone/);
    pty.type('q');
    expect(await pty.exits()).toBe(0);
    expect(await baton('top')).toMatch(/decode-2 +decode +gone/);
  } finally {
    pty.process.kill();
  }
});

it('leaves nobody after SIGTERM', async () => {
  const { folder, pid } = up.run();
  up.signal('SIGTERM');
  expect(await up.exits()).toBe(0);
  await allGone([pid]);
  expect([...processList().values()].filter((args) => args.includes(folder))).toEqual([]);
});
