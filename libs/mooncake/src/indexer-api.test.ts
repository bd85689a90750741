import { decode, encode, ExtData } from '@msgpack/msgpack';
import { describe, expect, test } from 'vitest';
import { IndexerApi } from './api.ts';
import { indexerLimits } from './limits.ts';
import { batch, FollowedEngines, removed, stored } from './testing/followed-engines.ts';

const endpoint = 'tcp://10.0.0.1:5557';
const registration = {
  endpoint,
  type: 'vLLM',
  modelname: 'm',
  instance_id: 'engine-a',
  block_size: 4,
  dp_rank: 0,
};
const tokens = [1, 2, 3, 4, 5, 6, 7, 8];
const hashes = [2164874634404590027n, 17270480062156288726n];

function following(
  changes: object = {},
  options: ConstructorParameters<typeof FollowedEngines>[0] = {},
): FollowedEngines {
  const engines = new FollowedEngines(options);
  const answer = engines.post('/register', { ...registration, ...changes });
  expect(answer).toEqual({
    status: 200,
    body: { status: 'registered successfully', instance_id: expect.any(String) as string },
  });
  return engines;
}

const eightTokens = (): FollowedEngines => {
  const engines = following();
  engines.publish(endpoint, stored({ hashes, tokens, blockSize: 4 }));
  return engines;
};

describe('answers', () => {
  const held = { longest_matched: 8, gpu: 8, cpu: 8, disk: 8 };

  test('in the form of the branch: instances, with zeros for those that have nothing', () => {
    const engines = eightTokens();
    engines.post('/register', { ...registration, endpoint: 'tcp://h:1', instance_id: 'engine-b' });
    expect(engines.post('/query', { model: 'm', token_ids: tokens }).body).toEqual({
      instances: {
        'engine-a': { ...held, dp: { 0: 8 }, rank_matches: { 0: { gpu: 8, cpu: 8, disk: 8 } } },
        'engine-b': {
          ...{ longest_matched: 0, gpu: 0, cpu: 0, disk: 0, dp: { 0: 0 } },
          rank_matches: { 0: { gpu: 0, cpu: 0, disk: 0 } },
        },
      },
    });
  });

  test('in the form of the HTTP reference: tenants, upper-case names', () => {
    const engines = following({}, { answers: 'mooncake-main' });
    engines.publish(endpoint, stored({ hashes, tokens, blockSize: 4 }));
    expect(engines.post('/query', { model: 'm', token_ids: tokens }).body).toEqual({
      default: { 'engine-a': { longest_matched: 8, GPU: 8, DP: { 0: 8 }, CPU: 8, DISK: 8 } },
    });
    expect(engines.post('/query', { model: 'other', token_ids: tokens }).body).toEqual({});
  });

  test("in the form of Dynamo's indexer: scores, and only those that have something", () => {
    const engines = following({ instance_id: 2 }, { answers: 'dynamo' });
    engines.post('/register', { ...registration, endpoint: 'tcp://h:1', instance_id: 3 });
    engines.publish(endpoint, stored({ hashes, tokens, blockSize: 4 }));
    expect(engines.post('/query', { model_name: 'm', token_ids: tokens }).body).toEqual({
      scores: { 2: { 0: 8 } },
      frequencies: [],
      instances: { 2: { ...held, dp: { 0: 8 } } },
    });
  });

  test('a context that is not known, or an empty prompt, finds nothing', () => {
    const engines = eightTokens();
    const none = { status: 200, body: { instances: {} } };
    for (const other of [
      { model: 'n' },
      { model: 'm', tenant_id: 't' },
      { model: 'm', block_size: 8 },
      { model: 'm', instance_id: 'engine-z' },
    ]) {
      expect(engines.post('/query', { token_ids: tokens, ...other })).toEqual(none);
    }
    const empty = engines.post('/query', { model: 'm', token_ids: [] }).body;
    expect(empty).toMatchObject({ instances: { 'engine-a': { longest_matched: 0 } } });
  });

  test('only whole blocks count, and never more than the prompt has', () => {
    const engines = eightTokens();
    const matched = (count: number): unknown =>
      engines.post('/query', { model: 'm', token_ids: tokens.slice(0, count) }).body;
    for (const [count, expected] of [
      [3, 0],
      [4, 4],
      [7, 4],
      [8, 8],
    ] as const) {
      expect(matched(count)).toMatchObject({
        instances: { 'engine-a': { longest_matched: expected } },
      });
    }
  });
});

