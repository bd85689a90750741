import { connect } from 'node:net';
import { readStream, send } from '@baton/test-kit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { wordsFrom } from './testing/stand-in-answers.ts';
import {
  CHAT,
  chatBody,
  COMPLETION,
  completionBody,
  startTestFleet,
  type TestFleet,
} from './testing/test-fleet.ts';

const BODY_LIMIT = 20_000;
const WINDOW = 64;

let fleet: TestFleet;
beforeAll(async () => {
  fleet = await startTestFleet({
    config: { bodyLimitBytes: BODY_LIMIT, defaultOutputTokens: 10 },
    engine: { windowTokens: 4_096, words: 100 },
    maxModelTokens: WINDOW,
  });
});
afterEach(() => fleet.settled());
afterAll(() => fleet.stop());

interface Refusal {
  error: { message: string; type: string; param: string | null; code: string };
}

async function refusal(response: Response): Promise<Refusal['error'] & { status: number }> {
  expect(response.headers.get('content-type')).toContain('application/json');
  expect(response.headers.get('x-request-id')).toMatch(/^[\w-]+$/);
  const body = (await response.json()) as Refusal;
  expect(Object.keys(body)).toEqual(['error']);
  expect(Object.keys(body.error)).toEqual(['message', 'type', 'param', 'code']);
  return { ...body.error, status: response.status };
}

const kv = { kv_transfer_params: { do_remote_prefill: true } };

