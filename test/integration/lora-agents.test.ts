import { spawn, spawnSync } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { startVllmFleet } from '@baton/engine-sim';
import { complete, eventually, send, startNatsServer, startService } from '@baton/test-kit';
import { expect, onTestFinished, test } from 'vitest';
import { startInFront } from '../kit/in-front.ts';

/** LoRA adapters of a vLLM whose KV an agent holds: the connector in Python, agent, conductor and gateway. */

const PYTHON = 'python3';
const asked = spawnSync(PYTHON, ['-c', 'import sys; assert sys.version_info >= (3, 10)']);
const lacksPython = asked.status !== 0;
const connectorFolder = path.join(import.meta.dirname, '../../integrations/vllm');

const MODEL = 'stand-in';
const SQL = '/adapters/sql';
/** Of tests/driver.py. */
const BLOCK_TOKENS = 32;
const SEGMENT_TOKENS = 64;
const SEGMENT_BYTES = 3_000;
const PROMPT_TOKENS = 200;
const SEGMENTS = Math.floor(PROMPT_TOKENS / SEGMENT_TOKENS);

/** The connector beside an engine that computes nothing; its HTTP side is a stand-in, whose events nobody hears. */
function startConnector(socketPath: string, url: string) {
  const hello = {
    worker: {
      ...{ model: MODEL, engine: 'vllm', engine_url: url, tokenization: '' },
      layout: {
        ...{ model_revision: 'r', dtype: 'float32', layers: 2, ranks: 1, bytes_per_token: 100 },
        ...{ block_tokens: BLOCK_TOKENS, connector: 'baton', connector_version: '1' },
        segment_bytes: SEGMENT_BYTES,
      },
      ...{ segment_tokens: SEGMENT_TOKENS, max_model_tokens: 1_024, kv_capacity_blocks: 100 },
      ...{ max_sequences: 4, capabilities: { pull_prefix: true, overlap_handover: true } },
    },
    page_bytes: SEGMENT_BYTES,
  };
  const script = path.join(connectorFolder, 'tests/driver.py');
  const child = spawn(PYTHON, [script, socketPath, JSON.stringify(hello)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, PYTHONPATH: connectorFolder, PYTHONDONTWRITEBYTECODE: '1' },
  });
  onTestFinished(() => void child.kill());
  const answers: ((line: string) => void)[] = [];
  createInterface(child.stdout).on('line', (line) => answers.shift()?.(line));
  return {
    /** What vLLM would give to the connector; how many tokens came from the agent. */
    run: (request: object) =>
      new Promise<{ external: number; wrong: unknown[] }>((resolve) => {
        answers.push((line) => resolve(JSON.parse(line) as { external: number; wrong: unknown[] }));
        child.stdin.write(`${JSON.stringify({ op: 'run', ...request })}\n`);
      }),
  };
}

async function started() {
  const nats = await startNatsServer();
  onTestFinished(() => nats.stop());
  const fleet = await startVllmFleet(['a'], {
    ...{ blockTokens: BLOCK_TOKENS, blocks: 256, maxModelTokens: 1_024, model: MODEL },
    adapters: { slots: 1, loadMs: 10 },
  });
  onTestFinished(() => fleet.stop());
  const [engine] = fleet.engines;
  if (engine === undefined) throw new Error('one was started');
  const socketPath = path.join(nats.folder, 'a.sock');
  const agent = await startService('agent', 'agent a', [
    ...['--worker-id', 'a', '--nats-url', nats.url, '--socket-path', socketPath],
    ...['--beat-interval-ms', '100', '--state-folder', nats.folder, '--dram-bytes', '4194304'],
  ]);
  onTestFinished(() => agent.stop());
  const connector = startConnector(socketPath, engine.url);
  const front = await startInFront([], nats.url);
  onTestFinished(() => front.stop());
  await eventually(async () => expect((await fetch(`${front.url}/health`)).status).toBe(200));
  return { front, engine, connector };
}

test.skipIf(lacksPython)(
  'adapters of an engine with an agent: told, loaded, obeyed, unloaded, and in the keys',
  async () => {
    const { front, engine, connector } = await started();
    const body = { prompt: [1], max_tokens: 1 };
    const status = async (model: string) =>
      (await send(front.url, '/v1/completions', { ...body, model })).status;
    expect(await status('sql')).toBe(404);
    const loaded = await front.admin('/adapters', 'POST', { name: 'sql', path: SQL });
    expect(loaded).toEqual({ results: [{ workerId: 'a', ok: true }] });
    expect(await front.admin('/adapters')).toMatchObject({
      adapters: [
        { name: 'sql', model: MODEL, path: SQL, serves: true, workers: [{ workerId: 'a' }] },
      ],
    });
    await eventually(async () => expect(await status('sql')).toBe(200));
    expect(await front.admin('/adapters', 'POST', { name: 'sql', path: SQL })).toMatchObject({
      results: [{ ok: false, message: expect.stringContaining('already been loaded') as string }],
    });

    // What the connector keeps under its keys is what the conductor finds by the gateway's.
    const start = 1_000;
    const prompt = Array.from({ length: PROMPT_TOKENS }, (_, i) => start + i);
    const run = { prompt_tokens: PROMPT_TOKENS, start };
    const adapter = { name: 'sql', path: SQL };
    expect(await connector.run({ ...run, name: 'r1', adapter })).toMatchObject({ external: 0 });
    const whole = SEGMENTS * SEGMENT_TOKENS;
    const again = await connector.run({ ...run, name: 'r2', adapter });
    expect(again).toMatchObject({ external: whole, wrong: [] });
    const matched = async (model: string) => {
      await complete(front.url, { model, prompt, max_tokens: 1 });
      const { plans } = await front.admin<{
        plans: { adapter: string; explanation: { matchedTokens: number } }[];
      }>('/plans?limit=1');
      return plans[0]?.explanation.matchedTokens;
    };
    expect(await matched(MODEL)).toBe(0);
    await eventually(async () => expect(await matched('sql')).toBe(whole));

    // The same name for other weights has nothing of it.
    const gone = await front.admin('/adapters/sql', 'DELETE');
    expect(gone).toEqual({ results: [{ workerId: 'a', ok: true }] });
    expect(await front.admin('/adapters')).toEqual({ adapters: [] });
    await eventually(async () => expect(await status('sql')).toBe(404));
    await front.admin('/adapters', 'POST', { name: 'sql', path: `${SQL}-2` });
    await eventually(async () => expect(await status('sql')).toBe(200));
    expect(await matched('sql')).toBe(0);
    const other = { ...adapter, path: `${SQL}-2` };
    expect(await connector.run({ ...run, name: 'r3', adapter: other })).toMatchObject({
      external: 0,
    });

    // An engine that begins again has lost it, and nobody has it any more.
    await engine.restart();
    await eventually(async () => expect(await front.admin('/adapters')).toEqual({ adapters: [] }));
    await eventually(async () => expect(await status('sql')).toBe(404));
  },
);
