import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { BatonError } from '@baton/kv';
import { afterEach, expect, test } from 'vitest';
import { EngineHttp, type EngineCall } from '../index.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

async function serve(handler: Handler): Promise<string> {
  const server = createServer((request, response) => {
    if (request.url?.endsWith('/ping')) return void response.end();
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => handler(request, response, body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function client(): EngineHttp {
  const http = new EngineHttp({ connectMs: 2_000, maxAnswerBytes: 1_000 });
  closers.push(() => http.close());
  return http;
}

const call = (engineUrl: string, change: Partial<EngineCall> = {}): EngineCall => ({
  engineUrl,
  path: '/v1/completions',
  body: { prompt: 'é' },
  signal: new AbortController().signal,
  limits: { firstByteMs: 10_000, idleMs: 10_000 },
  ...change,
});

async function faultOf(promise: Promise<unknown>): Promise<BatonError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof BatonError)) throw new Error('expected a BatonError', { cause: error });
  return error;
}

const sse = { 'content-type': 'text/event-stream' };

async function readAll(next: () => Promise<string[] | undefined>): Promise<string[]> {
  const all: string[] = [];
  for (let events = await next(); events !== undefined; events = await next()) all.push(...events);
  return all;
}

test('a JSON call sends body and headers and gives the answer', async () => {
  const url = await serve((request, response, body) => {
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({ path: request.url, trace: request.headers['traceparent'], body }),
    );
  });
  const http = client();
  const answer = await http.postJson(call(`${url}/base/`, { headers: { traceparent: 't' } }));
  expect(answer).toEqual({ path: '/base/v1/completions', trace: 't', body: '{"prompt":"é"}' });
  expect(http.openRequests(`${url}/base/`)).toBe(0);
});

test('connections are kept alive', async () => {
  const ports = new Set<number | undefined>();
  const url = await serve((request, response) => {
    ports.add(request.socket.remotePort);
    response.end('{}');
  });
  const http = client();
  for (let i = 0; i < 20; i++) await http.postJson(call(url));
  // undici frees a connection a moment after the answer's end: the next call may open a second one.
  expect(ports.size).toBeLessThanOrEqual(2);
});

test('a stream gives the events up to [DONE], whatever follows', async () => {
  const url = await serve((_request, response) => {
    response.writeHead(200, sse);
    response.end('data: {"a":"data: [DONE]"}\n\ndata: 2\n\ndata: [DONE]\n\ndata: 3\n\n');
  });
  const stream = await client().postStream(call(url));
  expect(await readAll(() => stream.next())).toEqual(['{"a":"data: [DONE]"}', '2']);
});

test('a stream that ends without [DONE] gives its events and then fails', async () => {
  const url = await serve((_request, response) => {
    response.writeHead(200, sse);
    response.end('data: 1\n\ndata: [DO');
  });
  const stream = await client().postStream(call(url));
  expect(await stream.next()).toEqual(['1']);
  expect(await faultOf(stream.next())).toMatchObject({ code: 'engine_failed' });
});

test('a stream whose connection is cut fails after what arrived', async () => {
  const url = await serve((_request, response) => {
    response.writeHead(200, sse);
    response.write('data: 1\n\n', () => response.destroy());
  });
  const stream = await client().postStream(call(url));
  expect(await stream.next()).toEqual(['1']);
  expect(await faultOf(stream.next())).toMatchObject({ code: 'engine_failed' });
});

test('an error event is a fault of its code', async () => {
  const url = await serve((_request, response) => {
    response.writeHead(200, sse);
    const error = { error: { message: 'no cells', code: 'engine_out_of_cells' } };
    response.end(`data: 1\n\ndata: ${JSON.stringify(error)}\n\ndata: [DONE]\n\n`);
  });
  const stream = await client().postStream(call(url));
  expect(await stream.next()).toEqual(['1']);
  expect(await faultOf(stream.next())).toMatchObject({
    code: 'engine_out_of_cells',
    message: 'no cells',
  });
});

