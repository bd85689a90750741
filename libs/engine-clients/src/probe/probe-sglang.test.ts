import { expect, onTestFinished, test } from 'vitest';
import { EngineAccess, lookAgain, probeEngine } from '../index.ts';
import { SglangFront } from '../testing/index.ts';

const { signal } = new AbortController();

async function started(changes: Partial<SglangFront> = {}): Promise<SglangFront> {
  const front = await SglangFront.start(changes);
  onTestFinished(() => front.close());
  return front;
}

const probed = (front: SglangFront) => probeEngine({ engineUrl: front.url, signal });
const withInfo = async (info: object) => {
  const front = await started();
  return probed(Object.assign(front, { info: { ...front.info, ...info } }));
};

test('a server that does whole requests: its room, its load, and nothing that moves KV', async () => {
  expect(await probed(await started())).toMatchObject({
    ...{ engine: 'sglang', version: '0.5.16', side: undefined, connector: '', takesChats: true },
    ...{ model: { id: 'tiny', root: '/models/tiny' }, maxModelTokens: 1_024 },
    metrics: {
      ...{ ranks: [{ running: 2, waiting: 1, kvUsage: 0.25 }], startedAtSec: 0 },
      cache: { blockTokens: 16, blocks: 256, prefixCaching: true },
    },
    events: undefined,
    eventsObstacle: expect.stringContaining('start it with --kv-events-config') as string,
  });
});

test.each([
  ['mooncake', 'sglang-mooncake'],
  ['nixl', 'sglang-nixl'],
  ['fake', ''],
])('the prefill side with backend %s is met at the host of its URL', async (backend, connector) => {
  const one = await withInfo({
    ...{ disaggregation_mode: 'prefill', disaggregation_transfer_backend: backend, tp_size: 2 },
    disaggregation_bootstrap_port: 9_001,
  });
  expect(one).toMatchObject({
    ...{ side: 'prefill', connector },
    meetingPoint: { host: '127.0.0.1', port: 9_001, engineIds: [], tensorRanks: 2 },
  });
});

const events = (endpoint: string) => ({
  kv_events_config: JSON.stringify({ publisher: 'zmq', endpoint, replay_endpoint: 'tcp://*:2' }),
});

test.each<[string, object, string | undefined]>([
  ['everywhere', events('tcp://*:1'), undefined],
  ['on all addresses', events('tcp://0.0.0.0:1'), undefined],
  ['elsewhere', events('tcp://10.0.0.1:1'), 'its KV events go to tcp://10.0.0.1:1'],
  [
    'beyond the last port',
    { ...events('tcp://*:65535'), dp_size: 2 },
    'tcp://*:65535 has no port for rank 1',
  ],
  ['with adapters', { ...events('tcp://*:1'), enable_lora: true }, 'do not tell adapters apart'],
  ['without prefixes', { ...events('tcp://*:1'), disable_radix_cache: true }, 'caches no prefixes'],
  [
    'of a decode side',
    { ...events('tcp://*:1'), disaggregation_mode: 'decode' },
    '--disaggregation-decode-enable-radix-cache',
  ],
])('events %s', async (_, info, obstacle) => {
  const one = await withInfo(info);
  if (obstacle !== undefined) expect(one.eventsObstacle).toContain(obstacle);
  expect(one.events).toEqual(
    obstacle === undefined
      ? [{ eventsEndpoint: 'tcp://127.0.0.1:1', replayEndpoint: 'tcp://127.0.0.1:2', topic: '' }]
      : undefined,
  );
});

const rankLoads = [
  { dp_rank: 0, num_running_reqs: 2, num_waiting_reqs: 1, num_used_tokens: 1_024 },
  { dp_rank: 1, num_running_reqs: 5, num_waiting_reqs: 0, num_used_tokens: 0 },
];

test.each(['null', 'prefill'])(
  'data-parallel ranks that can be asked have a load and events each (%s)',
  async (disaggregation_mode) => {
    const front = await started({ loads: { loads: rankLoads } });
    Object.assign(front.info, events('tcp://*:5557'), {
      ...{ dp_size: 2, max_running_requests: 64, disaggregation_mode },
    });
    const one = await probed(front);
    expect(one).toMatchObject({
      ...{ ranks: 2, maxSequences: 32, eventsObstacle: undefined },
      metrics: {
        ranks: [
          { running: 2, waiting: 1, kvUsage: 0.25 },
          { running: 5, waiting: 0, kvUsage: 0 },
        ],
        cache: { blocks: 256 },
      },
    });
    expect(one.events?.map(({ eventsEndpoint }) => eventsEndpoint)).toEqual([
      ...['tcp://127.0.0.1:5557', 'tcp://127.0.0.1:5558'],
    ]);
    const again = await lookAgain(one, { engineUrl: front.url, signal });
    expect(again.metrics).toEqual(one.metrics);
  },
);

