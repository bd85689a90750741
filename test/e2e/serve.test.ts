import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { startVllmFleet, type StandInFleet } from '@baton/engine-sim';
import { spawnGuarded } from '@baton/provision';
import { complete, eventually, freePort } from '@baton/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startServed, type Served } from '../kit/served.ts';

const run = promisify(execFile);
const main = path.resolve(import.meta.dirname, '../../apps/cli/src/main.ts');
const MODEL = 'stand-in';
const home = mkdtempSync(path.join(tmpdir(), 'serve-test-'));
const env = { PATH: process.env['PATH'], HOME: home, TMPDIR: home, XDG_CACHE_HOME: home };
let fleet: StandInFleet;

/** In front of two engines that do whole requests, and of a pair. */
let workers: Served;
let pair: Served;
const begun: Served[] = [];

beforeAll(async () => {
  fleet = await startVllmFleet(['a', 'b', 'prefill', 'decode'], {
    ...{ model: MODEL, speedUp: 20, blocks: 512, maxModelTokens: 4_096, nixl: {} },
  });
  const apart = ['--prefill', urlOf('prefill'), '--decode', urlOf('decode')];
  // One after the other: else both may be the same.
  const ports = [await freePort(), await freePort()] as const;
  [workers, pair] = await Promise.all([
    serve(ports[0], '--worker', urlOf('a'), '--worker', urlOf('b')),
    serve(ports[1], ...apart, '--kv-bytes-per-token', '1000'),
  ]);
});
afterAll(async () => {
  await Promise.all(begun.map((served) => served.stop()));
  await fleet.stop();
  rmSync(home, { recursive: true, force: true });
});

/** `baton serve` in front of engines, when all of them serve. */
function serve(port: number, ...flags: string[]): Promise<Served> {
  const engines = flags.filter((flag) => flag.startsWith('http')).length;
  return start(port, engines, ['serve', ...flags]);
}

async function start(port: number, engines: number, command: string[]): Promise<Served> {
  const served = await startServed(command, { port, engines });
  begun.push(served);
  return served;
}

const urlOf = (name: string): string =>
  fleet.engines.find((engine) => engine.name === name)?.url ?? '';
const idOf = (name: string): string => urlOf(name).slice('http://'.length).replaceAll(/[.:]/g, '-');
const promptOf = (seed: number, tokens: number): number[] =>
  Array.from({ length: tokens }, (_, i) => (seed * 7_919 + i * 31 + 11) % 30_000);

/** Everything that engines had to complain about, and what they still keep for somebody. */
async function expectAtRest(): Promise<void> {
  await eventually(() => fleet.leaks().length === 0);
  expect(fleet.violations.list).toEqual([]);
}

test('engines that do whole requests: a prompt goes to where its beginning is, and the index is exact', async () => {
  const served = workers;
  expect(served.output()).toContain(`${idOf('a')}: vllm 0.32.0 with ${MODEL}`);
  expect(served.output()).toContain('index exact');
  const stems = [promptOf(1, 1_024), promptOf(2, 1_024)];
  const chosen: (string | null)[][] = [[], []];
  for (let turn = 0; turn < 3; turn += 1) {
    for (const [i, stem] of stems.entries()) {
      const prompt = [...stem, ...promptOf(100 + 10 * turn + i, 40)];
      const answer = await complete(served.url, { model: MODEL, prompt, max_tokens: 4 });
      expect(answer.cachedTokens).toBe(turn === 0 ? 0 : 1_024);
      chosen[i]?.push(answer.headers.get('x-baton-decode-worker'));
    }
  }
  for (const seen of chosen) expect(new Set(seen).size).toBe(1);
  await eventually(async () => {
    const stats = await served.baton('index', 'stats');
    const held = [...stats.matchAll(/hbm +(\d+) +same/g)].map(([, segments]) => Number(segments));
    return held.length === 2 && held.reduce((a, b) => a + b, 0) >= 32;
  });
  expect(await served.baton('explain')).toContain('kv-centric, aggregated');
  await expectAtRest();
});

