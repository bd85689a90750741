import { expect, test } from 'vitest';
import { adminApp as api } from './testing/admin-app.ts';

test('/policies says what there is and what was learned, and changes it for all models or for one', async () => {
  const app = api('connected', true);
  expect((await app.inject('/policies')).json()).toMatchObject({
    defaults: { policy: 'kv-centric', queue: 'shortest' },
    models: {},
    prefillCosts: [
      { kind: 'tiny llama', observations: 1, cost: { perTokenMs: expect.any(Number) as unknown } },
    ],
    decodeCosts: [],
    outputPredictor: 'recent-mean',
    known: expect.arrayContaining([expect.objectContaining({ name: 'round-robin' })]) as unknown,
  });
  const payload = { policy: 'round-robin', queue: 'fcfs' };
  const changed = await app.inject({ method: 'PUT', url: '/policies', payload });
  expect(changed.json()).toMatchObject({ defaults: payload, models: {} });
  const own = { prefillPolicy: 'longest-prefix', slo: { ttftBaseMs: 2000 } };
  const one = await app.inject({ method: 'PUT', url: '/policies/tiny', payload: own });
  expect(one.json()).toEqual({
    defaults: expect.objectContaining(payload) as unknown,
    models: { tiny: own },
    modelsWithoutWorkers: [],
  });
  expect((await app.inject('/plans')).json()).toMatchObject({ policy: 'round-robin' });
});

test.each(['/policies', '/policies/tiny'])('PUT %s is a merge patch', async (url) => {
  const app = api();
  const put = async (payload: object): Promise<Record<string, unknown>> => {
    const { defaults, models } = (await app.inject({ method: 'PUT', url, payload })).json<{
      defaults: Record<string, unknown>;
      models: Record<string, Record<string, unknown>>;
    }>();
    return url === '/policies' ? defaults : { ...defaults, ...models['tiny'] };
  };
  const first = await put({});
  await put({
    queue: 'fcfs',
    slo: { ttftBaseMs: 500 },
    policyParameters: { composite: { alpha: 2 } },
  });
  const merged = await put({ slo: { tbtMs: 50 }, policyParameters: { session: { idleMs: 9 } } });
  expect(merged).toMatchObject({
    queue: 'fcfs',
    slo: { ttftBaseMs: 500, tbtMs: 50 },
    policyParameters: { composite: { alpha: 2 }, session: { idleMs: 9 } },
  });
  expect(await put({ slo: { ttftBaseMs: 'none' }, queue: null })).toMatchObject({
    queue: 'shortest',
    slo: { ttftBaseMs: 'none', tbtMs: 50 },
  });
  expect(await put({ slo: null, policyParameters: { composite: null, session: null } })).toEqual(
    first,
  );
});

test('what is read of /policies can be put back as it is', async () => {
  const app = api();
  const { defaults } = (await app.inject('/policies')).json<{ defaults: object }>();
  expect(defaults).toMatchObject({ slo: { ttftBaseMs: 'none', ttftPerTokenMs: 0, tbtMs: 'none' } });
  const put = (payload: object) => app.inject({ method: 'PUT', url: '/policies', payload });
  await put({ slo: { ttftBaseMs: 500, tbtMs: 20 }, queue: 'fcfs' });
  expect((await put(defaults)).json()).toMatchObject({ defaults });
});

test('a model that no worker serves is said, and what is set for it is kept', async () => {
  const app = api();
  const put = async (url: string, payload: object): Promise<unknown> =>
    (await app.inject({ method: 'PUT', url, payload })).json();
  const typo = await put('/policies/tyni', { queue: 'fcfs' });
  expect(typo).toMatchObject({
    models: { tyni: { queue: 'fcfs' } },
    modelsWithoutWorkers: ['tyni'],
    warning: 'no worker serves "tyni" now: what is set holds when one comes',
  });
  expect((await app.inject('/policies')).json()).toMatchObject({ modelsWithoutWorkers: ['tyni'] });
  expect(await put('/policies/tiny', { queue: 'fcfs' })).not.toHaveProperty('warning');
  expect(await put('/policies', { queue: 'fcfs' })).not.toHaveProperty('warning');
  const back = await put('/policies/tyni', { queue: null });
  expect(back).toMatchObject({ modelsWithoutWorkers: [] });
  expect(back).not.toHaveProperty('warning');
});

test('a merge patch may say that it is one', async () => {
  const put = (payload: string): Promise<{ statusCode: number }> =>
    api().inject({
      method: 'PUT',
      url: '/policies',
      payload,
      headers: { 'content-type': 'application/merge-patch+json' },
    });
  expect((await put('{"queue": "fcfs"}')).statusCode).toBe(200);
  expect((await put('{"queue":')).statusCode).toBe(400);
});

test('a name may be as long as the name of a model', async () => {
  const name = `org/${'x'.repeat(508)}`;
  const url = `/policies/${encodeURIComponent(name)}`;
  const answer = await api().inject({ method: 'PUT', url, payload: { queue: 'fcfs' } });
  expect(answer.json()).toMatchObject({ models: { [name]: { queue: 'fcfs' } } });
});

test.each([
  [{ policy: 'fastest' }, 'policy'],
  [{ queue: 'random' }, 'queue'],
  [{ policyParameters: { 'round-robin': { x: 1 } } }, 'x'],
  [{ policyParameters: { composite: { alpha: 'much' } } }, 'policyParameters.composite.alpha'],
  [{ slo: { ttftBaseMs: 0 } }, 'slo.ttftBaseMs'],
  [{ slo: { tbtMs: 'never' } }, 'slo.tbtMs'],
  [{ polcy: 'random' }, 'body'],
  ['nothing', 'body'],
])('settings %j are refused by the name of %s, and nothing is changed', async (payload, param) => {
  const app = api();
  const answer = await app.inject({
    method: 'PUT',
    url: '/policies/tiny',
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify(payload),
  });
  expect(answer.statusCode).toBe(400);
  expect(answer.json()).toMatchObject({ error: { code: 'invalid_request', param } });
  expect((await app.inject('/policies')).json()).toMatchObject({ models: {} });
});

test.each([
  ['/policies', '{', 'Body is not valid JSON'],
  ['/policies', '', 'Body cannot be empty'],
  ['/policies/', '{"policy":"random"}', 'the model must have a name'],
])('PUT %s with "%s" is refused as everything else is', async (url, payload, message) => {
  const headers = { 'content-type': 'application/json' };
  const answer = await api().inject({ method: 'PUT', url, headers, payload });
  expect(answer.statusCode).toBe(400);
  expect(answer.json()).toMatchObject({
    error: { code: 'invalid_request', message: expect.stringContaining(message) as unknown },
  });
});
