/** The scheduler's side of Baton's connector for vLLM, in Python, against real agents. */
import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { adapterIdentity, keyHex, rootKey, segmentKeys, unpackKeys } from '@baton/kv';
import { baton } from '@baton/proto';
import { trace } from '@baton/telemetry';
import { eventually } from '@baton/test-kit';
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { FakeKvEvents } from './testing/fake-kv-events.ts';
import { TestFleet } from './testing/test-fleet.ts';

const folder = path.join(import.meta.dirname, '../../../integrations/vllm');
const PYTHON = 'python3';
const asked = spawnSync(PYTHON, ['-c', 'import sys; assert sys.version_info >= (3, 10)']);
const lacksPython = asked.status !== 0;
if (lacksPython) console.warn('there is no Python 3.10: the connector for vLLM is not tested here');

const SEGMENT_TOKENS = 64;
const SEGMENT_BYTES = 3_000;
const TOKENIZATION = 'tokens';

interface Outcome {
  fault?: string;
  external: number;
  wrong: (number | string)[];
  answer: { baton: { accounting: Record<string, number> } } | null;
}

interface Run {
  name: string;
  prompt_tokens: number;
  start: number;
  plan?: object;
  step_tokens?: number;
  salt?: string;
  adapter?: { name: string; path: string };
}

/** A process with the connector in it; what it loads is held against what it must be. */
class Connector {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #answers: ((line: string) => void)[] = [];
  #said = '';

  constructor(socketPath: string, hello: object) {
    const script = path.join(folder, 'tests/driver.py');
    this.#child = spawn(PYTHON, [script, socketPath, JSON.stringify(hello)], {
      env: { ...process.env, PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1' },
    });
    createInterface(this.#child.stdout).on('line', (line) => this.#answers.shift()?.(line));
    this.#child.stderr.on('data', (text: Buffer) => (this.#said += text.toString()));
    this.#child.on('exit', () => {
      for (const answer of this.#answers.splice(0)) answer(JSON.stringify({ fault: this.#said }));
    });
    onTestFinished(() => void this.#child.kill());
  }

