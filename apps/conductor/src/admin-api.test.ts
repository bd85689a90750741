import { sampleBeat } from '@baton/cluster';
import { createCore, type Core } from '@baton/core';
import { expect, test } from 'vitest';
import { adminApi, type AdminSource } from './admin-api.ts';
import { openIndexer } from './indexer-server.ts';

function fleet(): Core {
  const core = createCore({ instanceId: 'c' });
  const xor = new Uint8Array(16);
  const tiers = [{ tier: 2, rank: 0, segments: 0, capacitySegments: 64, xor }];
  const counters = { bytesIn: 5 };
  core.step(
    { type: 'beat', beat: sampleBeat({ workerId: 'd1', role: 'decode' }, { tiers }) },
    1000,
  );
  core.step(
    { type: 'beat', beat: sampleBeat({ workerId: 'p1', role: 'prefill' }, { counters }) },
    1000,
  );
  const request = {
    requestId: 'r1',
    model: 'tiny',
    segmentKeys: new Uint8Array(5 * 16),
    promptTokens: 5 * 64,
    maxOutputTokens: 8,
    excludeWorkers: [],
    traceparent: '',
  };
  core.step({ type: 'plan', sessionId: 's1', request }, 1001);
  return core;
}

function api(bus = 'connected', isPrefilled = false): ReturnType<typeof adminApi> {
  const health = () => ({ bus, sessions: 1, counters: { received: 3 } });
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const indexer = openIndexer({ answers: 'mooncake', log });
  const core = fleet();
  const report = { planId: 'c-1', outputTokens: 1, computedTokens: 320, ttftMs: 90, code: '' };
  if (isPrefilled) {
    core.step(
      { type: 'report', sessionId: 's1', report: { ...report, phase: 'first_token' } },
      1100,
    );
  }
  const treat: AdminSource['treat'] = (model, settings) => core.treat(model, settings);
  return adminApi({ view: core.view, treat, now: () => 1500, health, indexer });
}

test('/workers says role, lease, load, bookings, tiers, counters and transfers under way', async () => {
  const answer = await api().inject('/workers');
  expect(answer.statusCode).toBe(200);
  expect(answer.json()).toMatchObject({
    workers: [
      {
        workerId: 'd1',
        role: 'decode',
        state: 'ready',
        leaseLeftMs: 2500,
        segmentTokens: 64,
        loads: [{ rank: 0, booked: { streams: 1, prefillTokens: 0 } }],
        tiers: [{ tier: 'dram', segments: 0, capacitySegments: 64, indexedSegments: 0 }],
        sync: { synced: true, lastDeltaSeq: 0 },
        transfers: [{ transferId: 'c-1-handover', status: 'ordered', sourceWorker: 'p1' }],
      },
      { workerId: 'p1', counters: { bytesIn: 5 }, loads: [{ booked: { prefillTokens: 320 } }] },
    ],
  });
});

test('/plans and /plans/:id explain', async () => {
  const plans = await api().inject('/plans?limit=1');
  expect(plans.json()).toMatchObject({
    policy: 'kv-centric',
    totals: { planned: 1, disaggregated: 1 },
    live: 1,
    plans: [{ planId: 'c-1', mode: 'disaggregated', explanation: { considered: 1 } }],
  });
  const one = await api().inject('/plans/c-1');
  expect(one.json()).toMatchObject({
    requestId: 'r1',
    choice: { prefill: { workerId: 'p1' }, decode: { workerId: 'd1' } },
    explanation: { candidates: [{ outcome: 'chosen', terms: { prefillMs: 160 } }] },
  });
});

test('/index and /health answer', async () => {
  const index = await api().inject('/index');
  expect(index.json()).toMatchObject({ stats: { segments: 0 }, workers: [{ workerId: 'd1' }, {}] });
  const health = await api().inject('/health');
  expect(health.json()).toMatchObject({ status: 'ok', workers: 2, live: 1, waiting: 0 });
  const away = await api('reconnecting').inject('/health');
  expect(away.json()).toMatchObject({ status: 'degraded', bus: 'reconnecting' });
});

test.each([
  ['/plans?limit=0', 400, 'invalid_request'],
  ['/plans?limit=x', 400, 'invalid_request'],
  ['/plans/none', 404, 'unknown_plan'],
  ['/nothing', 404, 'route_not_found'],
])('%s is answered with %i and a code', async (url, status, code) => {
  const answer = await api().inject(url);
  expect(answer.statusCode).toBe(status);
  expect(answer.json()).toMatchObject({ error: { code } });
});

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
  expect(one.json()).toMatchObject({ models: { tiny: own } });
  expect((await app.inject('/plans')).json()).toMatchObject({ policy: 'round-robin' });
});

test.each([
  [{ policy: 'fastest' }, 'policy'],
  [{ queue: 'random' }, 'queue'],
  [{ policyParameters: { 'round-robin': { x: 1 } } }, 'x'],
  [{ policyParameters: { composite: { alpha: 'much' } } }, 'policyParameters.composite.alpha'],
  [{ slo: { ttftBaseMs: 0 } }, 'slo.ttftBaseMs'],
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
