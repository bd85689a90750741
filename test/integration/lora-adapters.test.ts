import { setTimeout as delay } from 'node:timers/promises';
import {
  startSglangFleet,
  startVllmFleet,
  type StandIn,
  type StandInFleet,
} from '@baton/engine-sim';
import { complete, eventually, randomPrompt, send } from '@baton/test-kit';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startInFront, type InFront } from '../kit/in-front.ts';

/** Engines with LoRA adapters behind a conductor and a gateway, all in this process. */

const MODEL = 'stand-in';
const SEGMENT_TOKENS = 64;

let fleet: StandInFleet;
let front: InFront;

interface ListedAdapter {
  name: string;
  path: string;
  serves: boolean;
  workers: { workerId: string; state: string }[];
}

beforeAll(async () => {
  fleet = await startVllmFleet(['a', 'b', 'bare'], {
    ...{ speedUp: 20, blocks: 512, maxModelTokens: 4_096, model: MODEL },
    adapters: { slots: 1, loadMs: 4_000 },
  });
  front = await startInFront(fleet.engines.map(({ name, url }) => ({ workerId: name, url })));
  await eventually(async () => {
    const workers = await admin<{ workers: unknown[] }>('/workers');
    expect(workers.workers).toHaveLength(3);
    expect((await fetch(`${url()}/health`)).status).toBe(200);
  });
});
afterAll(async () => {
  await front.stop();
  await fleet.stop();
});

const url = (): string => front.url;
const engine = (name: string): StandIn =>
  fleet.engines.find((one) => one.name === name) ?? fail(`no engine ${name}`);

function fail(what: string): never {
  throw new Error(what);
}

const admin: InFront['admin'] = (...asked) => front.admin(...asked);
const load = (name: string, path: string, ...workers: string[]) =>
  admin<{ results: { workerId: string; ok: boolean; message?: string }[] }>('/adapters', 'POST', {
    ...{ name, path, workers },
  });
const listed = async (name: string): Promise<ListedAdapter[]> => {
  const { adapters } = await admin<{ adapters: ListedAdapter[] }>('/adapters');
  return adapters.filter((adapter) => adapter.name === name);
};
/** Whether clients see it. */
const offered = async (name: string): Promise<boolean> =>
  (await fetch(`${url()}/v1/models/${name}`)).ok;

/** Each worker's replicas by the index, and whether it agrees with what the worker says. */
async function tiersOf(workerId: string): Promise<{ indexed: number; same: boolean }> {
  const { workers } = await admin<{
    workers: { workerId: string; tiers: { indexedSegments: number; same: boolean }[] }[];
  }>('/workers');
  const tiers = workers.find((worker) => worker.workerId === workerId)?.tiers ?? [];
  return {
    indexed: tiers.reduce((sum, { indexedSegments }) => sum + indexedSegments, 0),
    same: tiers.every(({ same }) => same),
  };
}

test('adapters are asked for by name, each with a cache of its own, and go to where they are warm', async () => {
  expect(await load('sql', '/adapters/sql', 'a', 'b')).toEqual({
    results: [
      { workerId: 'a', ok: true },
      { workerId: 'b', ok: true },
    ],
  });
  expect(await load('law', '/adapters/law', 'b')).toMatchObject({ results: [{ ok: true }] });
  // With its first step an engine says how many have a place.
  for (const { url: at } of fleet.engines)
    await complete(at, { model: MODEL, prompt: [1], max_tokens: 1 });
  await eventually(async () => {
    expect(await offered('sql')).toBe(true);
    expect(await offered('law')).toBe(true);
  });
  const models = (await (await fetch(`${url()}/v1/models`)).json()) as { data: object[] };
  expect(models.data).toMatchObject([
    { id: MODEL },
    { id: 'law', parent: MODEL },
    { id: 'sql', parent: MODEL },
  ]);
  expect(JSON.stringify(models)).not.toContain('/adapters/');
  // One slot: on b the one that was loaded last has it.
  const [a, b] = [
    { workerId: 'a', state: 'warm' },
    { workerId: 'b', state: 'cold' },
  ];
  await eventually(async () =>
    expect(await listed('sql')).toMatchObject([
      { path: '/adapters/sql', serves: true, workers: [a, b] },
    ]),
  );

  const prompt = randomPrompt(1, 512);
  const ask = (model: string) => complete(url(), { model, prompt, max_tokens: 4 });
  const worker = ({ headers }: { headers: Headers }) => headers.get('x-baton-decode-worker');
  const cached = async (model: string) => (await ask(model)).cachedTokens;
  const sql = await ask('sql');
  const law = await ask('law');
  expect([worker(sql), worker(law)]).toEqual(['a', 'b']);
  expect([sql.cachedTokens, law.cachedTokens]).toEqual([0, 0]);
  // The same tokens, and KV that has nothing to do with each other.
  const whole = Math.floor(511 / SEGMENT_TOKENS) * SEGMENT_TOKENS;
  await eventually(async () => expect((await tiersOf('a')).indexed).toBeGreaterThan(0));
  expect(await cached(MODEL)).toBe(0);
  expect(await cached('sql')).toBeGreaterThanOrEqual(whole);
  expect(await cached('law')).toBeGreaterThanOrEqual(whole);
  for (const name of ['a', 'b', 'bare']) {
    await eventually(async () => expect((await tiersOf(name)).same).toBe(true));
  }
  // What was loaded while it runs is predicted, and told.
  const { plans } = await admin<{
    plans: { adapter: string; explanation: { candidates: object[]; ineligible: object[] } }[];
  }>('/plans');
  const first = plans.findLast(({ adapter }) => adapter === 'sql');
  expect(first?.explanation.candidates.slice(0, 2)).toMatchObject([
    { decodeWorker: 'a', outcome: 'chosen', terms: { adapterMs: 0 } },
    { decodeWorker: 'b', outcome: 'behind', terms: { adapterMs: 200 } },
  ]);
  expect(first?.explanation.ineligible).toContainEqual({
    ...{ workerId: 'bare', reason: 'adapter_missing: it has no adapter sql' },
  });
  expect(fleet.violations.list).toEqual([]);
});

