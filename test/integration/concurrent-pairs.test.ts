import { setTimeout as sleep } from 'node:timers/promises';
import { conductorConfigSchema } from '@baton/conductor/config';
import { startConductor } from '@baton/conductor/start';
import { startVllmFleet, type Fault, type StandIn, type StandInFleet } from '@baton/engine-sim';
import { gatewayConfigSchema } from '@baton/gateway/config';
import { startGatewayService } from '@baton/gateway/start';
import { createLogger, type StartedService } from '@baton/service';
import { complete, eventually, randomPrompt, send } from '@baton/test-kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** Pairs of vLLM whose legs are asked at once, all in this process, while things go wrong. */

const MODEL = 'stand-in';
const REQUESTS = 24;
const AT_ONCE = 4;
/** How long one side waits for the other. */
const WAIT_MS = 1_500;
/** Requests of which one is likely to come to a certain engine of two. */
const LOOKED_FOR = 8;
/** So many prefills go on at one engine for nobody. */
const LONE = 128;
/** More than may go on at two engines, in less time than a prefill may take. */
const LEAVERS = 400;
/** A second at the engines' speed. */
const LATE_MS = 20_000;
const names = ['prefill-1', 'prefill-2', 'decode-1', 'decode-2', 'alone'];

describe.each(['nixl-push', 'mooncake'] as const)('%s', (connector) => {
  let fleet: StandInFleet;
  let conductor: StartedService;
  let gateway: StartedService;
  const stopping = new AbortController();

  beforeAll(async () => {
    const limits = { leaseMs: WAIT_MS, turnMs: WAIT_MS };
    fleet = await startVllmFleet(names, {
      ...{ speedUp: 20, blocks: 512, maxModelTokens: 4_096, model: MODEL, meanAnswerTokens: 30 },
      ...(connector === 'mooncake'
        ? { mooncake: { abortMs: WAIT_MS } }
        : { nixl: { push: true, ...limits } }),
    });
    const log = createLogger({ name: 'test', destination: { write: () => undefined } });
    conductor = await startConductor({
      config: conductorConfigSchema.parse({
        ...{ natsUrl: 'none', grpcPort: 0, adminPort: 0 },
        engines: fleet.engines.slice(0, 4).map(({ name, url, bootstrapPort }, i) => ({
          ...{ workerId: name, url, connector, kvBytesPerToken: 1_000 },
          role: i < 2 ? 'prefill' : 'decode',
          ...(bootstrapPort !== undefined && { bootstrapPort }),
        })),
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
    // All four, and not the first ones alone.
    await eventually(async () => expect(await serving()).toBe(4));
  });
  afterAll(async () => {
    await gateway.stop();
    stopping.abort();
    await conductor.stop();
    await fleet.stop();
  });

  const url = (): string => gateway.endpoints['http'] ?? '';
  const engine = (name: string): StandIn => {
    const found = fleet.engines.find((one) => one.name === name);
    if (found === undefined) throw new Error(name);
    return found;
  };
  const serving = async (): Promise<number> => {
    const answer = await fetch(`${conductor.endpoints['admin']}/engines`);
    const { engines } = (await answer.json()) as { engines: { serves?: boolean }[] };
    return engines.filter(({ serves }) => serves === true).length;
  };
  const plans = async (): Promise<{ totals: Record<string, number>; live: number }> => {
    const answer = await fetch(`${conductor.endpoints['admin']}/plans`);
    return (await answer.json()) as { totals: Record<string, number>; live: number };
  };
  const ask = (seed: number, more: object = {}) => ({
    ...{ model: MODEL, prompt: randomPrompt(seed, 600), max_tokens: 12 },
    ...more,
  });
  /** What prefill has kept and decode was refused before it could ask for it. */
  const atRest = async (): Promise<void> => {
    for (const one of fleet.engines) one.faults.clear();
    await eventually(() => expect(fleet.leaks()).toEqual([]));
    const unread = (kind: string): boolean => kind === 'lease_expired';
    expect(fleet.violations.list.filter(({ kind }) => !unread(kind))).toEqual([]);
    await eventually(async () => expect(await plans()).toMatchObject({ live: 0, waiting: 0 }));
  };

  test('answers are those of one engine, streamed or not, whatever token comes first', async () => {
    for (let i = 0; i < 8; i += 1) {
      const body = ask(i, { stream: i % 2 === 0 });
      const [ours, alone] = await Promise.all([
        complete(url(), body),
        complete(engine('alone').url, body),
      ]);
      expect(ours.text).toBe(alone.text);
    }
    expect((await plans()).totals).toMatchObject({ disaggregated: 8, failed: 0 });
    expect(fleet.violations.list).toEqual([]);
    await atRest();
  });

  test.each<[string, string, Fault]>([
    ['prefill is refused', 'prefill', { kind: 'status', status: 503 }],
    ['decode is refused', 'decode', { kind: 'status', status: 503 }],
    ['decode breaks off before its first token', 'decode', { kind: 'error_event', afterTokens: 0 }],
    ['the transfer fails', 'decode', { kind: 'transfer_failure' }],
  ])('%s: another attempt, by another id', async (_, side, fault) => {
    const { faults } = engine(`${side}-1`);
    faults.arm(fault, 1);
    for (let i = 0; i < LOOKED_FOR && faults.armed.length > 0; i += 1) {
      const body = ask(100 + i, { stream: true });
      const answer = await complete(url(), body);
      expect(answer.text).toBe((await complete(engine('alone').url, body)).text);
    }
    await atRest();
  });

  test.each<[string, string, (one: StandIn) => boolean]>([
    ['decode waits for prefill', 'prefill', ({ inUse }) => inUse.usedBlocks > 0],
    ['prefill keeps what decode has not asked for', 'decode', ({ inUse }) => inUse.heldPrompts > 0],
  ])('a client that leaves while %s: nothing is left', async (name, late, isThen) => {
    for (const i of [1, 2]) engine(`${late}-${i}`).arm({ kind: 'delay', delayMs: LATE_MS });
    const leave = new AbortController();
    const body = ask(200 + name.length, { stream: true });
    const left = send(url(), '/v1/completions', body, { signal: leave.signal });
    const gone = expect(left).rejects.toThrow();
    const others = fleet.engines.filter((one) => !one.name.startsWith(late));
    await eventually(() => others.some(isThen));
    leave.abort();
    await gone;
    await atRest();
  });

  test('a client that leaves while prefill computes: it goes on, for decode waits for what it writes', async () => {
    const leave = new AbortController();
    const body = ask(250, { stream: true, prompt: randomPrompt(250, 3_900) });
    const left = send(url(), '/v1/completions', body, { signal: leave.signal });
    const gone = expect(left).rejects.toThrow();
    const computes = (side: string): boolean =>
      fleet.engines.some(({ name, inUse }) => name.startsWith(side) && inUse.usedBlocks > 0);
    await eventually(() => computes('prefill') && computes('decode'));
    leave.abort();
    await gone;
    await atRest();
  });

  test('clients that leave prefills which never answer: these do not pile up', async () => {
    for (const i of [1, 2]) engine(`prefill-${i}`).arm({ kind: 'hang' }, LEAVERS);
    const left = Array.from({ length: LEAVERS }, async (_, i) => {
      await sleep(i * 15);
      const body = ask(1_000 + i, { stream: true });
      const signal = AbortSignal.timeout(100);
      await expect(send(url(), '/v1/completions', body, { signal })).rejects.toThrow();
    });
    await Promise.all(left);
    const open = () => [1, 2].map((i) => engine(`prefill-${i}`).inUse.openRequests);
    expect(Math.max(...open())).toBeGreaterThan(0);
    await eventually(() => expect(Math.max(...open())).toBeLessThanOrEqual(LONE), 500);
    // Those that were ended have left decode without what it waits for, until its own time is over.
    await eventually(() => expect(fleet.leaks()).toEqual([]));
    fleet.violations.list.splice(0);
    await atRest();
  });

  test('a client that leaves while decode answers', async () => {
    const leave = new AbortController();
    const body = ask(300, { stream: true, max_tokens: 3_000, ignore_eos: true });
    const response = await send(url(), '/v1/completions', body, { signal: leave.signal });
    await response.body?.getReader().read();
    leave.abort();
    await atRest();
  });

  test('an engine that was started anew between two requests is met where it is now', async () => {
    for (const name of ['prefill-1', 'decode-1', 'prefill-2']) {
      await engine(name).restart();
      await eventually(async () => expect(await serving()).toBe(4));
      const body = ask(name.length + 400);
      expect((await complete(url(), body)).text).toBe(
        (await complete(engine('alone').url, body)).text,
      );
    }
    await atRest();
  });

  test('all of it at the same time: right answers or an error, and nothing is left', async () => {
    const faults: Fault[] = [
      { kind: 'status', status: 503 },
      { kind: 'reset' },
      { kind: 'transfer_failure' },
      { kind: 'error_event', afterTokens: 0 },
    ];
    let whole = 0;
    const one = async (i: number): Promise<void> => {
      const fault = faults[i % 9];
      if (fault !== undefined) fleet.engines[i % 4]?.arm(fault);
      const body = ask(i % 7, { stream: i % 2 === 0 });
      const answer = await complete(url(), body).catch(() => undefined);
      if (answer === undefined) return;
      expect(answer.text).toBe(
        (await complete(engine('alone').url, { ...body, stream: false })).text,
      );
      whole += 1;
    };
    let next = 0;
    const inLine = async (): Promise<void> => {
      for (; next < REQUESTS;) await one(next++);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, inLine));
    expect(whole).toBeGreaterThan(REQUESTS / 2);
    await atRest();
  });
});