test.each([2, 3, 8])(
  'one of %i ranks that chooses among them itself is one worker, and its events are of no use',
  async (dp_size) => {
    for (let turn = 0; turn < dp_size; turn += 1) {
      const front = await started({ heedsRank: false, loads: { loads: rankLoads } });
      Object.assign(front.info, events('tcp://*:5557'), { dp_size, max_running_requests: 64 });
      await Promise.all(
        Array.from({ length: turn }, () =>
          fetch(`${front.url}/generate`, { method: 'POST', body: '{}' }),
        ),
      );
      const one = await probed(front);
      expect(one).toMatchObject({
        ...{ ranks: 1, maxSequences: 64, events: undefined },
        metrics: { ranks: [{ running: 7, waiting: 1 }], cache: { blocks: 256 * dp_size } },
      });
      expect(one.eventsObstacle).toContain(`chooses among its ${dp_size} data-parallel ranks`);
    }
  },
);

test('a server that has neither API of loads tells them by its metrics', async () => {
  const front = await started({
    loads: undefined,
    metrics: 'sglang:num_running_reqs 4\nsglang:num_queue_reqs 2\nsglang:num_used_tokens 2048\n',
  });
  front.statuses.set('/get_load', 404);
  const load = [{ running: 4, waiting: 2, kvUsage: 0.5 }];
  const one = await probed(front);
  expect(one.metrics?.ranks).toEqual(load);
  expect((await lookAgain(one, { engineUrl: front.url, signal })).metrics?.ranks).toEqual(load);
});

test('older servers: other names, no load, no chats', async () => {
  const front = await started({ rendersChats: false, loads: undefined });
  front.statuses.set('/server_info', 404);
  const one = await probed(front);
  expect(one).toMatchObject({
    takesChats: false,
    metrics: { ranks: [{ running: 3, waiting: 2 }] },
  });
  expect(front.asked).toContain('/get_server_info');
  const other = await probed(await started());
  expect(other.tokenization).not.toBe(one.tokenization);
});

test('looking again asks for the load alone: it says neither its health nor anything slow', async () => {
  const front = await started();
  const before = await probed(front);
  front.asked.length = 0;
  front.loads = { loads: [{ num_running_reqs: 9, num_waiting_reqs: 0, num_used_tokens: 4_096 }] };
  const now = await lookAgain(before, { engineUrl: front.url, signal });
  const ranks = [{ running: 9, waiting: 0, kvUsage: 1 }];
  expect(now).toEqual({ metrics: { ...before.metrics, ranks }, adapters: undefined });
  expect(front.asked).toEqual(['/v1/loads?include=core']);
  front.statuses.set('/v1/loads?include=core', 503);
  await expect(lookAgain(before, { engineUrl: front.url, signal })).rejects.toMatchObject({
    code: 'engine_unavailable',
  });
});

test('one that takes adapters is asked for them again and again', async () => {
  const front = await started();
  Object.assign(front.info, { enable_lora: true, max_loras_per_batch: 3 });
  const before = await probed(front);
  expect(before.metrics?.adapters).toEqual({ slots: 3, used: [], atSec: 0 });
  expect(before.adapters).toEqual([]);
  front.adapters = [{ id: 'sql', root: '/adapters/sql', parent: 'tiny' }];
  const now = await lookAgain(before, { engineUrl: front.url, signal });
  expect(now.adapters).toEqual([{ name: 'sql', revision: '/adapters/sql' }]);
});

test('its key is asked for by name, and taken', async () => {
  const front = await started({ apiKey: 'open-sesame' });
  await expect(probed(front)).rejects.toThrow('give the file with it as --api-key-file');
  const access = new EngineAccess({ apiKey: 'open-sesame' });
  const one = await probeEngine({ engineUrl: front.url, access, signal });
  expect(one.engine).toBe('sglang');
});

test('a server that does not say how long a prompt may be is not served', async () => {
  await expect(probed(await started({ window: null }))).rejects.toThrow('how long a prompt may be');
});