test('what nobody has is refused by name, and clients name no paths', async () => {
  const body = { prompt: 'x', max_tokens: 1 };
  const unknown = await send(url(), '/v1/completions', { ...body, model: 'poetry' });
  expect(unknown.status).toBe(404);
  expect(await unknown.json()).toMatchObject({
    error: { code: 'model_not_found', message: expect.stringContaining('poetry') as string },
  });
  const path = { ...body, model: 'sql', lora_path: '/etc' };
  expect((await send(url(), '/v1/completions', path)).status).toBe(400);
  expect((await send(url(), '/v1/load_lora_adapter', { lora_name: 'x' })).status).toBe(404);
});

test('an engine says why it does not load or unload', async () => {
  expect(await load('sql', '/adapters/sql', 'a')).toMatchObject({
    results: [{ ok: false, message: expect.stringContaining('already been loaded') as string }],
  });
  expect(await load(MODEL, '/adapters/sql', 'a')).toMatchObject({
    error: { code: 'adapter_refused' },
  });
  expect(await load('x', '/x', 'nobody')).toMatchObject({ error: { code: 'no_worker' } });
  expect(await admin('/adapters/poetry', 'DELETE')).toMatchObject({
    error: { code: 'adapter_not_found' },
  });
});

test('an adapter goes when its last request has ended; then nobody has it', async () => {
  const body = { model: 'law', prompt: randomPrompt(2, 64), max_tokens: 2_000, stream: true };
  const answer = await send(url(), '/v1/completions', { ...body, ignore_eos: true });
  const reader = answer.body?.getReader();
  await reader?.read();
  let isGone = false;
  const unloading = admin('/adapters/law', 'DELETE').then((said) => {
    isGone = true;
    return said;
  });
  await eventually(async () => expect(await offered('law')).toBe(false));
  await delay(100);
  expect(isGone).toBe(false);
  for (let read = await reader?.read(); read?.done === false;) read = await reader?.read();
  expect(await unloading).toEqual({ results: [{ workerId: 'b', ok: true }] });
  expect(await listed('law')).toEqual([]);
  expect((await send(url(), '/v1/completions', { ...body, stream: false })).status).toBe(404);
});

test('the same name for other weights: those that most workers have, with keys of their own', async () => {
  expect(await load('sql', '/adapters/sql-2', 'bare')).toMatchObject({ results: [{ ok: true }] });
  const revisions = await listed('sql');
  expect(revisions.map(({ path, serves }) => [path, serves])).toEqual([
    ['/adapters/sql', true],
    ['/adapters/sql-2', false],
  ]);
  const prompt = randomPrompt(3, 256);
  const ask = async () => {
    const { headers, cachedTokens } = await complete(url(), {
      ...{ model: 'sql', prompt, max_tokens: 1 },
    });
    return { worker: headers.get('x-baton-decode-worker'), cachedTokens };
  };
  expect((await ask()).worker).not.toBe('bare');
  await admin('/adapters/sql?worker=a&worker=b', 'DELETE');
  await eventually(async () =>
    expect(await listed('sql')).toMatchObject([{ path: '/adapters/sql-2', serves: true }]),
  );
  // The gateway hears of it a moment later.
  await eventually(async () => expect(await ask()).toMatchObject({ worker: 'bare' }));
});

