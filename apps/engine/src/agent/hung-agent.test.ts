import { LINK_SILENCE_MS } from '@baton/engine-link';
import { eventually, metricsOf, post } from '@baton/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestAgent } from '../testing/test-agent.ts';
import { startTestEngine, tinyModelFolder } from '../testing/test-engine.ts';
import type { TestEngine } from '../testing/test-engine.ts';

const COMPLETION = '/v1/completions';
const model = tinyModelFolder();
let engine: TestEngine;
let agent: TestAgent;
let source: TestAgent;

beforeAll(async () => {
  [agent, source] = [await TestAgent.start(), await TestAgent.start()];
  agent.peer = source;
  engine = await startTestEngine({ model: model.file, agentSocket: agent.socketPath });
  await eventually(() => agent.linked);
});
afterAll(async () => {
  await engine?.stop();
  await Promise.all([agent.close(), source.close()]);
  model.remove();
});

const bodyOf = (seed: number): object => ({
  model: 'tiny',
  prompt: Array.from({ length: 200 }, (_, i) => 261 + ((i * 31 + seed * 17) % 95)),
  max_tokens: 4,
});
const handover = (planId: string): object => ({
  kv_transfer_params: {
    do_remote_prefill: true,
    do_remote_decode: false,
    baton: { plan_id: planId },
  },
});
const prefill = (planId: string): object => ({
  max_tokens: 1,
  kv_transfer_params: {
    do_remote_prefill: false,
    do_remote_decode: true,
    baton: { plan_id: planId, decode_held_tokens: 0, prefix_tokens: 0 },
  },
});

test('a handover is not waited for when its agent hangs, and afterwards nothing is left', async () => {
  const waiting = post(engine.url, COMPLETION, { ...bodyOf(1), ...handover('a') });
  await eventually(() => agent.loads.length === 1);
  agent.hang();
  const { status, body } = await waiting;
  expect([status, body.error?.code]).toEqual([503, 'kv_transfer_failed']);
  expect(body.error?.message).toContain(`has said nothing for ${LINK_SILENCE_MS} ms`);

  // Whatever comes now does without it, at once.
  const next = await post(engine.url, COMPLETION, { ...bodyOf(2), ...handover('b') });
  expect(next.body.error?.code).toBe('kv_transfer_failed');
  expect((await post(engine.url, COMPLETION, { ...bodyOf(3), ...prefill('c') })).status).toBe(200);
  expect((await post(engine.url, COMPLETION, bodyOf(4))).status).toBe(200);
  expect(agent.loads).toHaveLength(1);

  agent.goOn();
  await eventually(() => agent.ended.length === 4);
  expect(agent.pinned.size + agent.reserved.size).toBe(0);
  expect(agent.problems).toEqual([]);
  await eventually(async () => {
    const asked = agent.loads.length;
    await post(engine.url, COMPLETION, bodyOf(5));
    return agent.loads.length > asked;
  });
  await eventually(async () => (await metricsOf(engine.url)).get('num_requests_running') === 0);
});

test('the first load that an agent hears says how fast the engine is, and is no request', async () => {
  const fresh = await TestAgent.start();
  const started = await startTestEngine({ model: model.file, agentSocket: fresh.socketPath });
  await eventually(() => fresh.linked);
  const [first] = fresh.loadReports;
  expect(first?.prefillTokensPerSec).toBeGreaterThan(0);
  expect(first?.decodeTokensPerSec).toBeGreaterThan(0);
  const metrics = [...(await metricsOf(started.url))];
  expect(metrics.map(([name]) => name)).toContain('prompt_tokens_total');
  const counted = metrics.filter(([name, value]) => /_(total|count)\b/.test(name) && value !== 0);
  expect(counted).toEqual([]);
  await started.stop();
  await fresh.close();
});

test('an engine at rest tells its load again and again', async () => {
  const before = agent.loadReports.length;
  await eventually(() => agent.loadReports.length >= before + 3);
});
