import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { paintFor } from '../render/terminal-text.ts';
import { listAdapters, loadAdapter, unloadAdapter } from './adapter-command.ts';

/** A conductor that answers everything alike. */
async function conductor(status: number, answer: object) {
  const asked: unknown[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
    request.on('end', () => {
      asked.push([request.method, request.url, body === '' ? undefined : JSON.parse(body)]);
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const lines: string[] = [];
  const print = (line: string): void => void lines.push(line);
  const { port } = server.address() as AddressInfo;
  const output = { json: false, paint: paintFor(false, {}), print };
  return { asked, lines, output, url: `http://127.0.0.1:${port}` };
}

test('who has which adapter, a line for each', async () => {
  const adapters = [
    {
      ...{ name: 'sql', model: 'tiny', path: '/adapters/sql', serves: true },
      workers: [
        { workerId: 'a', state: 'warm' },
        { workerId: 'b', state: 'cold' },
      ],
    },
  ];
  const { url, lines, output } = await conductor(200, { adapters });
  await listAdapters(url, output);
  const words = lines.map((line) => line.split(/\s+/).join(' ').trim());
  expect(words).toEqual([
    'adapter model worker state serves path',
    'sql tiny a warm yes /adapters/sql',
    'sql tiny b cold yes /adapters/sql',
  ]);
});

test('what each engine says of a load, and whether all have done it', async () => {
  const results = [
    { workerId: 'a', ok: true },
    { workerId: 'b', ok: false, message: 'no rank 64' },
  ];
  const { url, asked, lines, output } = await conductor(200, { results });
  const adapter = { name: 'sql', path: '/a', model: undefined, workers: ['a', 'b'] };
  expect(await loadAdapter(url, adapter, output)).toBe(false);
  expect(lines).toEqual(['a has loaded sql', 'b refused: no rank 64']);
  expect(asked).toEqual([['POST', '/adapters', { name: 'sql', path: '/a', workers: ['a', 'b'] }]]);
});

test('unload names the engines, and a refusal is an error', async () => {
  const done = await conductor(200, { results: [{ workerId: 'a', ok: true }] });
  const meant = { name: 'org/sql', workers: ['a', 'b'], isNow: true };
  expect(await unloadAdapter(done.url, meant, done.output)).toBe(true);
  expect(done.asked).toEqual([
    ['DELETE', '/adapters/org%2Fsql?worker=a&worker=b&now=true', undefined],
  ]);
  const refused = await conductor(404, {
    error: { code: 'adapter_not_found', message: 'no engine has an adapter sql' },
  });
  await expect(
    unloadAdapter(refused.url, { name: 'sql', workers: [], isNow: false }, refused.output),
  ).rejects.toThrow('no engine has an adapter sql');
});