describe('scopes', () => {
  test('a query for an adapter finds what the engine says of that adapter', () => {
    const engines = eightTokens();
    engines.publish(
      endpoint,
      stored({ hashes: [9n, 10n], tokens: [9, 9, 9, 9, 8, 8, 8, 8], blockSize: 4, lora: 'sql' }),
    );
    const longest = (query: object): unknown => {
      const { body } = engines.post('/query', { model: 'm', ...query });
      return (body['instances'] as Record<string, { longest_matched: number }>)['engine-a']
        ?.longest_matched;
    };
    expect(longest({ token_ids: [9, 9, 9, 9], lora_name: 'sql' })).toBe(4);
    expect(longest({ token_ids: [9, 9, 9, 9] })).toBe(0);
    expect(longest({ token_ids: tokens, lora_name: 'sql' })).toBe(0);
    expect(longest({ token_ids: tokens, lora_name: '' })).toBe(8);
    expect(longest({ token_ids: tokens, lora_name: null })).toBe(8);
  });

  test('a registration for an adapter answers for that adapter alone, and counts the others', () => {
    const engines = following({ lora_name: 'sql' });
    engines.publish(
      endpoint,
      stored({ hashes: [1n], tokens: [1, 1, 1, 1], blockSize: 4, lora: 'sql' }),
      stored({ hashes: [2n], tokens: [2, 2, 2, 2], blockSize: 4 }),
    );
    const query = (token_ids: number[], lora_name?: string): unknown =>
      engines.post('/query', { model: 'm', token_ids, lora_name }).body;
    expect(query([1, 1, 1, 1], 'sql')).toMatchObject({ instances: { 'engine-a': { gpu: 4 } } });
    expect(query([2, 2, 2, 2], 'sql')).toMatchObject({ instances: { 'engine-a': { gpu: 0 } } });
    expect(query([2, 2, 2, 2])).toEqual({ instances: {} });
    expect(engines.get('/services').body).toMatchObject({
      services: [{ LoraName: 'sql', Counters: { otherAdapters: 1 } }],
    });
  });

  test('an SGLang engine says nothing of adapters: the registration does', () => {
    const engines = following({ type: 'sglang', lora_name: 'sql' });
    engines
      .source(endpoint)
      .onPayload(
        batch([['BlockStored', [-5n], null, [1, 1, 1, 1], 4, null, 'GPU', { cache_salt: 's' }]]),
      );
    const query = (fields: object): unknown =>
      engines.post('/query', { model: 'm', token_ids: [1, 1, 1, 1], ...fields }).body;
    const hit = { instances: { 'engine-a': { gpu: 4 } } };
    expect(query({ lora_name: 'sql', cache_salt: 's' })).toMatchObject(hit);
    expect(query({ lora_name: 'sql' })).not.toMatchObject(hit);
    expect(query({ cache_salt: 's' })).not.toMatchObject(hit);
  });

  test('salts of requests and of publishers keep blocks apart', () => {
    const engines = following({ additionalsalt: 'w8a8' });
    const salted = { hashes: [1n], tokens: [1, 1, 1, 1], blockSize: 4, extraKeys: [['tenant-a']] };
    engines.publish(
      endpoint,
      stored(salted),
      stored({ hashes: [2n], tokens: [2, 2, 2, 2], blockSize: 4 }),
    );
    const gpu = (token: number, salts: object): unknown => {
      const token_ids = Array.from({ length: 4 }, () => token);
      const { body } = engines.post('/query', { model: 'm', token_ids, ...salts });
      return (body['instances'] as Record<string, { gpu: number }>)['engine-a']?.gpu;
    };
    expect(gpu(2, { cache_salt: 'w8a8' })).toBe(4);
    expect(gpu(2, { additional_salt: 'w8a8' })).toBe(4);
    expect(gpu(2, {})).toBe(0);
    expect(gpu(1, { cache_salt: 'tenant-a', additionalsalt: 'w8a8' })).toBe(4);
    expect(gpu(1, { cache_salt: 'tenant-a' })).toBe(0);
    expect(gpu(1, { cache_salt: 'tenant-b', additionalsalt: 'w8a8' })).toBe(0);
  });

  test('contexts of two block sizes answer side by side, or each by itself', () => {
    const engines = eightTokens();
    engines.post('/register', {
      ...{ ...registration, endpoint: 'tcp://h:8', instance_id: 'engine-8', block_size: 8 },
    });
    engines.publish('tcp://h:8', stored({ hashes: [77n], tokens, blockSize: 8 }));
    const asked = (query: object): string[] => {
      const { body } = engines.post('/query', { model: 'm', token_ids: tokens, ...query });
      return Object.entries(body['instances'] as Record<string, { gpu: number }>).map(
        ([id, { gpu }]) => `${id} ${gpu}`,
      );
    };
    expect(asked({})).toEqual(['engine-a 8', 'engine-8 8']);
    expect(asked({ block_size: 8 })).toEqual(['engine-8 8']);
    expect(asked({ block_size: 4, instance_id: 'engine-8' })).toEqual([]);
    expect(engines.get('/global_view').body).toMatchObject({
      context_count: 2,
      contexts: [
        { block_size: 4, prefix_count: 2, instances: { 'engine-a': [0] } },
        { block_size: 8, prefix_count: 1, instances: { 'engine-8': [0] } },
      ],
    });
  });

  test.each(['__proto__', 'constructor', 'a|b', '"', '\0\n\u{1f600}', ' ', '模型', '\ud800'])(
    'model and instance %j are names like any other',
    (name) => {
      const engines = following({ modelname: name, instance_id: name, tenant_id: name });
      engines.publish(endpoint, stored({ hashes, tokens, blockSize: 4 }));
      const query = { model: name, tenant_id: name, token_ids: tokens };
      const { body } = engines.post('/query', query);
      const instances = body['instances'] as object;
      expect(Object.keys(instances)).toEqual([name]);
      expect(Object.getOwnPropertyDescriptor(instances, name)?.value).toMatchObject({ gpu: 8 });
      expect(engines.post('/query', { ...query, model: `${name} ` }).body).toEqual({
        instances: {},
      });
      expect(engines.post('/unregister', { instance_id: name, tenant_id: name }).body).toEqual({
        status: 'unregistered successfully',
        removed_instances: [`${name}|${name}|0`],
      });
    },
  );
});

