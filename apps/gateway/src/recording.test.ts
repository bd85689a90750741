import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { BatonError } from '@baton/kv';
import { eventually, readStream, send } from '@baton/test-kit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RecordedLine } from './request-log/request-log.ts';
import {
  CHAT,
  chatBody,
  COMPLETION,
  completionBody,
  startTestFleet,
  type TestFleet,
  type TestFleetOptions,
} from './testing/test-fleet.ts';

/** Of the pool of the test fleet. */
const SEGMENT = 4;

let folder: string;
let fleet: TestFleet | undefined;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'recording-'));
});
afterEach(async () => {
  await fleet?.stop();
  rmSync(folder, { recursive: true });
});

const file = (): string => path.join(folder, 'log.jsonl');
/** Whole lines alone: the last one has its end as well. */
function lines(): RecordedLine[] {
  const text = existsSync(file()) ? readFileSync(file(), 'utf8') : '';
  expect(text === '' || text.endsWith('\n')).toBe(true);
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as RecordedLine);
}

async function start(options: TestFleetOptions = {}, maxBytes = 1_000_000): Promise<TestFleet> {
  const record = { settings: { file: file(), maxBytes } };
  fleet = await startTestFleet({ ...options, record: { ...record, ...options.record } });
  return fleet;
}

const ask = async (url: string, prompt: string | number[], more: object = {}): Promise<void> => {
  const answer = await send(url, COMPLETION, completionBody({ prompt, max_tokens: 3, ...more }));
  expect(answer.status).toBe(200);
  await answer.text();
};

test('text, token ids and chats are recorded with their lengths and the names of their blocks', async () => {
  const { url } = await start();
  await ask(url, 'abcdefgh1');
  await ask(
    url,
    [...'abcdefgh2'].map((letter) => letter.charCodeAt(0)),
    { stream: true },
  );
  await send(url, CHAT, chatBody({ max_tokens: 5 }));
  await eventually(() => expect(lines()).toHaveLength(3));
  const [first, second, third] = lines() as [RecordedLine, RecordedLine, RecordedLine];
  expect(Object.keys(first)).toEqual([
    ...['timestamp', 'input_length', 'output_length', 'hash_ids', 'block_tokens', 'content_ids'],
  ]);
  expect(first).toMatchObject({
    ...{ timestamp: 0, input_length: 9, output_length: 3, block_tokens: SEGMENT },
    hash_ids: { length: 3 },
    content_ids: { length: 3 },
  });
  expect(second.input_length).toBe(9);
  expect(second.output_length).toBe(3);
  expect(third.input_length).toBe('user: Hello there\n'.length);
  expect(third.output_length).toBe(5);
  expect(second.timestamp).toBeLessThanOrEqual(third.timestamp);
  const text = readFileSync(file(), 'utf8');
  expect(text).not.toMatch(/abc|hello|stand-in|user/i);
});

test('equal beginnings have equal names, as long as their requests may share KV', async () => {
  const { url } = await start();
  await ask(url, 'abcdefgh1');
  await ask(url, 'abcdefgh2');
  await ask(url, 'abcdefgh2', { cache_salt: 'mine' });
  await ask(url, 'zbcdefgh2');
  await eventually(() => expect(lines()).toHaveLength(4));
  const [one, two, salted, other] = lines() as [
    RecordedLine,
    RecordedLine,
    RecordedLine,
    RecordedLine,
  ];
  const shared = (a: number[], b: number[]) => a.filter((id, i) => id === b[i]).length;
  expect(shared(one.hash_ids, two.hash_ids)).toBe(2);
  expect(shared(two.hash_ids, salted.hash_ids)).toBe(0);
  expect(shared(two.content_ids, salted.content_ids)).toBe(3);
  expect(shared(two.hash_ids, other.hash_ids)).toBe(0);
  expect(shared(two.content_ids, other.content_ids)).toBe(2);
});

test('lines are in the order of arrival, whoever ends first', async () => {
  const { url, decode } = await start({ prefill: 1, decode: 1 });
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  decode[0]?.gates.set('decode', gate);
  const slow = send(url, COMPLETION, completionBody({ prompt: 'the slow one', stream: true }));
  await eventually(() => expect(decode[0]?.open).toBe(1));
  decode[0]?.gates.delete('decode');
  await ask(url, 'quick');
  expect(await metric(url, 'baton_request_log_held')).toBe(2);
  expect(lines()).toEqual([]);
  open();
  await readStream(await slow);
  await eventually(() => expect(lines()).toHaveLength(2));
  expect(lines().map((line) => line.input_length)).toEqual([12, 5]);
  expect(await metric(url, 'baton_request_log_held')).toBe(0);
});