test.each([
  [400, { error: { message: 'bad', code: 400, param: 'stop' } }, 'invalid_request', 'stop'],
  [503, { error: { message: 'm', code: 'kv_transfer_failed' } }, 'kv_transfer_failed', undefined],
  [500, { error: { message: 'm', code: 'internal_error' } }, 'engine_failed', undefined],
  [429, {}, 'no_capacity', undefined],
  [503, 'busy', 'engine_unavailable', undefined],
  [502, null, 'engine_failed', undefined],
  [302, null, 'engine_failed', undefined],
  [404, {}, 'model_not_found', undefined],
  [401, {}, 'engine_failed', undefined],
])('an answer of %d %j is %s', async (status, body, code, field) => {
  const url = await serve((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const http = client();
  for (const fault of [
    await faultOf(http.postJson(call(url))),
    await faultOf(http.postStream(call(url))),
  ]) {
    expect(fault.code).toBe(code);
    expect(fault.details).toMatchObject({ engineStatus: status });
    expect(fault.details['field']).toBe(field);
  }
});

test('a body that is no JSON, no stream or too long is the engine’s fault', async () => {
  const html = await serve((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<html>');
  });
  expect(await faultOf(client().postJson(call(html)))).toMatchObject({ code: 'engine_failed' });
  expect(await faultOf(client().postStream(call(html)))).toMatchObject({ code: 'engine_failed' });
  const long = await serve((_request, response) => response.end(`"${'x'.repeat(2_000)}"`));
  const fault = await faultOf(client().postJson(call(long)));
  expect(fault.code).toBe('protocol_violation');
});

test('nobody listens: engine_unavailable, nothing was sent', async () => {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  const fault = await faultOf(client().postJson(call(`http://127.0.0.1:${port}`)));
  expect(fault).toMatchObject({ code: 'engine_unavailable', details: { phase: 'connect' } });
});

test('a connection reset before the answer: engine_failed', async () => {
  const url = await serve((request) => request.socket.resetAndDestroy());
  expect(await faultOf(client().postStream(call(url)))).toMatchObject({
    code: 'engine_failed',
    details: { phase: 'first_byte' },
  });
});

test('a silent engine: deadline_exceeded, and its connection is closed', async () => {
  const closed = Promise.withResolvers<void>();
  const url = await serve((_request, response) => response.on('close', () => closed.resolve()));
  const limits = { firstByteMs: 50, idleMs: 10_000 };
  const fault = await faultOf(client().postJson(call(url, { limits })));
  expect(fault).toMatchObject({ code: 'deadline_exceeded', details: { phase: 'first_byte' } });
  await closed.promise;
});

test('an engine that falls silent in mid-stream: deadline_exceeded after what arrived', async () => {
  const url = await serve((_request, response) => {
    response.writeHead(200, sse);
    response.write('data: 1\n\n');
  });
  const limits = { firstByteMs: 10_000, idleMs: 50 };
  const stream = await client().postStream(call(url, { limits }));
  expect(await stream.next()).toEqual(['1']);
  expect(await faultOf(stream.next())).toMatchObject({
    code: 'deadline_exceeded',
    details: { phase: 'answer' },
  });
});

test('abort before, while waiting and in mid-stream closes the connection', async () => {
  let open = 0;
  const idle = Promise.withResolvers<void>();
  const url = await serve((_request, response, body) => {
    open += 1;
    response.on('close', () => {
      open -= 1;
      if (open === 0) idle.resolve();
    });
    if (body.includes('stream')) response.writeHead(200, sse).write('data: 1\n\n');
    seen.resolve();
  });
  const seen = Promise.withResolvers<void>();
  const http = client();
  const aborted = { code: 'request_aborted' };
  const before = call(url, { signal: AbortSignal.abort() });
  expect(await faultOf(http.postJson(before))).toMatchObject(aborted);

  const waiting = new AbortController();
  const stopped = faultOf(http.postJson(call(url, { signal: waiting.signal })));
  const reading = new AbortController();
  const stream = await http.postStream(
    call(url, { signal: reading.signal, body: { stream: true } }),
  );
  expect(await stream.next()).toEqual(['1']);
  await seen.promise;
  waiting.abort();
  expect(await stopped).toMatchObject(aborted);
  const next = faultOf(stream.next());
  reading.abort();
  expect(await next).toMatchObject(aborted);
  await idle.promise;
  expect(http.openRequests(url)).toBe(0);
});

test('abort while connecting ends the call at once, and nothing is sent afterwards', async () => {
  let received = 0;
  const server = createTcpServer((socket) => {
    socket.on('data', () => (received += 1)).on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  const abort = new AbortController();
  const stopped = faultOf(
    client().postJson(call(`http://127.0.0.1:${port}`, { signal: abort.signal })),
  );
  const accepted = once(server, 'connection');
  abort.abort();
  expect(await stopped).toMatchObject({ code: 'request_aborted' });
  const [socket] = (await accepted) as [Socket];
  await once(socket.resume(), 'close');
  expect(received).toBe(0);
});

test('a reader that falls behind stops the reading, and the idle limit waits for it', async () => {
  const event = `data: ${'x'.repeat(16_000)}\n\n`;
  let written = 0;
  const total = 2_000;
  const url = await serve((_request, response) => {
    response.writeHead(200, sse);
    const write = () => {
      while (written < total) {
        written += 1;
        if (!response.write(event)) {
          response.once('drain', write);
          return;
        }
      }
      response.end('data: [DONE]\n\n');
    };
    write();
  });
  const limits = { firstByteMs: 10_000, idleMs: 200 };
  const stream = await client().postStream(call(url, { limits }));
  let before = -1;
  while (before !== written) {
    before = written;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  expect(written).toBeLessThan(total);
  expect(await readAll(() => stream.next())).toHaveLength(total);
});

test('a call that cannot even be written fails, and leaves nothing open', async () => {
  const url = await serve((_request, response) => response.end('{}'));
  let deep: unknown[] = [];
  for (let i = 0; i < 200_000; i += 1) deep = [deep];
  const http = client();
  const abort = new AbortController();
  const limits = { firstByteMs: 20, idleMs: 20 };
  for (const change of [{ body: { deep } }, { engineUrl: 'none' }]) {
    const broken = call(url, { ...change, limits, signal: abort.signal });
    expect(await faultOf(http.postJson(broken))).toMatchObject({ code: 'internal_error' });
    expect(await faultOf(http.postStream(broken))).toMatchObject({ code: 'internal_error' });
    expect(http.openRequests(broken.engineUrl)).toBe(0);
  }
  // What nobody listens to any more, in time or with an abort, would end the process.
  abort.abort();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(await http.postJson(call(url))).toEqual({});
});

test('connections to an engine that is gone are closed when its requests are done', async () => {
  const release = Promise.withResolvers<void>();
  const url = await serve((_request, response) => {
    void release.promise.then(() => response.end('{}'));
  });
  const http = client();
  const answer = http.postJson(call(url));
  const closed = http.keepOnly(new Set());
  release.resolve();
  expect(await answer).toEqual({});
  await closed;
  expect(http.openRequests(url)).toBe(0);
});