describe('a body that cannot be served is refused by name before any engine works on it', () => {
  test.each([
    [CHAT, chatBody({ n: 2 }), 'n', 'unsupported_parameter'],
    [CHAT, chatBody(kv), 'kv_transfer_params', 'unsupported_parameter'],
    [CHAT, chatBody({ kv_transfer_params: 'x' }), 'kv_transfer_params', 'unsupported_parameter'],
    [CHAT, chatBody({ vllm_xargs: kv }), 'vllm_xargs.kv_transfer_params', 'unsupported_parameter'],
    [
      CHAT,
      chatBody({ vllm_xargs: { remote_host: 'x' } }),
      'vllm_xargs.remote_host',
      'unsupported_parameter',
    ],
    [CHAT, chatBody({ bootstrap_room: 1 }), 'bootstrap_room', 'unsupported_parameter'],
    [CHAT, chatBody({ data_parallel_rank: 1 }), 'data_parallel_rank', 'unsupported_parameter'],
    [CHAT, chatBody({ request_id: 'x' }), 'request_id', 'unsupported_parameter'],
    [CHAT, chatBody({ stream_options: {} }), 'stream_options', 'unsupported_parameter'],
    [CHAT, chatBody({ modalities: ['audio'] }), 'modalities', 'unsupported_parameter'],
    [CHAT, chatBody({ functions: [] }), 'functions', 'unsupported_parameter'],
    [CHAT, chatBody({ cache_salt: 5 }), 'cache_salt', 'unsupported_parameter'],
    [CHAT, chatBody({ tools: [{ type: 'function' }] }), 'tools', 'unsupported_parameter'],
    [
      CHAT,
      chatBody({ tools: [{ type: 'function' }], tool_choice: 'required' }),
      'tools',
      'unsupported_parameter',
    ],
    [CHAT, chatBody({ tool_choice: 'required' }), 'tool_choice', 'unsupported_parameter'],
    [CHAT, chatBody({ tools: [], tool_choice: 'auto' }), 'tool_choice', 'unsupported_parameter'],
    [CHAT, chatBody({ function_call: 'auto' }), 'function_call', 'unsupported_parameter'],
    [CHAT, chatBody({ add_special_tokens: 1 }), 'add_special_tokens', 'unsupported_parameter'],
    [
      CHAT,
      chatBody({ truncate_prompt_tokens: 2 }),
      'truncate_prompt_tokens',
      'unsupported_parameter',
    ],
    [CHAT, chatBody({ seed: 2 ** 53 }), 'seed', 'invalid_request'],
    [CHAT, chatBody({ max_tokens: 0 }), 'max_tokens', 'invalid_request'],
    [CHAT, chatBody({ max_tokens: -5 }), 'max_tokens', 'invalid_request'],
    [CHAT, chatBody({ temperature: 'hot' }), 'temperature', 'invalid_request'],
    [CHAT, { ...chatBody(), messages: undefined }, 'messages', 'invalid_request'],
    [CHAT, { ...chatBody(), model: undefined }, 'model', 'invalid_request'],
    [CHAT, chatBody({ model: 'other' }), 'model', 'model_not_found'],
    [COMPLETION, completionBody(kv), 'kv_transfer_params', 'unsupported_parameter'],
    [COMPLETION, completionBody({ prompt: ['a', 'b'] }), 'prompt', 'unsupported_parameter'],
    [COMPLETION, completionBody({ prompt: [[1], [2]] }), 'prompt', 'unsupported_parameter'],
    [COMPLETION, completionBody({ echo: true }), 'echo', 'unsupported_parameter'],
    [COMPLETION, completionBody({ best_of: 2 }), 'best_of', 'unsupported_parameter'],
    [COMPLETION, completionBody({ suffix: 'x' }), 'suffix', 'unsupported_parameter'],
    [
      COMPLETION,
      completionBody({ prompt_logprobs: 1 }),
      'prompt_logprobs',
      'unsupported_parameter',
    ],
    [
      COMPLETION,
      completionBody({ truncate_prompt_tokens: -1 }),
      'truncate_prompt_tokens',
      'unsupported_parameter',
    ],
    [
      COMPLETION,
      completionBody({ prompt: [1], add_special_tokens: 'no' }),
      'add_special_tokens',
      'unsupported_parameter',
    ],
    [COMPLETION, completionBody({ prompt: [] }), 'prompt', 'invalid_request'],
    [COMPLETION, completionBody({ prompt: '' }), 'prompt', 'invalid_request'],
    [
      COMPLETION,
      completionBody({ prompt: 'x'.repeat(WINDOW) }),
      'prompt',
      'context_length_exceeded',
    ],
    [
      COMPLETION,
      completionBody({ prompt: Array.from({ length: WINDOW + 1 }, () => 1) }),
      'prompt',
      'context_length_exceeded',
    ],
    [COMPLETION, completionBody({ max_tokens: 60 }), 'max_tokens', 'context_length_exceeded'],
    [
      CHAT,
      chatBody({ max_completion_tokens: 60, max_tokens: 1 }),
      'max_completion_tokens',
      'context_length_exceeded',
    ],
  ])('%s %j', async (path, body, param, code) => {
    const error = await refusal(await send(fleet.url, path, body));
    const status = code === 'model_not_found' ? 404 : 400;
    expect(error).toMatchObject({ param, code, status });
    expect(fleet.engines.flatMap((engine) => engine.legs)).toEqual([]);
    expect(fleet.session.requests).toEqual([]);
  });
});

test('tools go to engines that can call them, and what asks for nothing goes everywhere', async () => {
  for (const more of [{ tools: [] }, { tool_choice: 'none' }, { tools: null, tool_choice: null }]) {
    expect((await send(fleet.url, CHAT, chatBody({ max_tokens: 1, ...more }))).status).toBe(200);
  }
  const able = await startTestFleet({ capabilities: { callTools: true } });
  const tools = [{ type: 'function', function: { name: 'f' } }];
  const body = chatBody({ tools, tool_choice: 'auto' });
  expect((await send(able.url, CHAT, body)).status).toBe(200);
  for (const leg of able.engines.flatMap((engine) => engine.legs)) {
    expect(leg.body).toMatchObject({ tools, tool_choice: 'auto' });
  }
  await able.settled();
  await able.stop();
});