  async run(run: Run): Promise<Outcome> {
    const outcome = (await this.#ask({ op: 'run', ...run })) as Outcome;
    expect(outcome.fault).toBeUndefined();
    return outcome;
  }

  async session(): Promise<{ tokenization: string | null; log: string[] }> {
    return (await this.#ask({ op: 'session' })) as { tokenization: string | null; log: string[] };
  }

  #ask(command: object): Promise<unknown> {
    return new Promise((resolve) => {
      this.#answers.push((line) => resolve(JSON.parse(line)));
      this.#child.stdin.write(`${JSON.stringify(command)}\n`);
    });
  }
}

let fleet: TestFleet;
let events: FakeKvEvents;
beforeAll(async () => {
  fleet = await TestFleet.start();
  events = await FakeKvEvents.open();
});
afterAll(async () => {
  events.close();
  expect(await fleet.stop()).toEqual([]);
});

const { WORKER_STATE_READY } = baton.v1.WorkerState;

function hello(engineUrl: string, tokenization: string, heard = events): object {
  return {
    worker: {
      model: 'm',
      engine: 'vllm',
      engine_url: engineUrl,
      tokenization,
      layout: {
        model_revision: 'r',
        dtype: 'float32',
        layers: 2,
        ranks: 1,
        block_tokens: 32,
        connector: 'baton',
        connector_version: '1',
        bytes_per_token: 100,
        segment_bytes: SEGMENT_BYTES,
      },
      segment_tokens: SEGMENT_TOKENS,
      max_model_tokens: 1_024,
      kv_capacity_blocks: 100,
      max_sequences: 4,
      capabilities: { pull_prefix: true, overlap_handover: true },
    },
    events_endpoint: heard.endpoints.eventsEndpoint,
    replay_endpoint: heard.endpoints.replayEndpoint,
    page_bytes: SEGMENT_BYTES,
  };
}

async function worker(id: string, settings: object = {}) {
  const agent = await fleet.addAgent(id, settings);
  const connector = new Connector(fleet.socketPath(id), hello('http://127.0.0.1:9', TOKENIZATION));
  onTestFinished(() => agent.stop());
  await eventually(() => fleet.beats.get(id)?.state === WORKER_STATE_READY);
  return { id, agent, connector };
}

const nothingHeld = (agent: { counters: baton.v1.IAgentCounters }): Promise<boolean> =>
  eventually(() => agent.counters.pinnedPages === 0 && agent.counters.leases === 0);

const tokensOf = ({ prompt_tokens, start }: Run): number[] =>
  Array.from({ length: prompt_tokens }, (_, i) => start + i);

function keysOf(run: Run): Uint8Array {
  const { adapter: named } = run;
  const adapter = named && adapterIdentity({ name: named.name, revision: named.path });
  return segmentKeys(
    rootKey({ tokenization: TOKENIZATION, adapter }),
    tokensOf(run),
    SEGMENT_TOKENS,
  );
}

test.skipIf(lacksPython)('what one request computed the agent holds for the next', async () => {
  const { agent, connector } = await worker('both');
  const first = { name: 'a', prompt_tokens: 200, start: 1_000 };
  expect(await connector.run(first)).toMatchObject({ external: 0, wrong: [] });
  expect(await connector.run({ ...first, name: 'b' })).toMatchObject({ external: 192, wrong: [] });
  const longer = { ...first, name: 'c', prompt_tokens: 256 };
  expect(await connector.run(longer)).toMatchObject({ external: 192, wrong: [] });
  const other = { ...longer, name: 'd', salt: 'x' };
  expect(await connector.run(other)).toMatchObject({ external: 0, wrong: [] });
  await eventually(() => fleet.held('both', baton.v1.Tier.TIER_DRAM).size === 4 + 4);
  await nothingHeld(agent);
});

test.skipIf(lacksPython)(
  'each adapter has KV of its own, and other weights under its name too',
  async () => {
    const { agent, connector } = await worker('lora');
    const prompt = { prompt_tokens: 200, start: 11_000 };
    const sql = { name: 'sql', path: '/adapters/sql' };
    const runs = [
      { name: 'base', ...prompt },
      { name: 'sql', ...prompt, adapter: sql },
      { name: 'law', ...prompt, adapter: { ...sql, name: 'law' } },
      { name: 'sql-2', ...prompt, adapter: { ...sql, path: '/adapters/sql-2' } },
    ];
    for (const run of runs) {
      expect(await connector.run(run)).toMatchObject({ external: 0, wrong: [] });
      const again = await connector.run({ ...run, name: `${run.name} again` });
      expect(again).toMatchObject({ external: 192, wrong: [] });
    }
    const wanted = new Set(runs.flatMap((run) => unpackKeys(keysOf(run)).map(keyHex)));
    expect(wanted.size).toBe(3 * runs.length);
    await eventually(() => expect(fleet.held('lora', baton.v1.Tier.TIER_DRAM)).toEqual(wanted));
    await nothingHeld(agent);
  },
);

test.skipIf(lacksPython)('a load is part of the trace of its request', async () => {
  const exporter = new InMemorySpanExporter();
  const spanProcessors = [new SimpleSpanProcessor({ exporter })];
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors }));
  onTestFinished(() => trace.disable());
  const { connector } = await worker('traced');
  const run = { name: 'a', prompt_tokens: 200, start: 2_000 };
  await connector.run(run);
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
  const plan = { plan_id: 'plan-1', leg: 'aggregated', prefix_tokens: 0, traceparent };
  await connector.run({ ...run, name: 'b', plan });
  await eventually(() => exporter.getFinishedSpans().length > 0);
  const [span, ...more] = exporter.getFinishedSpans();
  expect(more).toEqual([]);
  expect([span?.name, span?.spanContext().traceId]).toEqual(['kv.load', traceId]);
  expect(span?.attributes).toMatchObject({ 'baton.worker': 'traced', 'baton.segments': 3 });
});