describe('queries by hash', () => {
  const byHash = (engines: FollowedEngines, list: string, field = 'seq_hashes'): unknown =>
    engines.post('/query_by_hash', `{"model":"m","${field}":[${list}]}`).body;
  const gpu = (tokens: number): object => ({ instances: { 'engine-a': { gpu: tokens } } });

  test("the engine's own hashes name its blocks, signed or not, under any of the field's names", () => {
    const engines = eightTokens();
    expect(byHash(engines, hashes.join())).toMatchObject(gpu(8));
    const signed = hashes.map((hash) => BigInt.asIntN(64, hash)).join();
    expect(byHash(engines, signed, 'block_hashes')).toMatchObject(gpu(8));
    expect(byHash(engines, `"${hashes[0]}", 5`, 'block_hash')).toMatchObject(gpu(4));
    expect(byHash(engines, '5')).toMatchObject(gpu(0));
    engines.publish(endpoint, removed([hashes[1] ?? 0n]));
    expect(byHash(engines, hashes.join())).toMatchObject(gpu(4));
  });

  test('whoever holds a block is found, whatever the name that it gave', () => {
    const engines = eightTokens();
    engines.post('/register', { ...registration, endpoint: 'tcp://h:1', instance_id: 'engine-b' });
    engines.publish('tcp://h:1', stored({ hashes: [1n, 2n], tokens, blockSize: 4 }));
    expect(byHash(engines, '1,2')).toMatchObject({
      instances: { 'engine-a': { gpu: 8 }, 'engine-b': { gpu: 8 } },
    });
  });

  test("hashes of tokens alone, as Dynamo's clients send them, are refused and not silently unknown", () => {
    const engines = following({}, { answers: 'dynamo' });
    engines.publish(endpoint, stored({ hashes, tokens, blockSize: 4 }));
    expect(engines.post('/query_by_hash', { model_name: 'm', block_hashes: [1] })).toMatchObject({
      status: 400,
      body: { reason: 'unsupported', field: 'block_hashes' },
    });
    expect(byHash(engines, hashes.join())).toMatchObject({ scores: { 'engine-a': { 0: 8 } } });
  });

  test('binary hashes come in msgpack', () => {
    const engines = following();
    const names = [1, 2].map((byte) => new Uint8Array(32).fill(byte));
    engines.publish(endpoint, stored({ hashes: names, tokens, blockSize: 4 }));
    const body = encode({ model: 'm', seq_hashes: names });
    const answer = engines.api.answer({
      ...{ method: 'POST', path: '/query_by_hash', contentType: 'application/msgpack' },
      ...{ accept: undefined, body },
    });
    expect(answer.headers['content-type']).toBe('application/msgpack');
    expect(decode(answer.body as Uint8Array)).toMatchObject(gpu(8));
  });
});