describe('what clients say of a request in headers', () => {
  const ask = (headers: Record<string, string>): Promise<Response> =>
    send(fleet.url, COMPLETION, completionBody(), { headers });

  test.each([
    ['x-session-id', 'x'.repeat(257)],
    ['x-baton-tenant', 'x'.repeat(257)],
    ['x-baton-priority', '10'],
    ['x-baton-priority', '-1'],
    ['x-baton-priority', '1.5'],
    ['x-baton-priority', ''],
    ['x-baton-slo-ttft-ms', '0'],
    ['x-baton-slo-ttft-ms', '99'],
    ['x-baton-slo-ttft-ms', '600001'],
    ['x-baton-slo-ttft-ms', 'NaN'],
    ['x-baton-slo-ttft-ms', '1e3'],
    ['x-baton-slo-tbt-ms', '4'],
    ['x-baton-slo-tbt-ms', '10001'],
  ])('%s: "%s" is refused by name', async (header, value) => {
    fleet.session.requests.length = 0;
    const refused = await refusal(await ask({ [header]: value }));
    expect(refused).toMatchObject({ status: 400, param: header, code: 'invalid_request' });
    expect(refused.message).toMatch(new RegExp(`^The header ${header} must `));
    expect(fleet.session.requests).toEqual([]);
  });

  test('the conductor is told, and without headers that the request is like all others', async () => {
    fleet.session.requests.length = 0;
    await ask({});
    await ask({
      'x-session-id': 'chat 7',
      'x-baton-tenant': 'team-a',
      'x-baton-priority': '0',
      'x-baton-slo-ttft-ms': '2000',
      'x-baton-slo-tbt-ms': '50',
    });
    expect(fleet.session.requests.map(({ hints }) => hints)).toEqual([
      { sessionId: '', tenant: '', priority: 5, ttftSloMs: 0, tbtSloMs: 0 },
      { sessionId: 'chat 7', tenant: 'team-a', priority: 0, ttftSloMs: 2_000, tbtSloMs: 50 },
    ]);
  });
});

