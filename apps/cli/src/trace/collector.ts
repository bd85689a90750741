import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readOtlpJson } from './otlp-json.ts';
import type { TraceStore } from './trace-store.ts';

const maxBodyBytes = 8 * 1024 * 1024;
const requestTimeoutMs = 10_000;
const maxConnections = 128;

export interface Collector {
  /** Base URL; exporters post to `/v1/traces` under it. */
  url: string;
  close(): Promise<void>;
}

const loopback = '127.0.0.1';

/**
 * The trace collector of `npm start`: OTLP/HTTP JSON in, the latest traces and requests out, on a free loopback port
 * unless another place is given.
 *
 * `POST /v1/traces` · `GET /traces` · `GET /requests`
 */
export async function startCollector(
  store: TraceStore,
  place: { host?: string; port?: number | undefined } = {},
): Promise<Collector> {
  const { host = loopback, port: wanted = 0 } = place;
  const server = createServer((request, response) => {
    answer(store, request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else
        reply(response, error instanceof BadBody ? error.status : 500, { message: String(error) });
    });
  });
  server.requestTimeout = requestTimeoutMs;
  server.maxConnections = maxConnections;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port: wanted }, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${reachable(host)}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Where who listens there is reached from this machine. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return loopback;
  return host.includes(':') ? `[${host}]` : host;
}

class BadBody extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

async function answer(
  store: TraceStore,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  if (pathname === '/v1/traces') {
    if (request.method !== 'POST') return reply(response, 405, { message: 'POST only' });
    const { spans, rejected } = parse(await readBody(request));
    store.add(spans);
    const partial = { rejectedSpans: String(rejected), errorMessage: 'not spans' };
    return reply(response, 200, rejected === 0 ? {} : { partialSuccess: partial });
  }
  if (request.method !== 'GET') return reply(response, 405, { message: 'GET only' });
  if (pathname === '/traces') return reply(response, 200, { traces: store.traces() });
  if (pathname === '/requests') return reply(response, 200, { requests: store.requests() });
  reply(response, 404, { message: `there is nothing at ${pathname}` });
}

function parse(body: string): ReturnType<typeof readOtlpJson> {
  try {
    return readOtlpJson(JSON.parse(body));
  } catch (error) {
    throw new BadBody(400, `not an OTLP/HTTP JSON trace export: ${(error as Error).message}`);
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const type = request.headers['content-type'] ?? '';
  if (!type.startsWith('application/json')) {
    throw new BadBody(415, 'only application/json is taken');
  }
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') throw new BadBody(415, 'no content encoding is taken');
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBodyBytes) throw new BadBody(413, `a body is at most ${maxBodyBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