test('where hashes are the low 64 bits of digests, whole digests are shortened', () => {
  const profile = { strategy: 's', algorithm: 'a', python_hash_seed: '0' };
  const engines = following({ hash_profile: { ...profile, index_projection: 'low64_be' } });
  const digests = [1, 2].map((byte) => new Uint8Array(32).fill(byte));
  engines.publish(endpoint, stored({ hashes: digests, tokens, blockSize: 4 }));
  const hit = { instances: { 'engine-a': { gpu: 8 } } };
  const lists = [digests, [0x0101010101010101n, 0x0202020202020202n]];
  for (const seq_hashes of lists) {
    const body = encode({ model: 'm', seq_hashes }, { useBigInt64: true });
    expect(engines.send('/query_by_hash', body, 'application/msgpack').body).toMatchObject(hit);
  }
});

describe('registering', () => {
  test('the same once more changes nothing; a contradiction names the field', () => {
    const engines = eightTokens();
    expect(engines.post('/register', registration).status).toBe(200);
    expect(engines.post('/query', { model: 'm', token_ids: tokens }).body).toMatchObject({
      instances: { 'engine-a': { gpu: 8 } },
    });
    for (const [field, value] of [
      ['endpoint', 'tcp://10.0.0.2:5557'],
      ['replay_endpoint', 'tcp://10.0.0.1:5558'],
      ['type', 'SGLang'],
      ['modelname', 'n'],
      ['lora_name', 'l'],
      ['block_size', 8],
      ['cache_group', 0],
      ['additionalsalt', 'w8a8'],
    ] as const) {
      expect(engines.post('/register', { ...registration, [field]: value })).toMatchObject({
        status: 409,
        body: { reason: 'conflict', field, error: expect.stringContaining(field) as string },
      });
    }
  });

  test('a rank, a tenant and an instance of its own each', () => {
    const engines = following();
    for (const [i, other] of [{ dp_rank: 1 }, { tenant_id: 't' }, { instance_id: 'b' }].entries()) {
      const request = { ...registration, endpoint: `tcp://h:${i + 1}`, ...other };
      expect(engines.post('/register', request).status).toBe(200);
    }
    expect(engines.get('/services').body).toMatchObject({ count: 4 });
    engines.publish('tcp://h:1', stored({ hashes, tokens, blockSize: 4 }));
    expect(engines.post('/query', { model: 'm', token_ids: tokens }).body).toMatchObject({
      instances: { 'engine-a': { longest_matched: 8, dp: { 0: 0, 1: 8 } } },
    });
    const again = { ...registration, instance_id: 'c' };
    expect(engines.post('/register', again)).toMatchObject({
      status: 409,
      body: { reason: 'conflict', field: 'endpoint' },
    });
  });

  test('engines of one context have one hash profile', () => {
    const profile = {
      strategy: 'vllm_v1',
      algorithm: 'sha256_cbor',
      python_hash_seed: '0',
      index_projection: 'low64_be',
    };
    const engines = following({ hash_profile: profile });
    const other = { ...registration, endpoint: 'tcp://h:1', instance_id: 'b' };
    expect(
      engines.post('/register', { ...other, hash_profile: { ...profile, python_hash_seed: '1' } }),
    ).toMatchObject({ status: 409, body: { field: 'hash_profile.python_hash_seed' } });
    expect(engines.post('/register', other).status).toBe(200);
    expect(engines.get('/global_view').body).toMatchObject({
      contexts: [{ hash_profile: profile }],
    });
    expect(
      engines.post('/register', { ...other, instance_id: 'c', hash_profile: { strategy: 'x' } }),
    ).toMatchObject({ status: 400, body: { reason: 'missing', field: 'hash_profile.algorithm' } });
    expect(
      engines.post('/register', { ...other, instance_id: 'c', hash_profile: { seed: '1' } }),
    ).toMatchObject({
      status: 400,
      body: { reason: 'unknown_field', field: 'hash_profile.seed' },
    });
  });

  test('unregistering takes everything out at once; what still comes is nobody any more', () => {
    const engines = eightTokens();
    const { onPayload, onReset } = engines.source(endpoint);
    expect(engines.post('/unregister', { instance_id: 'engine-a', dp_rank: 0 })).toEqual({
      status: 200,
      body: { status: 'unregistered successfully', removed_instances: ['engine-a|default|0'] },
    });
    expect(engines.closed).toEqual([endpoint]);
    onPayload(batch([stored({ hashes, tokens, blockSize: 4 })]));
    onReset();
    expect(engines.post('/query', { model: 'm', token_ids: tokens }).body).toEqual({
      instances: {},
    });
    expect(engines.get('/global_view').body).toEqual({ context_count: 0, contexts: [] });
    expect(engines.post('/unregister', { instance_id: 'engine-a' })).toMatchObject({
      status: 404,
      body: { reason: 'not_found', field: 'instance_id' },
    });
    // Registered again it begins with nothing.
    engines.post('/register', registration);
    expect(engines.post('/query', { model: 'm', token_ids: tokens }).body).toMatchObject({
      instances: { 'engine-a': { gpu: 0 } },
    });
  });

  test('all ranks go where none is named, and a wrong description removes nothing', () => {
    const engines = following();
    engines.post('/register', { ...registration, endpoint: 'tcp://h:1', dp_rank: 1 });
    const name = { instance_id: 'engine-a', type: 'vLLM', modelname: 'm' };
    expect(engines.post('/unregister', { ...name, block_size: 16 })).toMatchObject({
      status: 409,
      body: { reason: 'conflict', field: 'block_size' },
    });
    expect(engines.post('/unregister', { ...name, block_size: 4 }).body).toMatchObject({
      removed_instances: ['engine-a|default|0', 'engine-a|default|1'],
    });
  });

  test('there are limits', () => {
    const engines = following({}, { limits: { maxPublishers: 2, maxContexts: 1 } });
    const second = { ...registration, endpoint: 'tcp://h:1', instance_id: 'b' };
    expect(engines.post('/register', { ...second, block_size: 8 })).toMatchObject({
      status: 429,
      body: { reason: 'limit', error: expect.stringContaining('at most 1 contexts') as string },
    });
    expect(engines.post('/register', second).status).toBe(200);
    const third = { ...registration, endpoint: 'tcp://h:2', instance_id: 'c' };
    expect(engines.post('/register', third)).toMatchObject({
      status: 429,
      body: { error: 'at most 2 publishers can be registered' },
    });
  });
});