describe('what is no request of the API', () => {
  test.each([
    ['malformed JSON', '{"model":', 400, 'invalid_request'],
    ['an empty body', '', 400, 'invalid_request'],
    ['an array', '[]', 400, 'invalid_request'],
    ['a poisoned prototype', '{"__proto__":{"a":1}}', 400, 'invalid_request'],
    ['a body over the limit', `"${'x'.repeat(BODY_LIMIT)}"`, 413, 'body_too_large'],
  ])('%s', async (_name, body, status, code) => {
    const error = await refusal(await send(fleet.url, CHAT, body));
    expect(error).toMatchObject({ status, code, type: 'invalid_request_error' });
  });

  test('another content type, path or method', async () => {
    const headers = { 'content-type': 'text/plain' };
    const plain = await refusal(await send(fleet.url, CHAT, 'x', { headers }));
    expect(plain).toMatchObject({ status: 415, code: 'unsupported_media_type' });
    const nowhere = await refusal(await send(fleet.url, '/v1/embeddings', {}));
    expect(nowhere).toMatchObject({ status: 404, code: 'route_not_found' });
    const get = await fetch(fleet.url + CHAT);
    expect(get.headers.get('allow')).toBe('POST');
    expect(await refusal(get)).toMatchObject({ status: 405, code: 'method_not_allowed' });
    for (const path of ['/v1/%zz', '/v1/models/%zz', '/%']) {
      const bad = await fetch(fleet.url + path);
      expect(await refusal(bad)).toMatchObject({ status: 400, code: 'invalid_request' });
    }
    const long = await fetch(`${fleet.url}/v1/models/${'x'.repeat(600)}`);
    expect(await refusal(long)).toMatchObject({ status: 404, code: 'model_not_found' });
  });

  test.each([
    ['no HTTP', 'nonsense\r\n\r\n', 400, 'invalid_request'],
    [
      'endless headers',
      `GET / HTTP/1.1\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    [
      'two lengths',
      `POST ${CHAT} HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n`,
      400,
      'invalid_request',
    ],
    ['no host', `GET /health HTTP/1.1\r\nconnection: close\r\n\r\n`, 400, 'invalid_request'],
    [
      'an unknown expectation',
      `POST ${CHAT} HTTP/1.1\r\nhost: x\r\nexpect: more\r\nconnection: close\r\n` +
        'content-type: application/json\r\ncontent-length: 2\r\n\r\n{}',
      400,
      'invalid_request',
    ],
  ])('%s', async (_name, bytes, status, code) => {
    const socket = connect(Number(new URL(fleet.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(bytes);
    let answer = '';
    for await (const chunk of socket) answer += String(chunk);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toMatch(/\r\nx-request-id: [\w-]+\r\n/);
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({ error: { code } });
  });
});

test.each([
  ['ok-1.2:3', true],
  ['with space', false],
  ['x'.repeat(129), false],
  ['ü', false],
])('a request id of %j is taken: %s', async (id, taken) => {
  const headers = { 'x-request-id': Buffer.from(id, 'utf8').toString('latin1') };
  const response = await fetch(`${fleet.url}/v1/models`, { headers });
  const given = response.headers.get('x-request-id');
  if (taken) expect(given).toBe(id);
  else expect(given).toMatch(/^[0-9a-f-]{36}$/);
  await response.text();
});

test('without a limit an answer has what is left of the window, up to the default', async () => {
  const short = await (await send(fleet.url, COMPLETION, completionBody())).json();
  expect(short).toMatchObject({ usage: { completion_tokens: 10 } });
  const prompt = 'x'.repeat(WINDOW - 3);
  const long = await readStream(
    await send(fleet.url, COMPLETION, completionBody({ prompt, stream: true })),
  );
  expect(long.text).toBe(wordsFrom(0, 3));
});

test('models and health', async () => {
  const get = async (path: string) => {
    const response = await fetch(fleet.url + path);
    return [response.status, await response.json()];
  };
  const entry = {
    id: 'stand-in',
    object: 'model',
    created: expect.any(Number),
    owned_by: 'baton',
    max_model_len: WINDOW,
  };
  expect(await get('/v1/models')).toEqual([200, { object: 'list', data: [entry] }]);
  expect(await get('/v1/models/stand-in')).toEqual([200, entry]);
  expect(await get('/v1/models/a/b')).toMatchObject([404, { error: { param: 'model' } }]);
  const models = [{ model: 'stand-in', ready: true, workers: 4 }];
  expect(await get('/health')).toEqual([200, { status: 'ok', conductor: 'connected', models }]);
  fleet.session.connected = false;
  expect(await get('/health')).toMatchObject([503, { conductor: 'disconnected' }]);
  fleet.session.connected = true;
});

test('a model without ready workers, and a gateway that knows no model yet', async () => {
  const pool = fleet.deps.fleet.named('stand-in')?.pool;
  if (pool === undefined) throw new Error('the model is not known');
  fleet.deps.fleet.update([{ ...pool, workers: [], ready: false }], 0);
  const stopped = await refusal(await send(fleet.url, CHAT, chatBody()));
  expect(stopped).toMatchObject({ status: 503, code: 'no_worker' });
  expect((await fetch(`${fleet.url}/health`)).status).toBe(503);
  fleet.deps.fleet.update([], 0);
  expect(await refusal(await send(fleet.url, CHAT, chatBody()))).toMatchObject({ status: 503 });
  const workers = fleet.engines.map(({ workerId, url }) => ({ workerId, engineUrl: url }));
  fleet.deps.fleet.update([{ ...pool, workers, ready: true }], 0);
});

test('workers are named on loopback only, unless switched on', async () => {
  const names = async () => {
    const response = await send(fleet.url, CHAT, chatBody({ max_tokens: 1 }));
    await response.text();
    return response.headers.has('x-baton-prefill-worker');
  };
  const { config } = fleet.deps;
  expect(await names()).toBe(true);
  config.host = '0.0.0.0';
  expect(await names()).toBe(false);
  config.exposeWorkers = true;
  expect(await names()).toBe(true);
});
