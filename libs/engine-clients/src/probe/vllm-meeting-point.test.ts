import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { asking } from './probed-engine.ts';
import { mooncakeMeetingPoint, nixlMeetingPoint } from './vllm-meeting-point.ts';

const signal = new AbortController().signal;

/** Answers with JSON, by path and data-parallel rank. */
async function front(answer: (path: string, rank: number) => unknown): Promise<string> {
  const server = createServer((request, response) => {
    const rank = Number(request.headers['x-data-parallel-rank'] ?? 0);
    const said = answer(request.url ?? '', rank);
    request.resume().on('end', () => response.end(JSON.stringify(said)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** As a real vLLM 0.32.0 with NixlPushConnector answers a prefill. */
const pushed = (rank: number) => ({
  kv_transfer_params: {
    ...{ do_remote_prefill: true, do_remote_decode: false, remote_block_ids: [[9]] },
    ...{ remote_engine_id: `prefill-${rank}`, remote_request_id: 'cmpl-1-0-a34db78c' },
    ...{ remote_host: '10.0.0.1', remote_port: 5_600 + rank, tp_size: 2, dcp_size: 1, pp_size: 1 },
    ...{ remote_num_tokens: 3, transfer_mode: 'push', remote_prefill_cached_tokens: 0 },
  },
});

test('a prefill worker that pushes says where its ranks are met', async () => {
  const engineUrl = await front((_, rank) => pushed(rank));
  const ask = asking({ engineUrl, signal });
  const place = { host: '10.0.0.1', port: 5_600, tensorRanks: 2, pipelineRanks: 1 };
  expect(await nixlMeetingPoint(engineUrl, 'm', 1, ask)).toEqual({
    ...place,
    engineIds: ['prefill-0'],
  });
  expect(await nixlMeetingPoint(engineUrl, 'm', 2, ask)).toEqual({
    ...place,
    engineIds: ['prefill-0', 'prefill-1'],
  });
});

test.each([
  [
    'reads',
    { ...pushed(0).kv_transfer_params, transfer_mode: 'pull' },
    'has its KV read by decode',
  ],
  ['hands nothing over', null, 'hands no KV over'],
  ['names no engine', { ...pushed(0).kv_transfer_params, remote_engine_id: '' }, 'hands no KV'],
  ['has no port', { ...pushed(0).kv_transfer_params, remote_port: 0 }, 'hands no KV over'],
])('one that %s is refused', async (_, params, why) => {
  const engineUrl = await front(() => ({ kv_transfer_params: params }));
  const met = nixlMeetingPoint(engineUrl, 'm', 1, asking({ engineUrl, signal }));
  await expect(met).rejects.toThrow(why);
});

test('the bootstrap server of Mooncake is met at the host of the engine', async () => {
  const entry = (id: string) => ({ engine_id: id, worker_addr: { 0: { 0: '10.0.0.1:4000' } } });
  const url = await front((path) => (path === '/query' ? { 0: entry('a'), 1: entry('b') } : {}));
  const bootstrapPort = Number(new URL(url).port);
  const pair = { role: 'prefill' as const, bootstrapPort };
  const met = await mooncakeMeetingPoint({ engineUrl: 'http://127.0.0.1:1', pair, signal });
  expect(met).toMatchObject({ host: '127.0.0.1', port: bootstrapPort, engineIds: ['a', 'b'] });
  for (const nonsense of [{}, null, { 1: entry('a') }, { 0: { engine_id: '' } }]) {
    const other = await front(() => nonsense);
    const settings = { role: 'prefill' as const, bootstrapPort: Number(new URL(other).port) };
    await expect(
      mooncakeMeetingPoint({ engineUrl: 'http://127.0.0.1:1', pair: settings, signal }),
    ).rejects.toThrow('names no engine');
  }
});