describe('bad requests', () => {
  test.each([
    [{ block_size: 0 }, 'out_of_range', 'block_size'],
    [{ block_size: -16 }, 'out_of_range', 'block_size'],
    [{ block_size: 1.5 }, 'invalid_type', 'block_size'],
    [{ block_size: '16' }, 'invalid_type', 'block_size'],
    [{ block_size: 2 ** 64 }, 'out_of_range', 'block_size'],
    [{ block_size: null }, 'missing', 'block_size'],
    [{ dp_rank: -1 }, 'out_of_range', 'dp_rank'],
    [{ dp_rank: 2 ** 64 }, 'out_of_range', 'dp_rank'],
    [{ cache_group: 1 }, 'unsupported', 'cache_group'],
    [{ type: 'TensorRT' }, 'invalid_value', 'type'],
    [{ type: 'Mooncake' }, 'unsupported', 'type'],
    [{ modelname: '' }, 'invalid_value', 'modelname'],
    [{ modelname: null }, 'missing', 'modelname'],
    [{ modelname: 7 }, 'invalid_type', 'modelname'],
    [{ modelname: 'x'.repeat(1025) }, 'out_of_range', 'modelname'],
    [{ model_name: 'm' }, 'invalid_value', 'model_name'],
    [{ instance_id: true }, 'invalid_type', 'instance_id'],
    [{ instance_id: 2 ** 64 }, 'invalid_value', 'instance_id'],
    [{ instance_id: -5 }, 'invalid_value', 'instance_id'],
    [{ instance_id: null }, 'missing', 'instance_id'],
    [{ endpoint: 'http://h:1' }, 'invalid_value', 'endpoint'],
    [{ endpoint: 'tcp://*:5557' }, 'invalid_value', 'endpoint'],
    [{ endpoint: 'tcp://h:0' }, 'invalid_value', 'endpoint'],
    [{ endpoint: 'tcp://h:65536' }, 'invalid_value', 'endpoint'],
    [{ endpoint: undefined }, 'missing', 'endpoint'],
    [{ replay_endpoint: 'tcp://h' }, 'invalid_value', 'replay_endpoint'],
    [{ hash_profile: 'sha256' }, 'invalid_type', 'hash_profile'],
    [{ hash_profile: ['sha256'] }, 'invalid_type', 'hash_profile'],
    [{ hash_profile: { strategy: 5 } }, 'invalid_type', 'hash_profile.strategy'],
    [{ hash_profile: { strategy: '' } }, 'invalid_value', 'hash_profile.strategy'],
    [{ hash_profile: { strategy: null } }, 'missing', 'hash_profile.strategy'],
    [{ blocksize: 16 }, 'unknown_field', 'blocksize'],
  ])('/register with %j', (change, reason, field) => {
    const engines = new FollowedEngines();
    const { status, body } = engines.post('/register', { ...registration, ...change });
    expect(status).toBe(400);
    expect(body).toMatchObject({ reason, field, error: expect.stringContaining(field) as string });
    expect(engines.get('/services').body).toEqual({ count: 0, services: [] });
  });

  test.each([
    [{}, 'missing', 'model'],
    [{ model: 'm' }, 'missing', 'token_ids'],
    [{ model: 'm', token_ids: 'abc' }, 'not_array', 'token_ids'],
    [{ model: 'm', token_ids: null }, 'not_array', 'token_ids'],
    [{ model: 'm', model_name: 'm', token_ids: [] }, 'invalid_value', 'model_name'],
    [{ model: 'm', token_ids: [], block_size: 0 }, 'out_of_range', 'block_size'],
    [{ model: 'm', token_ids: [], cache_salt: 5 }, 'invalid_type', 'cache_salt'],
    [{ model: 'm', token_ids: [], lora_name: 'a', lora_id: 1 }, 'invalid_value', 'lora_id'],
    [{ model: 'm', token_ids: [], seq_hashes: [] }, 'unknown_field', 'seq_hashes'],
  ])('/query with %j', (query, reason, field) => {
    const { status, body } = new FollowedEngines().post('/query', query);
    expect(status).toBe(400);
    expect(body).toMatchObject({ reason, field });
  });

  test('instances are numbers from 0 on', () => {
    const { body } = new FollowedEngines().post('/register', { ...registration, instance_id: -5 });
    expect(body['error']).toBe('instance_id must be text or a whole number from 0 to 2^53 - 1');
  });

  test.each([
    [['m'], 'invalid_type', 'not an array'],
    [{ a: [{ b: 1 }] }, 'invalid_type', 'not an object'],
    [new Uint8Array(3), 'invalid_type', 'not a byte string'],
    [new ExtData(1, new Uint8Array(3)), 'invalid_type', 'not an extension type'],
    [new Date(0), 'invalid_type', 'not an extension type'],
    ['x'.repeat(70_000), 'out_of_range', 'model must have at most 65536 bytes'],
    [Array.from({ length: 70_000 }, () => 1), 'out_of_range', 'at most 65536 bytes'],
  ])('the field is named where msgpack has something else in it, case %#', (model, reason, why) => {
    const bytes = encode({ model, token_ids: [] });
    const answer = new FollowedEngines().send('/query', bytes, 'application/msgpack');
    expect(answer).toMatchObject({ status: 400, body: { reason, field: 'model' } });
    expect(answer.body['error']).toContain(why);
  });

  test('paths and methods', () => {
    const engines = new FollowedEngines();
    expect(engines.post('/services', {})).toMatchObject({
      status: 405,
      body: { reason: 'method_not_allowed', error: '/services takes GET, not POST' },
    });
    expect(engines.get('/query')).toMatchObject({ status: 405 });
    expect(engines.post('/nothing', {})).toMatchObject({ status: 404 });
    expect(engines.send('/query', Buffer.from('a=b'), 'text/plain')).toMatchObject({
      status: 415,
      body: { reason: 'unsupported_media_type' },
    });
  });
});

