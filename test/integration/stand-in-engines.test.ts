import { connectBus, type Bus } from '@baton/bus';
import { startVllmFleet, type StandInFleet, type StandIn } from '@baton/engine-sim';
import { baton } from '@baton/proto';
import {
  eventually,
  metricsOf,
  post,
  startNatsServer,
  startService,
  stream,
  type NatsServer,
  type ServiceProcess,
} from '@baton/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** A gateway and a conductor, as processes, before a prefill side and a decode side that are stand-ins for vLLM. */

const { Role, WorkerState } = baton.v1;
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const MODEL = 'stand-in';
const BLOCK_TOKENS = 16;
const SEGMENT_TOKENS = 64;
const WINDOW = 1_024;
const BLOCKS = 256;
const BEAT_MS = 200;
const LEASE_MS = 10_000;

let nats: NatsServer;
let bus: Bus;
let services: ServiceProcess[] = [];
let fleet: StandInFleet;
let beating: NodeJS.Timeout;
let url: string;

function beat(engine: StandIn, role: baton.v1.Role, startedAtMs: number): void {
  bus.publishBeat({
    worker: {
      ...{ workerId: engine.name, role, model: MODEL, engine: 'vllm', engineUrl: engine.url },
      transferAddress: `${engine.name}:1`,
      layout: {
        ...{ modelRevision: 'a', dtype: 'f16', layers: 2, ranks: 1, blockTokens: BLOCK_TOKENS },
        ...{ connector: 'nixl', connectorVersion: '1', bytesPerToken: 64, segmentBytes: 4_096 },
      },
      ...{ tokenization: 'bytes', segmentTokens: SEGMENT_TOKENS, maxModelTokens: WINDOW },
      ...{ kvCapacityBlocks: BLOCKS, maxSequences: 8 },
      capabilities: { takeTokens: true },
    },
    epoch: { startedAtMs },
    state: WorkerState.WORKER_STATE_READY,
    lastDeltaSeq: 0,
    tiers: [],
    leaseMs: LEASE_MS,
  });
}

beforeAll(async () => {
  nats = await startNatsServer();
  fleet = await startVllmFleet(['prefill', 'decode'], {
    ...{ speedUp: 100, blocks: BLOCKS, maxModelTokens: WINDOW, blockTokens: BLOCK_TOKENS },
    nixl: {},
  });
  const natsUrl = ['--nats-url', nats.url];
  const conductor = await startService('conductor', 'conductor', [
    ...natsUrl,
    ...['--grpc-port', '0', '--admin-port', '0'],
  ]);
  services = [conductor];
  const address = conductor.endpoints['grpc'] ?? '';
  const gateway = await startService('gateway', 'gateway', [
    ...['--conductor', address, '--port', '0'],
  ]);
  services.push(gateway);
  bus = await connectBus({ url: nats.url, name: 'agents', log: silent });
  const startedAtMs = Date.now();
  const [prefill, decode] = fleet.engines;
  if (prefill === undefined || decode === undefined) throw new Error('two engines were started');
  const beatAll = (): void => {
    beat(prefill, Role.ROLE_PREFILL, startedAtMs);
    beat(decode, Role.ROLE_DECODE, startedAtMs);
  };
  beatAll();
  beating = setInterval(beatAll, BEAT_MS);
  url = gateway.endpoints['http'] ?? '';
});

afterAll(async () => {
  clearInterval(beating);
  await Promise.all(services.map((service) => service.stop()));
  await bus.close();
  await fleet.stop();
  await nats.stop();
});

test('what a client gets is what one engine would have given, handed over from one to the other', async () => {
  await eventually(async () => {
    const models = (await (await fetch(`${url}/v1/models`)).json()) as { data: object[] };
    expect(models.data).toHaveLength(1);
  }, 20_000);
  const [prefill, decode] = fleet.engines;
  for (const [i, length] of [40, 200, 700].entries()) {
    const prompt = `${i}bcdefghij`.repeat(length / 10);
    const body = { model: MODEL, prompt, max_tokens: 20 };
    const streamed = await stream(url, '/v1/completions', body);
    const whole = await post(url, '/v1/completions', body);
    const alone = await post(prefill?.url ?? '', '/v1/completions', body);
    const text = alone.body.choices[0]?.text;
    expect(text).toHaveLength(20);
    expect([streamed.text, whole.body.choices[0]?.text]).toEqual([text, text]);
  }
  const chat = { model: MODEL, messages: [{ role: 'user', content: 'Hi' }], max_tokens: 20 };
  const told = await stream(url, '/v1/chat/completions', chat);
  const alone = await post(decode?.url ?? '', '/v1/chat/completions', chat);
  expect(told.text).toBe(alone.body.choices[0]?.message?.content);
  // The second time decode may hold enough of a prompt to do all of it.
  const metrics = await metricsOf(decode?.url ?? '');
  expect(metrics.get('nixl_bytes_transferred_count')).toBeGreaterThanOrEqual(4);
  expect(fleet.violations.list).toEqual([]);
  await eventually(() => expect(fleet.leaks()).toEqual([]));
});