test.skipIf(lacksPython)('a damaged page is given to nobody any more, and kept anew', async () => {
  const { agent, connector } = await worker('spoilt');
  const run = { prompt_tokens: 200, start: 3_000 };
  await connector.run({ name: 'a', ...run });
  const name = readdirSync(fleet.folder).find((file) => file.startsWith('baton-arena-spoilt-'));
  const arena = path.join(fleet.folder, name ?? '');
  const bytes = readFileSync(arena);
  bytes.fill(1, bytes.findIndex((byte) => byte !== 0) + 100, bytes.length);
  writeFileSync(arena, bytes, { flag: 'r+' });
  const damaged = await connector.run({ name: 'b', ...run });
  expect(damaged).toMatchObject({ external: 192, wrong: ['damaged'] });
  await eventually(() => fleet.logged.filter(({ event }) => event === 'page_damaged').length === 3);
  expect(await connector.run({ name: 'c', ...run })).toMatchObject({ external: 0, wrong: [] });
  expect(await connector.run({ name: 'd', ...run })).toMatchObject({ external: 192, wrong: [] });
  await nothingHeld(agent);
});

test.skipIf(lacksPython)('a handover, tail included, while prefill computes', async () => {
  const [p, d] = [await worker('p'), await worker('d')];
  const prompt = { prompt_tokens: 225, start: 5_000 };
  const planId = 'plan-1';
  const run = { name: 'r', ...prompt };
  const target = { ...d, engine: undefined as never, socketPath: '' };
  const order = { planId, keys: keysOf(run), withTail: true };
  expect(await fleet.order(target, p, order)).toMatchObject({ accepted: true });
  const waiting = d.connector.run({ ...run, plan: { plan_id: planId, leg: 'decode' } });
  const plan = { plan_id: planId, leg: 'prefill', prefix_tokens: 0 };
  const prefilled = await p.connector.run({ ...run, plan, step_tokens: 70 });
  expect(prefilled.answer?.baton.accounting).toEqual({
    prompt_tokens: 225,
    reused_tokens: 0,
    transferred_tokens: 0,
    computed_tokens: 225,
  });
  const decoded = await waiting;
  expect(decoded).toMatchObject({ external: 224, wrong: [] });
  expect(decoded.answer?.baton.accounting).toMatchObject({
    transferred_tokens: 224,
    computed_tokens: 1,
  });
  const { TRANSFER_STATUS_DONE } = baton.v1.TransferStatus;
  await eventually(() => fleet.results.at(-1)?.status === TRANSFER_STATUS_DONE);
  await nothingHeld(p.agent);
  await nothingHeld(d.agent);
});

test.skipIf(lacksPython)('an agent that comes anew is used at once', async () => {
  const first = await worker('again');
  const run = { name: 'a', prompt_tokens: 130, start: 9_000 };
  await first.connector.run(run);
  await first.agent.stop();
  expect(await first.connector.run({ ...run, name: 'b' })).toMatchObject({
    external: 0,
    wrong: [],
  });
  const agent = await fleet.addAgent('again');
  onTestFinished(() => agent.stop());
  await eventually(async () => (await first.connector.session()).tokenization !== null);
  expect(await first.connector.run({ ...run, name: 'c' })).toMatchObject({
    external: 0,
    wrong: [],
  });
  expect(await first.connector.run({ ...run, name: 'd' })).toMatchObject({ external: 128 });
  await nothingHeld(agent);
});

/** From now on the engine asks for a key; a file with it, as agents take it. */
function keyOf(api: EngineApi): { apiKeyFile: string } {
  api.key = 'secret';
  const apiKeyFile = path.join(fleet.folder, 'engine-key');
  writeFileSync(apiKeyFile, `${api.key}\n`);
  return { apiKeyFile };
}

/** The HTTP side of a vLLM, as far as agents ask it. */
class EngineApi {
  isUp = true;
  /** Without it nothing is answered. */
  key = '';
  /** Paths of adapters by name. */
  adapters: Record<string, string> = {};
  /** Names of those in use, and when that was so. */
  inUse: [string, number] = ['', 0];
  url = '';