test('HTTP: HEAD is as GET, Allow says what is, and nobody sends what is packed', () => {
  const { api } = eightTokens();
  const request = { path: '/services', contentType: undefined, accept: undefined, body: undefined };
  expect(api.answer({ ...request, method: 'HEAD' })).toEqual(
    api.answer({ ...request, method: 'GET' }),
  );
  const allowed = (method: string, path: string): unknown => {
    const { status, headers } = api.answer({ ...request, method, path });
    return [status, headers['allow']];
  };
  expect(allowed('POST', '/services')).toEqual([405, 'GET, HEAD']);
  expect(allowed('HEAD', '/query')).toEqual([405, 'POST']);
  expect(allowed('GET', '/query')).toEqual([405, 'POST']);
  expect(allowed('GET', '/nothing')).toEqual([404, undefined]);
  const body = Buffer.from('{"model":"m","token_ids":[]}');
  const query = { ...request, method: 'POST', path: '/query', body };
  expect(api.answer({ ...query, contentEncoding: 'gzip' })).toMatchObject({
    status: 415,
    body: expect.stringContaining('without a content encoding') as string,
  });
  expect(api.answer({ ...query, contentEncoding: 'Identity' }).status).toBe(200);
});

test('a fault of ours is told to its owner, and the client hears only that there was one', () => {
  const fault = new Error('no descriptor left');
  const api = new IndexerApi({
    answers: 'mooncake',
    limits: indexerLimits,
    openFeed: () => {
      throw fault;
    },
    onFault: (error) => expect(error).toBe(fault),
  });
  const body = Buffer.from(JSON.stringify(registration));
  const request = { method: 'POST', path: '/register', contentType: undefined, accept: undefined };
  const answer = api.answer({ ...request, body });
  expect([answer.status, JSON.parse(String(answer.body))]).toMatchObject([
    500,
    { reason: 'internal', error: 'the indexer failed; its log says why' },
  ]);
  expect(
    JSON.parse(
      String(api.answer({ ...request, method: 'GET', path: '/services', body: undefined }).body),
    ),
  ).toEqual({ count: 0, services: [] });
});

