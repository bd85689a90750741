import { eventually } from '@baton/test-kit';
import { expect, test } from 'vitest';
import { adminApp } from '../testing/admin-app.ts';
import { VllmFront } from '../testing/vllm-front.ts';

/** A model of its own: the others of the fleet cut texts otherwise. */
const models = { object: 'list', data: [{ id: 'large', max_model_len: 1024 }] };

test('an engine is added, says what it is, serves, and is taken away again', async () => {
  const app = adminApp();
  const front = await VllmFront.start({ models });
  const payload = { url: front.url, workerId: 'mine' };
  const added = await app.inject({ method: 'POST', url: '/engines', payload });
  expect(added.statusCode).toBe(201);
  expect(added.json()).toMatchObject({
    ...{ workerId: 'mine', url: front.url, role: 'both', serves: true },
    ...{ engine: 'vllm', version: '0.32.0', model: 'large', blockTokens: 16, connector: '' },
    index: 'approximate',
    approximateBecause: expect.stringContaining('--kv-events-config') as string,
  });
  expect((await app.inject('/engines')).json()).toEqual({ engines: [added.json()] });
  const ids = async (): Promise<string[]> => {
    const { workers } = (await app.inject('/workers')).json<{ workers: { workerId: string }[] }>();
    return workers.map(({ workerId }) => workerId);
  };
  expect(await ids()).toContain('mine');
  const remove = () => app.inject({ method: 'DELETE', url: '/engines/mine' });
  const leaving = await remove();
  expect([leaving.statusCode, leaving.json()]).toMatchObject([202, { drainingFor: 0 }]);
  await eventually(async () => (await remove()).statusCode === 404);
  expect(await ids()).not.toContain('mine');
});

test('an engine that asks for a key is added with it, which nothing shows again', async () => {
  const app = adminApp();
  const front = await VllmFront.start({ models, apiKey: 'open-sesame' });
  const add = (payload: object) =>
    app.inject({ method: 'POST', url: '/engines', payload: { url: front.url, ...payload } });
  expect((await add({ apiKey: 'a\nb' })).json()).toMatchObject({ error: { param: 'apiKey' } });
  expect((await add({ workerId: 'wrong', apiKey: 'x' })).json()).toMatchObject({
    serves: false,
    problem: expect.stringContaining('does not take the API key') as string,
  });
  const gone = await app.inject({ method: 'DELETE', url: '/engines/wrong?now=true' });
  expect(gone.statusCode).toBe(204);
  const added = await add({ apiKey: 'open-sesame' });
  expect(added.json()).toMatchObject({ serves: true });
  expect((await app.inject('/engines')).body).not.toContain('open-sesame');
  expect((await add({ apiKeyFile: '/etc/passwd' })).json()).toMatchObject({
    error: { message: expect.stringContaining('apiKeyFile') as string },
  });
});

test('an engine has one worker, however its URL is written, and that has one key', async () => {
  const app = adminApp();
  const front = await VllmFront.start({ models, apiKey: 'open-sesame' });
  const { port } = new URL(front.url);
  const add = (workerId: string, url: string, apiKey: string) =>
    app.inject({ method: 'POST', url: '/engines', payload: { workerId, url, apiKey } });
  const added = await add('one', `HTTP://0177.0.0.1:${port}/a/..//`, 'open-sesame');
  expect(added.json()).toMatchObject({ url: front.url, serves: true });
  const again = await add('two', front.url, 'of somebody else');
  expect(again.statusCode).toBe(409);
  expect(again.json()).toMatchObject({
    error: { param: 'url', message: `${front.url} is served as one` },
  });
  const looked = (): number => front.asked.filter((path) => path === 'GET /v1/models').length;
  const before = looked();
  await eventually(() => expect(looked()).toBeGreaterThan(before + 2));
  expect((await app.inject('/engines')).json()).toMatchObject({ engines: [{ serves: true }] });
  await app.inject({ method: 'DELETE', url: '/engines/one?now=true' });
  expect((await add('two', front.url, 'open-sesame')).json()).toMatchObject({ serves: true });
});

test.each(['http://me:secret@127.0.0.1:9', 'http://127.0.0.1:9/?x=1', 'http://127.0.0.1:9/a\nb'])(
  '%j is no URL of an engine, and nothing of it is kept',
  async (url) => {
    const app = adminApp();
    const refused = await app.inject({ method: 'POST', url: '/engines', payload: { url } });
    expect(refused.statusCode).toBe(400);
    expect(refused.json()).toMatchObject({ error: { param: 'url' } });
    expect(refused.body).not.toContain('secret');
    expect((await app.inject('/engines')).json()).toEqual({ engines: [] });
  },
);

test('whether it is to go at once is said in words that are known, or it stays', async () => {
  const app = adminApp();
  const front = await VllmFront.start({ models });
  const payload = { url: front.url, workerId: 'mine' };
  await app.inject({ method: 'POST', url: '/engines', payload });
  const typo = await app.inject({ method: 'DELETE', url: '/engines/mine?now=1' });
  expect([typo.statusCode, typo.json()]).toMatchObject([400, { error: { param: 'now' } }]);
  expect((await app.inject('/engines')).body).not.toContain('drainingFor');
});

test.each([
  { models: { data: [{ id: 'm'.repeat(513), max_model_len: 1024 }] } },
  { version: { version: '9'.repeat(513) } },
])('one whose names nobody could ask for does not serve, and says why', async (changes) => {
  const app = adminApp();
  const { url } = await VllmFront.start(changes);
  const added = await app.inject({ method: 'POST', url: '/engines', payload: { url } });
  expect(added.json()).toMatchObject({
    serves: false,
    problem: expect.stringContaining('513 characters') as string,
  });
});

test('one that is away is kept and looked at again; it says why it does not serve', async () => {
  const app = adminApp();
  const payload = { url: 'http://127.0.0.1:9' };
  const added = await app.inject({ method: 'POST', url: '/engines', payload });
  expect(added.statusCode).toBe(201);
  expect(added.json()).toMatchObject({ serves: false, problem: expect.stringMatching('ECONN') });
  const again = await app.inject({ method: 'POST', url: '/engines', payload });
  expect(again.statusCode).toBe(409);
  expect(again.json()).toMatchObject({ error: { param: 'workerId' } });
});

test('one that does not fit the others of its model is added and says that nothing is planned on it', async () => {
  const app = adminApp();
  const fronts = [{}, { blockTokens: 128 }].map((own) => VllmFront.start({ models, ...own }));
  const added = [];
  for (const [index, front] of (await Promise.all(fronts)).entries()) {
    const payload = { url: front.url, workerId: `w${index}` };
    added.push((await app.inject({ method: 'POST', url: '/engines', payload })).json());
  }
  expect(added).toMatchObject([
    { serves: true },
    { serves: false, problem: 'tokenization or segment size is not that of w0' },
  ]);
});

test.each([
  [{}, 'url'],
  [{ url: 'a:1' }, 'url'],
  [{ url: 'http://a:1', role: 'x' }, 'role'],
  [{ url: 'http://a:1', workerId: 'a b' }, 'workerId'],
  [[], 'body'],
])('%j is refused by the name of the field', async (payload, param) => {
  const answer = await adminApp().inject({ method: 'POST', url: '/engines', payload });
  expect(answer.statusCode).toBe(400);
  expect(answer.json()).toMatchObject({ error: { param } });
});
