import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { EngineAccess } from '../access/engine-access.ts';
import { resetEngineCache } from './reset-engine-cache.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** An engine that answers to one route. */
async function engineWith(route: string, status: number): Promise<string> {
  const server = createServer((request, response) => {
    const found = `${request.method} ${request.url}` === route;
    response.writeHead(found ? status : 404).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('an engine that asks for a key gets it', async () => {
  const server = createServer(({ headers }, response) => {
    response.writeHead(headers.authorization === 'Bearer secret' ? 200 : 401).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => server.close());
  const engineUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const asked = { engine: 'vllm', engineUrl };
  expect(await resetEngineCache(asked)).toContain('answers 401');
  const access = new EngineAccess({ apiKey: 'secret' });
  expect(await resetEngineCache({ ...asked, access })).toBeUndefined();
});

test('each engine has its own route', async () => {
  const vllm = await engineWith('POST /reset_prefix_cache', 200);
  expect(await resetEngineCache({ engine: 'vllm', engineUrl: vllm })).toBeUndefined();
  const sglang = await engineWith('POST /flush_cache', 200);
  expect(await resetEngineCache({ engine: 'sglang', engineUrl: sglang })).toBeUndefined();
});

test('what stands in the way is said', async () => {
  const busy = await engineWith('POST /flush_cache', 400);
  expect(await resetEngineCache({ engine: 'sglang', engineUrl: busy })).toBe(
    `the engine answers 400 to POST ${busy}/flush_cache`,
  );
  const gone = { engine: 'vllm', engineUrl: 'http://127.0.0.1:1' };
  expect(await resetEngineCache(gone)).toMatch(
    /POST http:.*reset_prefix_cache failed: .*ECONNREFUSED/,
  );
});