test('a pair: prefill hands over to decode, with a span that says what moved; answers are those of one engine', async () => {
  const served = pair;
  expect(served.output()).toContain('nixl hands KV over');
  const prompt = promptOf(3, 1_000);
  const body = { model: MODEL, prompt, max_tokens: 8 };
  const answer = await complete(served.url, { ...body, stream: true });
  const { headers } = answer;
  expect([headers.get('x-baton-prefill-worker'), headers.get('x-baton-decode-worker')]).toEqual([
    idOf('prefill'),
    idOf('decode'),
  ]);
  const alone = await complete(urlOf('a'), body);
  expect(answer.text).toBe(alone.text);
  const trace = await eventually(async () => {
    const shown = await served.baton('trace', 'last');
    if (!shown.includes('leg.decode')) throw new Error(shown);
    return shown;
  });
  expect(trace).toMatch(
    new RegExp(
      `kv\\.handover +serve +${idOf('prefill')} → ${idOf('decode')} · nixl · 1 000 prompt tokens`,
    ),
  );
  await expectAtRest();
});

test('workers come and go; one that ends is worked around', async () => {
  const served = workers;
  const added = await served.baton('worker', 'add', '--url', urlOf('decode'), '--id', 'second');
  expect(added).toMatch(/index +exact[\s\S]*worker +second/);
  expect(await served.baton('worker', 'list')).toMatch(/second +both +vllm 0\.32\.0.* yes/);
  expect(await served.baton('worker', 'remove', idOf('b'))).toContain('is planned no more');
  expect(await served.baton('worker', 'remove', idOf('a'))).toContain('is planned no more');
  const body = { model: MODEL, prompt: promptOf(4, 300), max_tokens: 4 };
  const answer = await complete(served.url, body);
  expect(answer.headers.get('x-baton-decode-worker')).toBe('second');
  await expect(served.baton('worker', 'remove', 'nobody')).rejects.toThrow('no engine without');
  await expectAtRest();
});

test('npm start brings up stand-ins of vLLM as pairs', async () => {
  const flags = ['up', '--engine', 'vllm-sim', '--prefill', '1', '--decode', '2'];
  const served = await start(await freePort(), 3, flags);
  const body = { model: MODEL, prompt: promptOf(5, 500), max_tokens: 4 };
  const answer = await complete(served.url, body);
  expect(answer.headers.get('x-baton-prefill-worker')).toBe('prefill-1');
  expect(answer.headers.get('x-baton-decode-worker')).toMatch(/^decode-[12]$/);
  const handedOver = async (): Promise<boolean> =>
    /under way · [1-9]\S* \S+ moved/.test(await served.baton('top'));
  await eventually(handedOver);
  await served.stop();
  expect(served.output()).toMatch(/^Starting 1 prefill and 2 decode stand-ins of vLLM …\n/);
  expect(served.output()).toMatch(/Ctrl-C +stops everything\n/);
  expect(served.output()).not.toContain('violations');
  const { stderr } = await run(process.execPath, [main, ...flags, '--model', 'tiny'], {
    env,
  }).catch((error: unknown) => error as { stderr: string });
  expect(stderr).toContain('--model means nothing with --engine vllm-sim.');
});

test('npm start brings up stand-ins of SGLang as pairs', async () => {
  const flags = ['up', '--engine', 'sglang-sim', '--prefill', '1', '--decode', '1'];
  const served = await start(await freePort(), 2, flags);
  expect(served.output()).toMatch(/prefill-1: sglang \S+ with stand-in, sglang-mooncake hands/);
  const body = { model: MODEL, prompt: promptOf(6, 500), max_tokens: 4 };
  const answers = [
    await complete(served.url, body),
    await complete(served.url, { ...body, stream: true }),
    await complete(served.url, { ...body, max_tokens: 1 }),
  ];
  for (const { headers, text } of answers) {
    expect(headers.get('x-baton-prefill-worker')).toBe('prefill-1');
    expect(headers.get('x-baton-decode-worker')).toBe('decode-1');
    expect(answers[0]?.text.startsWith(text)).toBe(true);
  }
  expect(answers[1]?.cachedTokens).toBe(496);
  await eventually(async () => {
    const shown = await served.baton('trace', 'last');
    expect(shown).toContain('prefill-1 → decode-1 · sglang-mooncake');
  });
  await served.stop();
  expect(served.output()).not.toContain('violations');
});

test('one port for both APIs is refused by name, and nothing is left when nobody reads its output', async () => {
  const port = String(await freePort());
  const args = [main, 'serve', '--worker', urlOf('a'), '--port', port];
  const refused = run(process.execPath, [...args, '--admin-port', port], { env });
  await expect(refused).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^--admin-port \d+ is that of the OpenAI API.*\n$/) as string,
  });
  const unread = spawnGuarded(process.execPath, args, { env });
  const ended = once(unread.guard, 'exit');
  unread.guard.stdout?.destroy();
  expect(await ended).toEqual([0, null]);
});
