import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { decode, encode } from '@msgpack/msgpack';
import { ScriptedEngine } from '@baton/engine-clients/testing';
import {
  eventually,
  startNatsServer,
  startService,
  type NatsServer,
  type ServiceProcess,
} from '@baton/test-kit';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

const BLOCK = 16;

let nats: NatsServer;
let conductor: ServiceProcess;
let url: string;
const engines: ScriptedEngine[] = [];
let instances = 0;

beforeAll(async () => {
  nats = await startNatsServer();
  const args = ['--nats-url', nats.url, '--grpc-port', '0', '--admin-port', '0'];
  conductor = await startService('conductor', 'conductor', args);
  url = conductor.endpoints['admin'] ?? '';
});
afterAll(async () => {
  await conductor?.stop();
  await nats?.stop();
});
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.kill();
  const { services } = (await get('/services')) as { services: { InstanceID: string }[] };
  for (const { InstanceID } of services) await post('/unregister', { instance_id: InstanceID });
});

interface Answer {
  status: number;
  body: Record<string, unknown>;
}

async function post(path: string, body: unknown, type = 'application/json'): Promise<Answer> {
  const bytes = type === 'application/json' ? JSON.stringify(body) : encode(body);
  const headers = { 'content-type': type };
  const response = await fetch(url + path, { method: 'POST', headers, body: bytes });
  expect(response.headers.get('content-type')).toContain(type);
  const answer = new Uint8Array(await response.arrayBuffer());
  const read =
    type === 'application/json' ? JSON.parse(Buffer.from(answer).toString()) : decode(answer);
  return { status: response.status, body: read as Record<string, unknown> };
}

async function get(path: string): Promise<Record<string, unknown>> {
  return (await (await fetch(url + path)).json()) as Record<string, unknown>;
}

/** An engine whose blocks are counted from 0; block n has the token n, and the name n + 1. */
class Follower {
  engine: ScriptedEngine;
  readonly instanceId = `i${(instances += 1)}`;
  readonly #block: number;

  private constructor(engine: ScriptedEngine, block: number) {
    this.engine = engine;
    this.#block = block;
  }

  static async start(block = BLOCK): Promise<Follower> {
    const engine = await ScriptedEngine.start();
    engines.push(engine);
    return new Follower(engine, block);
  }

