import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { rootKey, segmentKeys } from '@baton/kv';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runBaton, type Ran } from '../testing/run-baton.ts';
import { readPrompt, type FilePrompt, type ReadAs } from './prompt-file.ts';

const home = mkdtempSync(path.join(tmpdir(), 'baton-index-test-'));
const tokens = Array.from({ length: 10 }, (_, i) => i + 1);
const keys = segmentKeys(rootKey({ tokenization: 'tok', salt: 'tenant' }), tokens, 4);

/** Conductor and engine in one: answers what a test has put here, and keeps what it was sent. */
let url: string;
let workers: object[] = [];
let index: object = {};
let tokenized: { status: number; body: unknown } = { status: 200, body: { tokens } };
let dump = (response: http.ServerResponse): void => void response.end();
const received: Record<string, Buffer> = {};

const server = http.createServer((request, response) => {
  void request.toArray().then((chunks) => {
    const requestUrl = request.url ?? '';
    received[requestUrl] = Buffer.concat(chunks as Buffer[]);
    const json = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    switch (requestUrl) {
      case '/workers':
        return json(200, { workers });
      case '/index':
        return json(200, index);
      case '/tokenize':
        return json(tokenized.status, tokenized.body);
      case '/index/lookup':
        return json(200, lookup);
      case '/index/dump':
        return dump(response);
      default:
        return json(404, { error: { message: 'There is nothing at this path.' } });
    }
  });
});

const lookup = {
  segments: 2,
  knownSegments: 2,
  ranks: [{ workerId: 'p1', rank: 1, hbmSegments: 1, memorySegments: 2, localSegments: 2 }],
  runs: [
    { workerId: 'p1', rank: 1, tier: 'dram', first: 1, count: 1 },
    { workerId: 'p1', rank: 1, tier: 'hbm', first: 0, count: 1 },
  ],
};

const worker = (changes: object = {}): object => ({
  ...{ workerId: 'p1', state: 'ready', model: 'm', tokenization: 'tok', segmentTokens: 4 },
  engineUrl: url,
  ...changes,
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(home, { recursive: true, force: true });
});

function baton(...args: string[]): Promise<Ran> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, HOME: home, BATON_STATE_DIR: home };
  return runBaton(['index', ...args], env);
}

function promptFile(name: string, content: string | Uint8Array): string {
  const file = path.join(home, name);
  writeFileSync(file, content);
  return file;
}

test('lookup sends the prompt to an engine and its keys to the conductor, and shows who holds what', async () => {
  workers = [worker({ workerId: 'd1', state: 'starting' }), worker()];
  tokenized = { status: 200, body: { tokens, count: 10 } };
  const request = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };
  const file = promptFile('chat.json', JSON.stringify({ ...request, cache_salt: 'tenant' }));
  const { stdout, stderr, code } = await baton('lookup', file, '--conductor', url);
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  expect(stdout).toBe(
    [
      '10 tokens, 2 whole segments of 4 (chat request, tokenized by p1)',
      '',
      'worker  rank  in HBM  with DRAM  in any tier',
      'p1         1       4          8            8',
      '',
      'tokens  held by  rank  in',
      '0 to 3  p1          1  hbm',
      '4 to 7  p1          1  dram',
      '',
    ].join('\n'),
  );
  expect(received['/index/lookup']).toEqual(Buffer.from(keys));
  expect(JSON.parse(String(received['/tokenize']))).toEqual(request);

  const text = promptFile('prompt.txt', '{ no JSON');
  const json = JSON.parse(
    (await baton('lookup', text, '--conductor', url, '--text', '--json')).stdout,
  ) as object;
  expect(json).toMatchObject({
    ...{ form: 'text', promptTokens: 10 },
    workers: [{ hbmTokens: 4, memoryTokens: 8 }],
  });
  expect(JSON.parse(String(received['/tokenize']))).toEqual({ prompt: '{ no JSON', model: 'm' });
  await baton('lookup', text, '--conductor', url, '--text', '--chat');
  expect(JSON.parse(String(received['/tokenize']))).toMatchObject({
    messages: [{ role: 'user', content: '{ no JSON' }],
  });
});

test('lookup takes the model of a request, which --model must not contradict', async () => {
  workers = [worker({ workerId: 'a1', model: 'a' }), worker({ workerId: 'b1', model: 'b' })];
  tokenized = { status: 200, body: { tokens } };
  const file = promptFile('b.json', JSON.stringify({ model: 'b', prompt: 'Hi' }));
  const { stdout } = await baton('lookup', file, '--conductor', url);
  expect(stdout).toContain('(completion request, tokenized by b1)');
  const { stderr, code } = await baton('lookup', file, '--conductor', url, '--model', 'a');
  expect(code).toBe(1);
  expect(stderr).toMatch(/^--model is "a", but the request in ".*b\.json" is for "b"\.$/m);
});