test('who leaves, fails or is refused has come all the same; who says nothing sensible has not', async () => {
  const { url, session, engines } = await start();
  session.answers.push(new BatonError('no_capacity'));
  const prompt = completionBody({ prompt: 'refused' });
  expect((await send(url, COMPLETION, prompt)).status).toBe(429);
  expect((await send(url, COMPLETION, completionBody({ prompt: 5 }))).status).toBe(400);
  expect((await send(url, COMPLETION, completionBody({ max_tokens: 1e6 }))).status).toBe(400);
  const leaving = new AbortController();
  const left = await send(url, COMPLETION, completionBody({ stream: true, max_tokens: 4_000 }), {
    signal: leaving.signal,
  });
  await left.body?.getReader().read();
  leaving.abort();
  await eventually(() => expect(lines()).toHaveLength(2));
  const [refused, gone] = lines() as [RecordedLine, RecordedLine];
  expect(refused).toMatchObject({ input_length: 7, output_length: 0 });
  expect(gone.output_length).toBeLessThan(4_000);
  const notPlanned = 'baton_request_log_left_out_total{baton_request_log_reason="not_planned"}';
  expect(await metric(url, notPlanned)).toBe(2);
  await eventually(() => engines.every((engine) => engine.open === 0));
});

test('an answer that breaks off has the tokens that it had, and its line comes once', async () => {
  const { url, decode, session } = await start({ decode: 1 });
  session.mode = 'aggregated';
  decode[0]?.failNext('aggregated', { kind: 'cut', after: 5 });
  const broken = await send(url, COMPLETION, completionBody({ max_tokens: 9, stream: true }));
  await readStream(broken);
  await ask(url, 'after that');
  await eventually(() => expect(lines()).toHaveLength(2));
  expect(lines().map((line) => line.output_length)).toEqual([5, 3]);
  // The first leg fails, and another plan gives the answer.
  decode[0]?.failNext('aggregated', { kind: 'reset' });
  session.mode = 'disaggregated';
  await ask(url, 'tried twice');
  await eventually(() => expect(lines()).toHaveLength(3));
});

test('stopping writes what is held, of requests that it has to end as well', async () => {
  const { url, decode, gateway } = await start({ decode: 1, timeLimits: { stopMs: 50 } });
  decode[0]?.gates.set('decode', new Promise(() => undefined));
  const open = send(url, COMPLETION, completionBody({ prompt: 'open', stream: true }));
  open.catch(() => undefined);
  await eventually(() => expect(decode[0]?.open).toBe(1));
  await gateway.stop();
  expect(lines()).toMatchObject([{ input_length: 4 }]);
});

test('a path that cannot be written costs a line of the log and nothing else', async () => {
  const settings = { file: path.join(folder, 'none', 'log.jsonl'), maxBytes: 1_000 };
  const { url, alarms, settled } = await start({ record: { settings, retryMs: 10 } });
  await eventually(() => expect(alarms).toHaveLength(1));
  expect(alarms[0]).toMatchObject({ event: 'request_log_failing', file: settings.file });
  await ask(url, 'served');
  const health = (await (await fetch(`${url}/health`)).json()) as object;
  expect(health).toMatchObject({ status: 'ok', requestLog: 'failing' });
  expect(await metric(url, 'baton_request_log_recording')).toBe(0);
  await settled();
});

test('at its size limit recording ends, requests do not', async () => {
  const { url, alarms } = await start({}, 400);
  for (let i = 0; i < 5; i += 1) await ask(url, `number ${i}`);
  await eventually(() => expect(alarms).toMatchObject([{ event: 'request_log_full' }]));
  const recorded = lines().length;
  expect(recorded).toBeGreaterThan(0);
  const left = 'baton_request_log_left_out_total{baton_request_log_reason="size_limit"}';
  expect(await metric(url, left)).toBe(5 - recorded);
  expect(await metric(url, 'baton_request_log_lines_total')).toBe(recorded);
});

test('without a file there is no log, and metrics say nothing of one', async () => {
  fleet = await startTestFleet();
  await ask(fleet.url, 'not recorded');
  expect(await metric(fleet.url, 'baton_requests_open')).toBe(0);
  expect(await metric(fleet.url, 'baton_request_log_recording')).toBeUndefined();
  const health = (await (await fetch(`${fleet.url}/health`)).json()) as object;
  expect(health).not.toHaveProperty('requestLog');
});

async function metric(url: string, name: string): Promise<number | undefined> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
}
