import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { adminApp as api } from './testing/admin-app.ts';

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

test.each([
  ['GET', '/plans/%zz', 400, 'is not a valid url component'],
  ['PUT', '/policies/%E0%A4%A', 400, 'is not a valid url component'],
  ['GET', '/%', 400, 'is not a valid url component'],
  ['PUT', `/policies/${'x'.repeat(513)}`, 414, 'at most 512 characters'],
  ['GET', `/plans/${'x'.repeat(513)}`, 414, 'at most 512 characters'],
])('%s %s is refused as everything else is', async (method, url, status, message) => {
  const answer = await api().inject({ method: method as 'GET', url, payload: {} });
  expect(answer.statusCode).toBe(status);
  expect(answer.json()).toEqual({
    error: {
      ...{ code: 'invalid_request', type: 'invalid_request_error', param: null },
      message: expect.stringContaining(message) as unknown,
    },
  });
});

test.each([
  ['no HTTP', 'nonsense\r\n\r\n', 400, 'invalid_request'],
  [
    'endless headers',
    `GET / HTTP/1.1\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`,
    431,
    'headers_too_large',
  ],
])('%s is refused as everything else is', async (_name, bytes, status, code) => {
  const app = api();
  onTestFinished(() => app.close());
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(bytes);
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({ error: { code } });
});