test('lookup says why nobody holds anything', async () => {
  const held = { ...lookup };
  Object.assign(lookup, { segments: 2, ranks: [], runs: [] });
  try {
    workers = [worker()];
    tokenized = { status: 200, body: { tokens } };
    const text = promptFile('unknown.txt', 'Hi');
    const told = async (...args: string[]): Promise<string[]> =>
      (await baton('lookup', text, '--conductor', url, ...args)).stdout.trim().split('\n').slice(1);
    const nobody = 'Nobody holds the beginning of this prompt.';
    expect(await told()).toEqual([
      nobody,
      'As the message of a chat this text would be other tokens: --chat.',
    ]);
    expect(await told('--chat')).toEqual([nobody]);
    tokenized = { status: 200, body: { tokens: [1, 2, 3] } };
    expect(await told()).toEqual([
      'The prompt is shorter than one segment (4 tokens), so nothing of it can be cached.',
    ]);
  } finally {
    Object.assign(lookup, held);
  }
});

test('stats shows each worker and each registration, and what is wrong', async () => {
  index = {
    stats: { segments: 1200, replicas: 3000, sizeBytes: 65_536, evictedSegments: 7 },
    limits: { maxReplicas: 5_000_000 },
    replicas: { hbm: 2000, dram: 1000 },
    workers: [
      {
        workerId: 'p1',
        sync: { synced: true, counters: { gaps: 1, resyncs: { joined: 1, gap: 0 } } },
        events: { eventGaps: 2, unresolvedBlocks: 5, eventDecodeFailures: 3 },
        tiers: [
          { rank: 0, tier: 'hbm', holding: 'kv', segments: 20, indexedSegments: 20, same: true },
          { rank: 0, tier: 'dram', holding: 'kv', segments: 4, indexedSegments: 3, same: false },
        ],
      },
      { workerId: 'd\u001b[31m1', sync: { synced: false }, tiers: [] },
    ],
    indexer: {
      services: [
        {
          ...{ InstanceID: 'e1', TenantID: 'default', ModelName: 'm', DPRank: 0 },
          ...{ State: 'block_size_mismatch', Blocks: { gpu: 9, cpu: 1, disk: 0 } },
          Counters: { batches: 12, unresolvedBlocks: 1 },
        },
      ],
    },
  };
  const { stdout } = await baton('stats', '--conductor', `${url}/`);
  expect(stdout.split('\n')).toEqual([
    'Baton’s own workers: 1 200 segments, 3 000 replicas of 5 000 000, 65.5 kB',
    'held in  hbm 2 000  dram 1 000',
    '7 segments evicted for lack of room',
    '',
    'worker  rank  tier  segments  digest        state    gaps  resyncs   unresolved  unreadable',
    'p1         0  hbm         20  same          synced      3  1 joined           5           3',
    '           0  dram         3  agent says 4',
    'd1         -  -            0  -             syncing     0  0                  0           0',
    '',
    'registered  tenant   model  rank  state                blocks  batches  gaps  unresolved  unreadable',
    'e1          default  m         0  block_size_mismatch      10       12     0           1           0',
    '',
  ]);
  const json = await baton('stats', '--conductor', url, '--json');
  expect(JSON.parse(json.stdout)).toEqual(index);
  index = { ...index, workers: [] };
  expect((await baton('stats', '--conductor', url)).stdout).toContain('no worker of Baton’s own\n');
});

test('dump passes on what comes, whole or broken off', async () => {
  dump = (response) => {
    for (let i = 0; i < 3000; i += 1) response.write(`{"worker":"p1","key":"${i}"}\n`);
    response.end();
  };
  const { stdout } = await baton('dump', '--conductor', url);
  expect(stdout.split('\n')).toHaveLength(3001);
  dump = (response) => {
    response.write('{"worker":"p1"}\n', () => response.destroy());
  };
  const broken = await baton('dump', '--conductor', url);
  expect(broken).toMatchObject({ code: 1, stdout: '{"worker":"p1"}\n' });
  expect(broken.stderr).toContain('/index/dump broke off in the middle.');
});

