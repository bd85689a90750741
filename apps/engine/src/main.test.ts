import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { writeUnsplittableModel } from '@baton/llama';
import { eventually, post, startOtlpReceiver } from '@baton/test-kit';
import { tinyModelFolder } from './testing/test-engine.ts';

interface Running {
  child: ChildProcess;
  output: () => string;
  messages: { type: string; endpoints: Record<string, string> }[];
  exit: Promise<number | null>;
}

const model = tinyModelFolder();
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(() => model.remove());

function start(...flags: string[]): Running {
  return startWith({}, ...flags);
}

function startWith(env: Record<string, string>, ...flags: string[]): Running {
  const main = path.join(import.meta.dirname, 'main.ts');
  const child = spawn(process.execPath, [main, '--threads', '1', ...flags], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      ...env,
    },
  });
  children.push(child);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (data: Buffer) => (text += data.toString()));
  }
  const messages: Running['messages'] = [];
  child.on('message', (message) => messages.push(message as Running['messages'][number]));
  const exit = once(child, 'exit').then(([code]) => code as number | null);
  return { child, output: () => text, messages, exit };
}

async function ready(running: Running): Promise<Record<string, string>> {
  await eventually(() => running.messages.length > 0 || running.child.exitCode !== null, 60_000);
  const endpoints = running.messages[0]?.endpoints;
  if (!endpoints) throw new Error(`not ready: ${running.output()}`);
  return endpoints;
}

test('becomes ready, answers under the name of its file, and stops when its parent is gone', async () => {
  const running = start('--model', model.file, '--role', 'prefill');
  const endpoints = await ready(running);
  expect(Object.keys(endpoints).sort()).toEqual(['events', 'http', 'replay']);
  const body = { model: 'tiny', prompt: 'the', max_tokens: 3 };
  const answer = await post(endpoints['http'] ?? '', '/v1/completions', body);
  expect(answer.body.usage?.completion_tokens).toBe(3);
  const long = { ...body, max_tokens: 8_000, ignore_eos: true };
  const cut = post(endpoints['http'] ?? '', '/v1/completions', long).catch(() => 'cut');
  running.child.disconnect();
  expect(await running.exit).toBe(0);
  await cut;
});

test('SIGTERM stops it', async () => {
  const running = start('--model', model.file, '--model-name', 'mine', '--reproducible');
  const endpoints = await ready(running);
  const answer = await post(endpoints['http'] ?? '', '/v1/completions', {
    model: 'mine',
    prompt: 'a',
  });
  expect(answer.status).toBe(200);
  running.child.kill('SIGTERM');
  expect(await running.exit).toBe(0);
});

const fatalOf = (output: string): string[] =>
  output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { level: string; msg: string; err?: object })
    .filter(({ level }) => level === 'fatal')
    .map(({ msg, err }) => (err ? `with a stack: ${msg}` : msg));

test.each<[string, () => string[], RegExp]>([
  ['a missing model', () => ['--model', '/nowhere/x.gguf'], /\/nowhere\/x\.gguf/],
  [
    'a file that is no model',
    () => {
      const file = path.join(path.dirname(model.file), 'broken.gguf');
      writeFileSync(file, 'GGUF but not really');
      return ['--model', file];
    },
    /broken\.gguf/,
  ],
  [
    'a model whose KV cannot be split',
    () => {
      const file = path.join(path.dirname(model.file), 'recurrent.gguf');
      writeUnsplittableModel(file, 'recurrent');
      return ['--model', file];
    },
    /cannot be split into segments/,
  ],
  ['no model at all', () => [], /model is required/],
  ['an unknown flag', () => ['--model', model.file, '--modle-name', 'x'], /--modle-name/],
])('%s is one sentence and an exit code', async (_what, flags, sentence) => {
  const running = start(...flags());
  expect(await running.exit).toBe(1);
  expect(fatalOf(running.output())).toEqual([expect.stringMatching(sentence)]);
  expect(running.messages).toEqual([]);
});

test.each(['--port', '--events-port', '--replay-port'])('%s in use', async (flag) => {
  const other = createServer();
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  const port = typeof address === 'object' ? String(address?.port) : '';
  const running = start('--model', model.file, flag, port);
  expect(await running.exit).toBe(1);
  expect(fatalOf(running.output())).toEqual([
    expect.stringMatching(new RegExp(`${port}.* in use`)),
  ]);
  other.close();
});

test('spans of prompt and output, with their tokens, under the trace that the request brought', async () => {
  const receiver = await startOtlpReceiver();
  const env = { BATON_TRACE_ENDPOINT: receiver.tracesEndpoint };
  const running = startWith(env, '--model', model.file, '--worker-id', 'w-1');
  const url = (await ready(running))['http'] ?? '';
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
  const body = { model: 'tiny', prompt: Array.from({ length: 70 }, () => 300), max_tokens: 3 };
  await post(url, '/v1/completions', { ...body, ignore_eos: true }, { headers });
  const baton = { plan_id: 'p-1', decode_held_tokens: 0 };
  const leg = { ...body, kv_transfer_params: { do_remote_decode: true, baton } };
  await post(url, '/v1/completions', leg, { headers });
  running.child.kill('SIGTERM');
  await running.exit;
  await receiver.close();

  const shown = receiver.spans.map(({ name, attributes }) => ({ name, ...attributes }));
  expect(shown).toMatchObject([
    {
      name: 'engine.prefill',
      'gen_ai.usage.input_tokens': 70,
      'baton.reused_tokens': 0,
      'baton.transferred_tokens': 0,
      'baton.computed_tokens': 70,
    },
    { name: 'engine.decode', 'gen_ai.usage.output_tokens': 3 },
    {
      name: 'engine.prefill',
      'baton.plan.id': 'p-1',
      'baton.reused_tokens': 64,
      'baton.computed_tokens': 6,
    },
  ]);
  for (const span of receiver.spans) {
    expect(span).toMatchObject({ traceId, parentSpanId: 'b7ad6b7169203331' });
    expect(span.attributes).toMatchObject({ 'baton.worker': 'w-1' });
  }
});