describe('publishers whose blocks cannot be used', () => {
  test('another block size than the registered one is marked, not silent', () => {
    const engines = following({ block_size: 4 });
    engines.publish(endpoint, stored({ hashes: [1n], tokens, blockSize: 8 }));
    const { body } = engines.post('/query', { model: 'm', token_ids: tokens });
    expect(body).toMatchObject({
      instances: { 'engine-a': { gpu: 0 } },
      warnings: [{ instance_id: 'engine-a', dp_rank: 0, reason: 'block_size_mismatch' }],
    });
    expect(engines.get('/services').body).toMatchObject({
      services: [{ State: 'block_size_mismatch', EngineBlockSize: 8, Counters: { malformed: 1 } }],
    });
  });

  test('one that cannot be heard is marked, and what it had counts on', () => {
    const engines = following();
    engines.publish(endpoint, stored({ hashes, tokens, blockSize: 4 }));
    engines.lost.set(endpoint, 'connect ECONNREFUSED');
    const { body } = engines.post('/query', { model: 'm', token_ids: tokens });
    expect(body).toMatchObject({
      instances: { 'engine-a': { gpu: tokens.length } },
      warnings: [{ instance_id: 'engine-a', dp_rank: 0, reason: 'disconnected' }],
    });
    const { services } = engines.get('/services').body;
    expect(services).toMatchObject([
      { State: 'disconnected', ConnectionFault: 'connect ECONNREFUSED' },
    ]);
  });

  test('smaller blocks than the registered ones fold into them', () => {
    const engines = following({ block_size: 8 });
    engines.publish(endpoint, stored({ hashes, tokens, blockSize: 4 }));
    const { body } = engines.post('/query', { model: 'm', token_ids: tokens, block_size: 8 });
    expect(body).toMatchObject({ instances: { 'engine-a': { gpu: 8 } } });
    expect(body).not.toHaveProperty('warnings');
  });

  test('a hybrid model is marked', () => {
    const engines = following();
    engines.publish(endpoint, stored({ hashes, tokens, blockSize: 4, kind: 'sliding_window' }));
    expect(engines.post('/query', { model: 'm', token_ids: tokens }).body).toMatchObject({
      warnings: [{ reason: 'hybrid_model' }],
    });
  });

  test('blocks of another rank count for the registered one, which is marked until it begins anew', () => {
    const engines = following();
    const { onPayload, onReset } = engines.source(endpoint);
    const events = [stored({ hashes, tokens, blockSize: 4 })];
    onPayload(batch(events, 3));
    expect(engines.post('/query', { model: 'm', token_ids: tokens }).body).toMatchObject({
      instances: { 'engine-a': { gpu: 8, dp: { 0: 8 } } },
      warnings: [{ instance_id: 'engine-a', dp_rank: 0, reason: 'other_rank' }],
    });
    engines.lost.set(endpoint, 'connect ECONNREFUSED');
    expect(engines.get('/services').body).toMatchObject({ services: [{ State: 'other_rank' }] });
    engines.lost.clear();
    onReset();
    onPayload(batch(events, 0));
    expect(engines.get('/services').body).toMatchObject({
      services: [{ State: 'following', Counters: { otherRanks: 1 } }],
    });
  });

  test('what is unresolved, unreadable or of another rank is counted', () => {
    const engines = following();
    const source = engines.source(endpoint);
    engines.publish(
      endpoint,
      stored({ hashes: [9n], parent: 8n, tokens: [1, 1, 1, 1], blockSize: 4 }),
    );
    source.onPayload(Uint8Array.of(0xc1));
    source.onPayload(batch([['Nonsense']], 1));
    expect(engines.get('/services').body).toMatchObject({
      services: [{ Counters: { unresolvedBlocks: 1, decodeFailures: 2, otherRanks: 1 } }],
    });
    expect(engines.get('/global_view').body).toMatchObject({
      contexts: [{ unresolved_blocks: 1 }],
    });
    engines.publish(endpoint, stored({ hashes: [8n], tokens: [7, 7, 7, 7], blockSize: 4 }));
    const query = { model: 'm', token_ids: [7, 7, 7, 7, 1, 1, 1, 1] };
    expect(engines.post('/query', query).body).toMatchObject({
      instances: { 'engine-a': { gpu: 8 } },
    });
  });
});