test.each([
  [
    ['stats'],
    'No "npm start" or "baton serve" of this clone is running: start it in another terminal first.',
  ],
  [['dump', '--port', '1'], 'No "npm start" or "baton serve" of this clone runs on port 1.'],
  [['lookup', 'nowhere.txt'], 'No "npm start" or "baton serve" of this clone is running'],
  [['lookup'], "missing required argument 'file'"],
  [['stats', '--port', '0'], '--port must be a whole number from 1 to 65535, "0" is not.'],
  [['stats', '--conductor', 'localhost'], '--conductor must be the URL of an admin API'],
  [['stats', '--conductor', 'http://127.0.0.1:9'], 'http://127.0.0.1:9/index does not answer.'],
  [['dump', '--conductor', 'http://127.0.0.1:9'], 'http://127.0.0.1:9/index/dump does not answer.'],
])('without a fleet: %j', async (args, message) => {
  const { code, stderr, stdout } = await baton(...args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(message);
  expect(stderr).not.toContain('is invalid');
});

test.each(['stats', 'dump', 'lookup'])('%s of what is no conductor says so', async (command) => {
  const gateway = http.createServer((_request, response) => {
    response.writeHead(404).end('<html>');
  });
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
  const file = command === 'lookup' ? [promptFile('prompt', 'text')] : [];
  try {
    const { code, stderr } = await baton(command, ...file, '--conductor', address);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^http.* answered 404: this is no admin API of a conductor/);
  } finally {
    gateway.close();
  }
});

test('an answer that is no JSON is told in a sentence', async () => {
  const page = http.createServer((_request, response) => response.end('<html>'));
  await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(page.address() as AddressInfo).port}`;
  const { code, stderr } = await baton('stats', '--conductor', address);
  page.close();
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `${address}/index answered what is no JSON.\n`,
  });
});

test.each([
  ['{"messages": [', 'it is no JSON: '],
  ['[1, 2]', 'it is no object'],
  ['{"foo": 1}', 'it has neither "messages" nor "prompt"'],
  ['{"messages": [], "model": "m"}', '"messages" is no list of messages'],
  ['{"messages": ["Hi"]}', '"messages" is no list of messages'],
  ['{"prompt": ["a", "b"]}', '"prompt" is neither one text nor one list of tokens'],
  ['{"prompt": ""}', '"prompt" is neither one text nor one list of tokens'],
  ['{"prompt": "a", "messages": [{}]}', 'it has both "messages" and "prompt"'],
  ['{"prompt": "a", "model": 1}', '"model" is no string'],
])('%s is no request', (text, why) => {
  const file = promptFile('request.json', text);
  const read = (more: Partial<ReadAs> = {}): FilePrompt =>
    readPrompt(file, { isChat: false, isText: false, ...more });
  expect(() => read()).toThrow(`"${file}" looks like a request in JSON, but ${why}`);
  expect(() => read()).toThrow('With --text it is taken as plain text.');
  expect(read({ isText: true })).toMatchObject({ form: 'text', body: { prompt: text } });
});

test('the beginning of a file says as much as its name; --chat is not for requests', () => {
  const as = { isChat: false, isText: false };
  expect(() => readPrompt(promptFile('some.txt', '\n {"foo": 1}'), as)).toThrow('neither');
  expect(readPrompt(promptFile('list.txt', '[1]'), as).form).toBe('text');
  const tokensOnly = promptFile('tokens.json', '{"prompt": [1, 2], "messages": null}');
  expect(readPrompt(tokensOnly, as).form).toBe('completion request');
  expect(() => readPrompt(tokensOnly, { ...as, isChat: true })).toThrow('--chat is for text');
});

test('files that are no prompts, and fleets that cannot tokenize, are told in a sentence', async () => {
  const refused = async (file: string, ...args: string[]): Promise<string> => {
    const { code, stderr } = await baton('lookup', file, '--conductor', url, ...args);
    expect(code).toBe(1);
    return stderr.trim();
  };
  workers = [worker()];
  expect(await refused(path.join(home, 'none'))).toMatch(
    /^The prompt file ".*none" is not there\.$/,
  );
  mkdirSync(path.join(home, 'folder'));
  expect(await refused(path.join(home, 'folder'))).toMatch(/" is a folder\.$/);
  expect(await refused('/dev/zero')).toMatch(/"\/dev\/zero" is larger than \d+ MiB\.$/);
  const binary = promptFile('binary', Uint8Array.of(0xff, 0xfe));
  expect(await refused(binary)).toMatch(/is not UTF-8 text\.$/);
  expect(await refused(promptFile('empty', ''))).toMatch(/^The prompt file ".*empty" is empty\.$/);

  const file = promptFile('prompt', 'text');
  tokenized = { status: 400, body: { error: { message: 'the prompt is too long' } } };
  expect(await refused(file)).toBe(`${url}/tokenize answered 400: the prompt is too long`);
  tokenized = { status: 200, body: { tokens: ['a'] } };
  expect(await refused(file)).toBe('p1 made no tokens of the prompt.');
  workers = [worker({ model: 'a' }), worker({ model: 'b' })];
  expect(await refused(file)).toBe('There are several models: choose by --model: "a", "b".');
  expect(await refused(file, '--model', 'c')).toBe(
    'No ready worker has the model "c"; there is "a", "b".',
  );
  workers = [worker({ state: 'draining' })];
  expect(await refused(file)).toBe('No worker is ready, so nobody can tokenize the prompt.');
});
