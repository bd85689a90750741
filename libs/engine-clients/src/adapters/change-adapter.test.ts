import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { changeAdapter } from './change-adapter.ts';

/** Answers everything alike, and tells what it was asked. */
async function front(status: number, text: string) {
  const asked: unknown[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
    request.on('end', () => {
      asked.push([request.url, JSON.parse(body)]);
      response.writeHead(status).end(text);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { asked, engineUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
const { signal } = new AbortController();

test.each(['vllm', 'sglang'] as const)('%s loads and unloads by name', async (engine) => {
  const text = engine === 'vllm' ? 'Success: LoRA adapter' : '{"success":true}';
  const { asked, engineUrl } = await front(200, text);
  await changeAdapter({ engine, engineUrl, signal }, { name: 'sql', path: '/a' });
  await changeAdapter({ engine, engineUrl, signal }, { name: 'sql' });
  const prefix = engine === 'vllm' ? '/v1' : '';
  expect(asked).toEqual([
    [`${prefix}/load_lora_adapter`, { lora_name: 'sql', lora_path: '/a' }],
    [`${prefix}/unload_lora_adapter`, { lora_name: 'sql' }],
  ]);
});

test.each([
  ['vllm', 400, '{"error":{"message":"it has been loaded"}}', 'it has been loaded'],
  ['vllm', 404, '{"error":{"message":"cannot be found"}}', 'cannot be found'],
  ['vllm', 404, '{"detail":"Not Found"}', 'VLLM_ALLOW_RUNTIME_LORA_UPDATING'],
  ['vllm', 500, 'oops', 'status 500'],
  ['sglang', 400, '{"success":false,"error_message":"too many"}', 'too many'],
  ['sglang', 200, '{"success":false,"error_message":"no rank 64"}', 'no rank 64'],
  ['sglang', 404, '', '--enable-lora'],
] as const)('%s refuses with %i %s', async (engine, status, text, why) => {
  const { engineUrl } = await front(status, text);
  const changing = changeAdapter({ engine, engineUrl, signal }, { name: 'sql', path: '/a' });
  await expect(changing).rejects.toMatchObject({
    code: 'adapter_refused',
    message: expect.stringContaining(why) as string,
  });
});