  static async start(): Promise<EngineApi> {
    const engine = new EngineApi();
    const server = createServer(({ url = '', headers }, response) => {
      const said = engine.#answer(url);
      const text = typeof said === 'string' ? said : JSON.stringify(said);
      const isMeant = engine.key === '' || headers.authorization === `Bearer ${engine.key}`;
      response.writeHead(!isMeant ? 401 : engine.isUp ? 200 : 503).end(text);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    engine.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return engine;
  }

  #answer(url: string): unknown {
    const [names, atSec] = this.inUse;
    const adapters = Object.entries(this.adapters).map(([id, root]) => ({ id, root, parent: 'm' }));
    const answers: Record<string, unknown> = {
      '/health': {},
      '/version': { version: '0.32.0' },
      '/v1/models': { data: [{ id: 'm', root: 'r', max_model_len: 1_024 }, ...adapters] },
      '/tokenize': { tokens: [1, 2, 3], count: 3, max_model_len: 1_024 },
      '/kv_event_sources': {},
      '/metrics': [
        'vllm:num_requests_running{engine="0"} 0',
        `vllm:lora_requests_info{max_lora="2",running_lora_adapters="${names}",waiting_lora_adapters=""} ${atSec}`,
      ].join('\n'),
    };
    return answers[url] ?? {};
  }
}

test.skipIf(lacksPython)(
  'an agent tells the adapters of its engine, and names blocks after their weights',
  async () => {
    const api = await EngineApi.start();
    api.adapters = { sql: '/adapters/sql' };
    const engineAccess = keyOf(api);
    const published = await FakeKvEvents.open();
    onTestFinished(() => published.close());
    const agent = await fleet.addAgent('adapters', { engineAccess });
    onTestFinished(() => agent.stop());
    new Connector(fleet.socketPath('adapters'), hello(api.url, TOKENIZATION, published));
    const told = () => fleet.beats.get('adapters')?.adapters;
    const held = { name: 'sql', revision: '/adapters/sql' };
    await eventually(() => expect(told()).toMatchObject({ held: [held], slots: 2 }));
    const run = { name: 'a', prompt_tokens: 128, start: 13_000 };
    const stored = (blockHashes: bigint[]) =>
      published.publish({
        ...{ type: 'BlockStored', blockHashes, parentBlockHash: null, blockSize: 32 },
        ...{ tokenIds: tokensOf(run), extraKeys: blockHashes.map(() => ['sql']) },
        adapter: { id: 1, name: 'sql' },
      });
    await stored([1n, 2n, 3n, 4n]);
    const keys = (path: string): Set<string> =>
      new Set(unpackKeys(keysOf({ ...run, adapter: { name: 'sql', path } })).map(keyHex));
    const inHbm = () => fleet.held('adapters', baton.v1.Tier.TIER_HBM);
    await eventually(() => expect(inHbm()).toEqual(keys('/adapters/sql')));
    await eventually(() => expect(told()?.used).toEqual([]));
    api.inUse = ['sql', 7];
    await eventually(() => expect(told()?.used).toEqual(['sql']));
    api.isUp = false;
    // Loaded again from elsewhere, while nobody could ask.
    api.adapters = { sql: '/adapters/sql-2' };
    await eventually(() => fleet.logged.some(({ event }) => event === 'adapters_unknown'));
    expect(told()?.held).toMatchObject([held]);
    api.isUp = true;
    await eventually(() => expect(told()?.held).toMatchObject([{ revision: '/adapters/sql-2' }]));
    await stored([5n, 6n, 7n, 8n]);
    const both = new Set([...keys('/adapters/sql'), ...keys('/adapters/sql-2')]);
    await eventually(() => expect(inHbm()).toEqual(both));
    api.adapters = {};
    await eventually(() => expect(told() ?? undefined).toBeUndefined());
  },
);

test.skipIf(lacksPython)('the agent finds out by the engine’s API how it cuts texts', async () => {
  const api = await EngineApi.start();
  api.isUp = false;
  const agent = await fleet.addAgent('asks', { engineAccess: keyOf(api) });
  onTestFinished(() => agent.stop());
  const connector = new Connector(fleet.socketPath('asks'), hello(api.url, ''));
  await eventually(() => fleet.logged.some(({ event }) => event === 'engine_unasked'));
  expect((await connector.session()).tokenization).toBeNull();
  const run = { name: 'a', prompt_tokens: 130, start: 1 };
  expect(await connector.run(run)).toMatchObject({ external: 0, wrong: [] });
  api.isUp = true;
  await eventually(async () => (await connector.session()).tokenization !== null);
  const { tokenization } = await connector.session();
  expect(tokenization).toMatch(/^[0-9a-f]{32}$/);
  await eventually(() => fleet.beats.get('asks')?.worker?.tokenization === tokenization);
});