  async register(fields: object = {}): Promise<void> {
    const { status, body } = await post('/register', {
      ...{ endpoint: this.engine.eventsEndpoint, replay_endpoint: this.engine.replayEndpoint },
      ...{ modelname: 'm', instance_id: this.instanceId, block_size: this.#block, type: 'vLLM' },
      ...fields,
    });
    expect({ status, body }).toEqual({
      status: 200,
      body: { status: 'registered successfully', instance_id: this.instanceId },
    });
  }

  /** Stores the blocks from `first` to `end` (exclusive) in one batch. */
  async store(first: number, end: number, how: { lose?: boolean } = {}): Promise<void> {
    await this.engine.publish(this.batch([this.stored(first, end)]), how);
  }

  stored(first: number, end: number): object {
    const blocks = Array.from({ length: end - first }, (_, i) => first + i);
    return {
      type: 'BlockStored',
      block_hashes: blocks.map((block) => block + 1),
      parent_block_hash: first === 0 ? null : first,
      token_ids: blocks.flatMap((block) => this.#tokens(block)),
      block_size: this.#block,
      medium: 'GPU',
    };
  }

  batch(events: readonly unknown[]): Uint8Array {
    return encode([1.5, events, 0]);
  }

  /** Tokens of a prompt of so many blocks that the conductor finds. */
  async matched(blocks: number): Promise<number> {
    const token_ids = Array.from({ length: blocks }, (_, i) => this.#tokens(i)).flat();
    const { body } = await post('/query', { model: 'm', token_ids, block_size: this.#block });
    const found = body['instances'] as Record<string, { longest_matched: number }>;
    return found[this.instanceId]?.longest_matched ?? -1;
  }

  async counters(): Promise<Record<string, number>> {
    const { services } = (await get('/services')) as { services: Record<string, unknown>[] };
    const service = services.find((one) => one['InstanceID'] === this.instanceId);
    return (service?.['Counters'] ?? {}) as Record<string, number>;
  }

  #tokens(block: number): number[] {
    return Array.from({ length: this.#block }, () => block);
  }
}

test('what an engine published before and after it was registered is found, in JSON and msgpack', async () => {
  const follower = await Follower.start();
  await follower.store(0, 3);
  await follower.register();
  await eventually(async () => (await follower.matched(8)) === 48);
  await follower.store(3, 8);
  await eventually(async () => (await follower.matched(8)) === 128);
  const query = { model: 'm', seq_hashes: [1, 2, 3] };
  const hit = { instances: { [follower.instanceId]: { longest_matched: 48, dp: { 0: 48 } } } };
  expect((await post('/query_by_hash', query)).body).toMatchObject(hit);
  expect((await post('/query_by_hash', query, 'application/msgpack')).body).toMatchObject(hit);
  const ids = Int32Array.from({ length: 48 }, (_, i) => Math.floor(i / BLOCK));
  const packed = { model: 'm', token_ids: new Uint8Array(ids.buffer) };
  expect((await post('/query', packed, 'application/msgpack')).body).toMatchObject(hit);
  expect(await get('/index')).toMatchObject({
    indexer: { context_count: 1, count: 1, services: [{ State: 'following' }] },
  });
});

test('an engine that is gone is not shown as if it were there', async () => {
  const follower = await Follower.start();
  await follower.register();
  await follower.store(0, 1);
  await eventually(async () => (await follower.matched(1)) === 16);
  const { engine } = follower;
  const { eventsEndpoint: events, replayEndpoint: replay } = engine;
  engines.splice(engines.indexOf(engine), 1);
  await engine.kill();
  const state = async (): Promise<unknown> => {
    const { services } = (await get('/services')) as { services: Record<string, unknown>[] };
    return services.find(({ InstanceID }) => InstanceID === follower.instanceId)?.['State'];
  };
  await eventually(async () => (await state()) === 'disconnected');
  engines.push(await ScriptedEngine.start({ events, replay }));
  await eventually(async () => (await state()) === 'following');
});

test('lost batches come by replay, the last one too', async () => {
  const follower = await Follower.start();
  await follower.register();
  await follower.store(0, 1);
  await eventually(async () => (await follower.matched(9)) === 16);
  await follower.store(1, 2, { lose: true });
  await follower.store(2, 3);
  await eventually(async () => (await follower.matched(9)) === 48);
  await follower.store(3, 9, { lose: true });
  await eventually(async () => (await follower.matched(9)) === 144);
  expect(await follower.counters()).toMatchObject({ resets: 0, unresolvedBlocks: 0 });
});

test('what the engine cannot tell again makes it begin with nothing, not with what was', async () => {
  const follower = await Follower.start();
  await follower.register({ replay_endpoint: undefined });
  await eventually(async () => {
    await follower.engine.publish(follower.batch([follower.stored(0, 2)]));
    return (await follower.matched(2)) === 32;
  });
  await follower.store(2, 3, { lose: true });
  await follower.store(0, 1);
  await eventually(async () => (await follower.matched(2)) === 16);
  expect((await follower.counters())['resets']).toBeGreaterThan(0);
});

test('an engine that restarts is followed from its new beginning', async () => {
  const follower = await Follower.start();
  await follower.register();
  await follower.store(0, 4);
  await eventually(async () => (await follower.matched(4)) === 64);
  engines.splice(engines.indexOf(follower.engine), 1);
  follower.engine = await follower.engine.restart();
  engines.push(follower.engine);
  await follower.store(0, 1);
  await eventually(async () => (await follower.matched(4)) === 16);
  expect(await follower.counters()).toMatchObject({ restarts: 1 });
});

test('two contexts of different block sizes, SGLang and vLLM, do not mix', async () => {
  const small = await Follower.start(16);
  const large = await Follower.start(64);
  await small.register();
  await large.register({ type: 'SGLang' });
  await small.store(0, 8);
  await large.engine.publish(
    encode([1.5, [['BlockStored', [-1], null, Array.from({ length: 64 }, () => 0), 64, null]], 0]),
  );
  await eventually(async () => (await small.matched(8)) === 128);
  await eventually(async () => (await large.matched(2)) === 64);
  expect(await get('/global_view')).toMatchObject({
    context_count: 2,
    contexts: [
      { block_size: 16, prefix_count: 8, instances: { [small.instanceId]: [0] } },
      { block_size: 64, prefix_count: 1, instances: { [large.instanceId]: [0] } },
    ],
  });
  const signed = { model: 'm', block_size: 64, block_hashes: [-1] };
  expect((await post('/query_by_hash', signed)).body).toMatchObject({
    instances: { [large.instanceId]: { gpu: 64 } },
  });
});

test('unregistering while events flow leaves nothing behind, and the next one begins afresh', async () => {
  const follower = await Follower.start();
  let isFlowing = true;
  const flowing = (async () => {
    for (let block = 0; isFlowing; block += 1) {
      await follower.store(block, block + 1);
      await sleep(1);
    }
  })();
  for (let round = 0; round < 5; round += 1) {
    await follower.register();
    await eventually(async () => (await follower.matched(1)) === 16);
    expect((await post('/unregister', { instance_id: follower.instanceId })).status).toBe(200);
    expect(await get('/global_view')).toEqual({ context_count: 0, contexts: [] });
    expect(await follower.matched(1)).toBe(-1);
  }
  isFlowing = false;
  await flowing;
  expect(conductor.hasExited()).toBe(false);
});

test('the room of an engine that leaves comes back, and it can be registered again at once', async () => {
  const [stays, goes] = [await Follower.start(), await Follower.start()];
  for (const follower of [stays, goes]) await follower.register();
  await goes.store(0, 2000);
  await eventually(async () => (await goes.matched(2000)) === 32_000);
  expect((await post('/unregister', { instance_id: goes.instanceId })).status).toBe(200);
  expect(await goes.matched(1)).toBe(-1);
  await eventually(async () => {
    const { contexts } = (await get('/global_view')) as { contexts: { prefix_count: number }[] };
    return contexts[0]?.prefix_count === 0;
  });
  await goes.register();
  await eventually(async () => (await goes.matched(2000)) === 32_000);
  expect((await post('/unregister', { instance_id: goes.instanceId })).status).toBe(200);
  await goes.register();
  await eventually(async () => (await goes.matched(2000)) === 32_000);
});

test('an engine whose blocks have another size is marked', async () => {
  const follower = await Follower.start();
  await follower.register({ block_size: 24 });
  await follower.store(0, 1);
  await eventually(async () => (await follower.counters())['malformed'] === 1);
  const query = { model: 'm', token_ids: Array.from({ length: 64 }, () => 0) };
  expect((await post('/query', query)).body).toMatchObject({
    warnings: [{ instance_id: follower.instanceId, reason: 'block_size_mismatch' }],
  });
});

test('the examples of the page do what it says', async () => {
  const page = await readFile(path.join(import.meta.dirname, '../../docs/indexer-api.md'), 'utf8');
  const examples = [...page.matchAll(/^curl -s localhost:7071(\S+) .*-d '([^']+)'\n(.+)$/gm)];
  expect(examples).toHaveLength(2);
  for (const [, route = '', body = '', answer = ''] of examples) {
    const said = await post(route, JSON.parse(body) as object);
    expect(said).toEqual({ status: 200, body: JSON.parse(answer) as object });
  }
  await post('/unregister', { instance_id: 'engine-a' });
});

test('long prompts fit, longer bodies are refused with the limit', async () => {
  const token_ids = Array.from({ length: 131_072 }, (_, i) => i);
  expect(await post('/query', { model: 'm', token_ids })).toEqual({
    status: 200,
    body: { instances: {} },
  });
  // Only announced: whoever goes on sending it may see the connection close instead.
  const request = http.request(`${url}/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': 17 * 1024 * 1024 },
  });
  request.on('error', () => {});
  request.flushHeaders();
  const [answer] = (await once(request, 'response')) as [http.IncomingMessage];
  expect([answer.statusCode, JSON.parse(Buffer.concat(await answer.toArray()).toString())]).toEqual(
    [413, { error: 'the body may have at most 16777216 bytes', reason: 'too_large' }],
  );
  request.destroy();
});

test('a body whose length nobody announced is refused once it is too long, and the indexer lives on', async () => {
  const request = http.request(`${url}/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
  });
  request.on('error', () => {});
  const answered = once(request, 'response') as Promise<[http.IncomingMessage]>;
  for (let i = 0; i < 17; i++) request.write(Buffer.alloc(1024 * 1024, 0x20));
  const [answer] = await answered;
  expect([answer.statusCode, answer.headers.connection]).toEqual([413, 'close']);
  request.destroy();
  const next = await fetch(`${url}/services`);
  expect([next.status, next.headers.get('keep-alive')]).toEqual([200, 'timeout=72']);
});

test('bodies that are never finished cannot take all memory, and give back what they had', async () => {
  const piece = Buffer.alloc(1024 * 1024, 0x20);
  const statuses: (number | undefined)[] = [];
  const answers: http.IncomingMessage[] = [];
  const requests = Array.from({ length: 20 }, () => {
    const request = http.request(`${url}/query`, { method: 'POST', agent: false });
    request.on('error', () => {});
    request.on('response', (answer: http.IncomingMessage) => {
      statuses.push(answer.statusCode);
      answers.push(answer);
    });
    for (let i = 0; i < 15; i += 1) request.write(piece);
    return request;
  });
  await eventually(() => statuses.length >= 3);
  expect(new Set(statuses)).toEqual(new Set([503]));
  const [answer] = answers as [http.IncomingMessage];
  expect([answer.headers['retry-after'], answer.headers.connection]).toEqual(['1', 'close']);
  expect(JSON.parse(Buffer.concat(await answer.toArray()).toString())).toMatchObject({
    reason: 'busy',
  });
  for (const request of requests) request.destroy();
  const token_ids = Array.from({ length: 1_000_000 }, () => 1_000_000);
  await eventually(async () => (await post('/query', { model: 'm', token_ids })).status === 200);
});

test('a body in pieces of a byte is read', async () => {
  const request = http.request(`${url}/query`, { method: 'POST' });
  const body = JSON.stringify({ model: 'm', token_ids: Array.from({ length: 500 }, () => 1) });
  for (const char of body) request.write(char);
  request.end();
  const [answer] = (await once(request, 'response')) as [http.IncomingMessage];
  expect(JSON.parse(Buffer.concat(await answer.toArray()).toString())).toEqual({ instances: {} });
});

test('HTTP is spoken as others speak it', async () => {
  const ask = async (options: http.RequestOptions, body = ''): Promise<http.IncomingMessage> => {
    const request = http.request(url, options).end(body);
    const [answer] = (await once(request, 'response')) as [http.IncomingMessage];
    answer.resume();
    return answer;
  };
  const head = await ask({ method: 'HEAD', path: '/services' });
  const length = (await (await fetch(`${url}/services`)).text()).length;
  expect([head.statusCode, head.headers['content-length']]).toEqual([200, String(length)]);
  for (const path of [`${url}/services`, 'HTTP://elsewhere/services?x', `${url}/health`]) {
    expect((await ask({ path })).statusCode).toBe(200);
  }
  expect((await ask({ path: `${url}?services` })).statusCode).toBe(404);
  const put = await ask({ method: 'PUT', path: '/query' });
  expect([put.statusCode, put.headers.allow]).toEqual([405, 'POST']);
  const headers = { 'content-encoding': 'gzip' };
  expect((await ask({ method: 'POST', path: '/query', headers }, '{}')).statusCode).toBe(415);
});

test('what is wrong with a request is said in the API’s own form', async () => {
  expect(await post('/register', { endpoint: 'tcp://h:1', block_size: 0 })).toMatchObject({
    status: 400,
    body: { reason: 'missing', field: 'modelname' },
  });
  expect(await post('/services', {})).toMatchObject({
    status: 405,
    body: { reason: 'method_not_allowed' },
  });
  const empty = await fetch(`${url}/query`, { method: 'POST' });
  expect([empty.status, await empty.json()]).toMatchObject([400, { reason: 'invalid_json' }]);
  const put = await fetch(`${url}/query`, { method: 'PUT', body: '{}' });
  expect(put.status).toBe(405);
});