test('an engine that begins again has lost what was loaded into it', async () => {
  expect(await listed('sql')).toHaveLength(1);
  await engine('bare').restart();
  await eventually(async () => {
    expect(await listed('sql')).toEqual([]);
    expect(await offered('sql')).toBe(false);
  });
  expect(fleet.violations.list).toEqual([]);
});

test('a pair needs it on both sides, and hands over what was computed with it', async () => {
  const pair = await startVllmFleet(['p', 'd'], {
    ...{ speedUp: 20, blocks: 512, maxModelTokens: 4_096, model: MODEL, nixl: {} },
    adapters: { slots: 2, loadMs: 10, modules: [{ name: 'sql', path: '/adapters/sql' }] },
  });
  onTestFinished(() => pair.stop());
  const roles = ['prefill', 'decode'];
  const served = await startInFront(
    pair.engines.map(({ name, url: at }, i) => ({ workerId: name, url: at, role: roles[i] ?? '' })),
  );
  onTestFinished(() => served.stop());
  const prompt = randomPrompt(4, 1_024);
  const ask = (model: string, at = served.url) =>
    complete(at, { model, prompt, max_tokens: 6, ignore_eos: true });
  await eventually(async () =>
    expect((await fetch(`${served.url}/v1/models/sql`)).status).toBe(200),
  );
  await eventually(async () => expect((await fetch(`${served.url}/health`)).status).toBe(200));
  const disaggregated = await ask('sql');
  const { plans } = await served.admin<{ plans: { adapter: string; mode: string }[] }>('/plans');
  expect(plans).toMatchObject([{ adapter: 'sql', mode: 'disaggregated' }]);
  const alone = await ask('sql', pair.engines[0]?.url);
  expect(disaggregated.text).toBe(alone.text);
  expect((await ask(MODEL)).text).not.toBe(alone.text);
  // Loaded on one side alone, nobody can serve it.
  await served.admin('/adapters', 'POST', { name: 'law', path: '/law', workers: ['p'] });
  const refused = { model: 'law', prompt, max_tokens: 1 };
  await eventually(async () =>
    expect((await send(served.url, '/v1/completions', refused)).status).toBe(503),
  );
  expect(pair.violations.list).toEqual([]);
});

test('an SGLang gets the name beside the model, and loads and unloads while it runs', async () => {
  const sglang = await startSglangFleet(['s', 'bare'], {
    ...{ speedUp: 20, blocks: 512, maxModelTokens: 4_096, model: MODEL },
    adapters: { slots: 2, loadMs: 10 },
  });
  onTestFinished(() => sglang.stop());
  const served = await startInFront(
    sglang.engines.map(({ name, url: at }) => ({ workerId: name, url: at })),
  );
  onTestFinished(() => served.stop());
  await eventually(async () => {
    const { workers } = await served.admin<{ workers: { state: string }[] }>('/workers');
    expect(workers.filter(({ state }) => state === 'ready')).toHaveLength(2);
  });
  const sql = { name: 'sql', path: '/adapters/sql', workers: ['s'] };
  expect(await served.admin('/adapters', 'POST', sql)).toEqual({
    results: [{ workerId: 's', ok: true }],
  });
  expect(await served.admin('/adapters', 'POST', sql)).toMatchObject({
    results: [{ ok: false, message: expect.stringContaining('already exists') as string }],
  });
  await eventually(async () =>
    expect((await fetch(`${served.url}/v1/models/sql`)).status).toBe(200),
  );
  const prompt = randomPrompt(5, 512);
  const ask = (model: string, at = served.url) =>
    complete(at, { model, prompt, max_tokens: 6, ignore_eos: true });
  const answer = await ask('sql');
  expect(answer.headers.get('x-baton-decode-worker')).toBe('s');
  expect(answer.text).toBe((await ask(`${MODEL}:sql`, sglang.engines[0]?.url)).text);
  expect((await ask(MODEL)).text).not.toBe(answer.text);
  const asked = { model: MODEL, prompt, max_tokens: 1, lora_path: 'law' };
  expect((await send(sglang.engines[0]?.url ?? '', '/v1/completions', asked)).status).toBe(400);
  expect(await served.admin('/adapters/sql', 'DELETE')).toEqual({
    results: [{ workerId: 's', ok: true }],
  });
  await eventually(async () =>
    expect((await fetch(`${served.url}/v1/models/sql`)).status).toBe(404),
  );
  expect(sglang.violations.list).toEqual([]);
});
