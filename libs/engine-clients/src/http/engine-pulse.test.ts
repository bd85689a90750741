import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BatonError } from '@baton/kv';
import { eventually } from '@baton/test-kit';
import { afterEach, expect, test } from 'vitest';
import { EngineHttp } from '../index.ts';

const pulse = { everyMs: 20, answerMs: 300 };
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** Takes every call and never ends it; says whether it is there as long as it is not hung. */
async function engine() {
  const state = { isHung: false, asked: 0, calls: 0, url: '' };
  const server = createServer((request, response) => {
    if (request.url === '/base/ping') {
      state.asked += 1;
      // What it says does not matter.
      if (!state.isHung) response.writeHead(503).end();
      return;
    }
    state.calls += 1;
    if (request.url === '/base/stream') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/base`;
  return state;
}

function client(): EngineHttp {
  const http = new EngineHttp({ connectMs: 2_000, maxAnswerBytes: 1_000, pulse });
  closers.push(() => http.close());
  return http;
}

const call = (engineUrl: string, path: string) => {
  const abort = new AbortController();
  const limits = { firstByteMs: 600_000, idleMs: 600_000 };
  return { engineUrl, path, body: {}, signal: abort.signal, limits, abort };
};

const faultOf = async (promise: Promise<unknown>): Promise<BatonError> => {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof BatonError) return error;
  throw new Error('expected a BatonError', { cause: error });
};

test('calls at an engine that hangs end, those that wait and those in mid-stream', async () => {
  const hung = await engine();
  const http = client();
  const waiting = faultOf(http.postJson(call(hung.url, '/wait')));
  const stream = await http.postStream(call(hung.url, '/stream'));
  expect(await stream.next()).toEqual(['1']);
  const reading = faultOf(stream.next());
  hung.isHung = true;
  const code = 'engine_unavailable';
  expect(await waiting).toMatchObject({ code, details: { phase: 'first_byte' } });
  expect(await reading).toMatchObject({ code, details: { phase: 'answer' } });
  expect(http.openRequests(hung.url)).toBe(0);
});

test('an engine that says that it is there may take its time', async () => {
  const slow = await engine();
  const http = client();
  const { abort, ...waiting } = call(slow.url, '/wait');
  const fault = faultOf(http.postJson(waiting));
  // Several times what a hung one is given.
  await eventually(() => slow.asked >= 30);
  expect(http.openRequests(slow.url)).toBe(1);
  abort.abort();
  expect(await fault).toMatchObject({ code: 'request_aborted' });
});

test('an answer that is missed once is no death', async () => {
  const shaky = await engine();
  const http = client();
  const { abort, ...waiting } = call(shaky.url, '/wait');
  const fault = faultOf(http.postJson(waiting));
  shaky.isHung = true;
  const before = shaky.asked;
  await eventually(() => shaky.asked > before);
  shaky.isHung = false;
  await eventually(() => shaky.asked > before + 5);
  expect(http.openRequests(shaky.url)).toBe(1);
  abort.abort();
  expect(await fault).toMatchObject({ code: 'request_aborted' });
});

test('a standstill of this process is not the engine’s silence', async () => {
  const well = await engine();
  const http = client();
  const { abort, ...waiting } = call(well.url, '/wait');
  const fault = faultOf(http.postJson(waiting));
  for (let i = 0; i < 6; i++) {
    const before = well.asked;
    await eventually(() => well.asked > before);
    // The question is under way; its answer comes while nothing here runs.
    const until = performance.now() + pulse.answerMs + 50;
    while (performance.now() < until);
  }
  expect(http.openRequests(well.url)).toBe(1);
  abort.abort();
  expect(await fault).toMatchObject({ code: 'request_aborted' });
});

test('an engine that left the fleet is asked as long as it works for somebody, then no more', async () => {
  const left = await engine();
  const http = client();
  const { abort, ...waiting } = call(left.url, '/wait');
  const fault = faultOf(http.postJson(waiting));
  void http.keepOnly(new Set());
  await eventually(() => left.asked > 2);
  abort.abort();
  expect(await fault).toMatchObject({ code: 'request_aborted' });
  const asked = left.asked;
  await new Promise((resolve) => setTimeout(resolve, 10 * pulse.everyMs));
  expect(left.asked).toBeLessThanOrEqual(asked + 1);
});
