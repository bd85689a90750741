import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { EngineAccess, EngineHttp, lookAgain, readCredentials } from '../index.ts';

const pem = (name: string): URL =>
  new URL(`../../../../test/fixtures/tls/${name}.pem`, import.meta.url);
const ca = readFileSync(pem('cert'), 'utf8');
const never = new AbortController().signal;

/** An engine behind TLS that takes one key. */
async function lockedEngine(): Promise<string> {
  const server = createServer({ key: readFileSync(pem('key')), cert: ca }, (request, response) => {
    const isKnown = request.headers.authorization === 'Bearer open-sesame';
    request.resume().on('end', () => response.writeHead(isKnown ? 200 : 503).end('{"ok":true}'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function written(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'baton-access-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'secret');
  writeFileSync(file, text);
  return file;
}

/** Both ways in which engines are asked. */
async function asked(engineUrl: string, access: EngineAccess): Promise<string[]> {
  const http = new EngineHttp({ connectMs: 2_000, maxAnswerBytes: 1_000, access });
  onTestFinished(() => http.close());
  const limits = { firstByteMs: 5_000, idleMs: 5_000 };
  const call = { engineUrl, path: '/v1/x', body: {}, signal: never, limits };
  const tried = await Promise.allSettled([
    http.postJson(call),
    lookAgain(
      { engine: 'vllm', ranks: 1, metrics: undefined },
      { engineUrl, access, signal: never },
    ),
  ]);
  return tried.map(({ status }) => status);
}

test('an engine behind TLS with a key is reached with both, and with neither alone', async () => {
  const url = await lockedEngine();
  const apiKeyFile = written('open-sesame\n');
  const credentials = readCredentials({ apiKeyFile, caFile: pem('cert').pathname });
  const [yes, no] = ['fulfilled', 'rejected'];
  expect(await asked(url, new EngineAccess(credentials))).toEqual([yes, yes]);
  expect(await asked(url, new EngineAccess({ ca }))).toEqual([no, no]);
  expect(await asked(url, new EngineAccess({ apiKey: 'open-sesame' }))).toEqual([no, no]);
});

test('what one engine asks for is not told to others, and what is not its own is as for all', async () => {
  const url = await lockedEngine();
  const access = new EngineAccess({ ca });
  access.allow(url, { apiKey: 'open-sesame' });
  expect(access.of('http://other').headers).toEqual({});
  expect(await asked(url, access)).toEqual(['fulfilled', 'fulfilled']);
  access.forget(url);
  expect(await asked(url, access)).toEqual(['rejected', 'rejected']);
});

test.each([
  ['a key of two lines', { apiKey: 'a\nb' }, 'apiKey must be one key'],
  ['an empty key', { apiKey: '' }, 'apiKey must be one key'],
  ['a certificate that is none', { ca: 'x' }, 'ca must be a certificate in PEM'],
])('%s is refused by name', (_, credentials, message) => {
  expect(() => new EngineAccess(credentials)).toThrow(message);
});

test('a file that is not there is named', () => {
  expect(() => readCredentials({ apiKeyFile: '/nowhere/key' })).toThrow(
    /apiKeyFile: .*\/nowhere\/key/,
  );
});

test('an engine is known by its URL, however that is written', () => {
  const access = new EngineAccess();
  access.allow('http://Gpu-1:80/', { apiKey: 'k' });
  expect(access.of('http://gpu-1').headers).toEqual({ authorization: 'Bearer k' });
  access.forget('HTTP://GPU-1');
  expect(access.of('http://gpu-1').headers).toEqual({});
});
