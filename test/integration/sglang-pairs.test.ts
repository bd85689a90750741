import { conductorConfigSchema } from '@baton/conductor/config';
import { startConductor } from '@baton/conductor/start';
import { startSglangFleet, type Fault, type StandInFleet } from '@baton/engine-sim';
import { gatewayConfigSchema } from '@baton/gateway/config';
import { startGatewayService } from '@baton/gateway/start';
import { createLogger, type StartedService } from '@baton/service';
import { complete, eventually, randomPrompt, send } from '@baton/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** Pairs of SGLang, all in this process, while things go wrong. */

const MODEL = 'stand-in';
const REQUESTS = 60;
const AT_ONCE = 6;
const names = ['prefill-1', 'prefill-2', 'decode-1', 'decode-2', 'alone'];

let fleet: StandInFleet;
let conductor: StartedService;
let gateway: StartedService;
const stopping = new AbortController();

beforeAll(async () => {
  fleet = await startSglangFleet(names, {
    ...{ speedUp: 50, blocks: 512, maxModelTokens: 4_096, model: MODEL },
    modeOf: (i) => (i === 4 ? 'null' : i < 2 ? 'prefill' : 'decode'),
  });
  const log = createLogger({ name: 'test', destination: { write: () => undefined } });
  conductor = await startConductor({
    config: conductorConfigSchema.parse({
      ...{ natsUrl: 'none', grpcPort: 0, adminPort: 0 },
      engines: fleet.engines.slice(0, 4).map(({ name, url }) => ({ workerId: name, url })),
    }),
    log,
    signal: stopping.signal,
  });
  gateway = await startGatewayService({
    config: gatewayConfigSchema.parse({
      ...{ port: 0, conductor: conductor.endpoints['grpc'], sloLimits: {}, record: {} },
      timeLimits: { prefillMs: 3_000, handoverMs: 2_000, idleMs: 2_000, generationMs: 6_000 },
    }),
    gatewayId: 'gateway',
    log,
  });
  await eventually(async () => (await fetch(`${url()}/health`)).status === 200);
});
afterAll(async () => {
  await gateway.stop();
  stopping.abort();
  await conductor.stop();
  await fleet.stop();
});

const url = (): string => gateway.endpoints['http'] ?? '';
const engineUrl = (name: string): string =>
  fleet.engines.find((engine) => engine.name === name)?.url ?? '';

test('faults on either side, and clients that leave: answers are right or an error, nothing is left', async () => {
  const faults = (i: number): Fault[] => [
    { kind: 'status', status: 503 },
    { kind: 'reset' },
    { kind: 'delay', delayMs: 5_000 },
    { kind: 'transfer_failure' },
    { kind: 'cut', afterTokens: i % 4 },
    { kind: 'error_event', afterTokens: 0 },
  ];
  let whole = 0;
  let left = 0;
  const one = async (i: number): Promise<void> => {
    const fault = faults(i)[i % 9];
    if (fault !== undefined) fleet.engines[i % 4]?.arm(fault);
    const prompt = randomPrompt(i % 7, 100 + 10 * (i % 20));
    const body = { model: MODEL, prompt, max_tokens: 6, stream: i % 2 === 0 };
    if (i % 10 === 9) {
      left += 1;
      const signal = AbortSignal.timeout(30);
      await send(url(), '/v1/completions', body, { signal }).catch(() => undefined);
      return;
    }
    const answer = await complete(url(), body).catch(() => undefined);
    if (answer === undefined) return;
    const alone = await complete(engineUrl('alone'), { ...body, stream: false });
    expect(answer.text).toBe(alone.text);
    whole += 1;
  };
  let next = 0;
  const inLine = async (): Promise<void> => {
    while (next < REQUESTS) {
      next += 1;
      await one(next - 1);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, inLine));
  // Cut streams and three failures in a row are all that may keep an answer from its client.
  expect(whole).toBeGreaterThan((REQUESTS - left) / 2);
  for (const engine of fleet.engines) engine.faults.clear();
  await eventually(() => expect(fleet.leaks()).toEqual([]));
  expect(fleet.violations.list).toEqual([]);
  await eventually(async () => {
    const plans = (await (await fetch(`${conductor.endpoints['admin']}/plans`)).json()) as object;
    expect(plans).toMatchObject({ live: 0, waiting: 0 });
  });
});

test('without a prefill server that is ready nothing is sent to decode', async () => {
  const servers = fleet.engines.slice(0, 2);
  for (const engine of servers) engine.die();
  const body = { model: MODEL, prompt: randomPrompt(99, 100), max_tokens: 4 };
  await eventually(async () =>
    expect((await send(url(), '/v1/completions', body)).status).toBe(503),
  );
  expect(fleet.engines.slice(2, 4).map(({ inUse }) => inUse.runs)).toEqual([0, 0]);
  await Promise.all(servers.map((engine) => engine.restart()));
  await eventually(async () => {
    expect((await complete(url(), body)).text).not.toBe('');
  });
  await eventually(() => expect(fleet.leaks()).toEqual([]));
  expect(fleet.violations.list).toEqual([]);
});
