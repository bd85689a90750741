/** A fleet records what it serves, and the lab reads the log. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { RecordedLine } from '@baton/gateway/request-log';
import { complete, eventually, randomPrompt } from '@baton/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MODEL, startFleet, type Fleet } from '../kit/fleet.ts';

const SEGMENT = 64;
const USERS = 12;

const run = promisify(execFile);
const folder = mkdtempSync(path.join(tmpdir(), 'baton-recording-'));
const log = path.join(folder, 'log.jsonl');
let fleet: Fleet;
beforeAll(async () => {
  const gatewayArgs = ['--record-file', log, '--record-salt', 'a salt for this test alone'];
  fleet = await startFleet({ prefill: 1, decode: 1, gatewayArgs });
});
afterAll(async () => {
  await fleet?.stop();
  rmSync(folder, { recursive: true });
});

const lines = (): RecordedLine[] =>
  readFileSync(log, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as RecordedLine);

async function baton(...args: string[]): Promise<string> {
  const main = path.join(import.meta.dirname, '../../apps/cli/src/main.ts');
  return (await run(process.execPath, [main, ...args])).stdout;
}

const ask = (prompt: number[], maxTokens: number, more: object = {}) =>
  complete(fleet.url, { model: MODEL, prompt, max_tokens: maxTokens, ignore_eos: true, ...more });

/** A system prompt, what is the user's own, and a manual that is the same for all. */
const system = randomPrompt(1, 2 * SEGMENT);
const manual = randomPrompt(2, 3 * SEGMENT);
const promptOf = (user: number): number[] => [
  ...[...system, ...randomPrompt(100 + user, SEGMENT)],
  ...[...manual, ...randomPrompt(200 + user, 10)],
];

test('recorded traffic is what was sent, in its order, and the lab finds what it shares', async () => {
  // The first one is the last to end.
  const long = ask(randomPrompt(3, 100), 400, { stream: true });
  for (let user = 0; user < USERS; user += 1) {
    await ask(promptOf(user), 3 + user, { stream: user % 2 === 0 });
    if (user === USERS / 2) await long;
  }
  await eventually(() => expect(lines()).toHaveLength(USERS + 1));
  const [first, ...others] = lines();
  expect(first).toMatchObject({ timestamp: 0, input_length: 100, output_length: 400 });
  expect(others.map((line) => line.output_length)).toEqual(
    Array.from({ length: USERS }, (_, user) => 3 + user),
  );
  const times = lines().map(({ timestamp }) => timestamp);
  expect(times).toEqual([...times].sort((a, b) => a - b));
  expect(times.at(-1)).toBeGreaterThan(0);
  for (const { input_length, hash_ids, content_ids, block_tokens } of others) {
    expect([input_length, block_tokens]).toEqual([6 * SEGMENT + 10, SEGMENT]);
    expect([hash_ids.length, content_ids.length]).toEqual([7, 7]);
  }

  const { breaks, requests } = JSON.parse(await baton('prompts', '--trace', log, '--json')) as {
    breaks: Record<string, unknown>[];
    requests: number;
  };
  expect(requests).toBe(USERS + 1);
  expect(breaks[0]).toMatchObject({ atToken: 2 * SEGMENT, requests: USERS });
  const text = await baton('prompts', '--trace', log);
  expect(text).toMatch(/3 blocks from token 192 the same in 100 %/);

  const json = path.join(folder, 'rows.json');
  const fleetOf = ['--prefill', '1', '--decode', '1', '--cost-model', 'dynamo'];
  const policies = ['--policies', 'kv-centric,round-robin', '--pulls', 'on'];
  await baton('replay', '--trace', log, ...fleetOf, ...policies, '--json', json);
  const rows = JSON.parse(readFileSync(json, 'utf8')) as Record<string, unknown>[];
  expect(rows).toMatchObject([
    { policy: 'kv-centric', requests: USERS + 1, rejected: 0 },
    { policy: 'round-robin', requests: USERS + 1, rejected: 0 },
  ]);
  // Of all but one prompt the two blocks that they share.
  expect(rows[0]?.['blockHitRatio']).toBeCloseTo(((USERS - 1) * 2) / (USERS * 7 + 2), 3);
});

test('what is under way when the fleet stops is in the log as far as it came', async () => {
  const before = lines().length;
  // So much that none of it is done before the fleet stops, however long that takes to be said.
  const [requests, outputTokens] = [4, 3_900];
  for (let i = 0; i < requests; i += 1) {
    ask(randomPrompt(4 + i, 70), outputTokens, { stream: true }).catch(() => undefined);
  }
  await eventually(async () => {
    const metrics = await (await fetch(`${fleet.url}/metrics`)).text();
    expect(metrics).toMatch(new RegExp(`^baton_request_log_held ${requests}$`, 'm'));
  });
  await fleet.gateway.stop();
  expect(existsSync(log)).toBe(true);
  const last = lines().slice(before);
  expect(last.map(({ input_length }) => input_length)).toEqual(Array(requests).fill(70));
  expect(Math.max(...last.map(({ output_length }) => output_length))).toBeLessThan(outputTokens);
});
