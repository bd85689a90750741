import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { baton } from '@baton/proto';
import {
  openSession,
  serveSessions,
  type ConductorSession,
  type OpenSessionOptions,
  type Session,
  type SessionHandlers,
  type SessionServer,
} from '@baton/rpc';
import {
  Client,
  credentials,
  Server,
  ServerCredentials,
  type ClientDuplexStream,
  type ServerDuplexStream,
  type StatusObject,
} from '@grpc/grpc-js';
import { afterEach, describe, expect, test } from 'vitest';

/** For polls: generous, since it bounds a failure and not a speed. */
const SOON = { timeout: 20_000 };
const silent = { info: () => undefined, warn: () => undefined };
const script = fileURLToPath(new URL('./rpc-process.ts', import.meta.url));
const request = (requestId: string): baton.v1.IPlanRequest => ({
  requestId,
  model: 'tiny',
  promptTokens: 64,
  segmentKeys: new Uint8Array(16),
});

const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

interface Conductor {
  server: SessionServer;
  sessions: Session[];
  reports: baton.v1.PlanReport[];
  closed: string[];
  faults: unknown[];
  target: string;
}

async function conductor(
  onPlan: (plan: { requestId: string }, session: Session) => void,
): Promise<Conductor> {
  const sessions: Session[] = [];
  const reports: baton.v1.PlanReport[] = [];
  const closed: string[] = [];
  const faults: unknown[] = [];
  const onSession = (session: Session): SessionHandlers => {
    sessions.push(session);
    session.sendFleet({ models: [{ model: 'tiny', ready: true }] });
    return {
      onPlan: (plan) => onPlan(plan, session),
      onReport: (report) => reports.push(report),
      onClose: () => closed.push(session.gatewayId),
    };
  };
  const server = await serveSessions({
    host: '127.0.0.1',
    port: 0,
    onSession,
    onFault: (error) => faults.push(error),
  });
  ending.push(() => server.close());
  const target = `127.0.0.1:${server.port}`;
  return { server, sessions, reports, closed, faults, target };
}

async function gateway(
  target: string,
  more: Partial<OpenSessionOptions> = {},
): Promise<ConductorSession> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const session = openSession({
    target,
    hello: { gatewayId: 'gateway-1' },
    onFleet: () => resolve(),
    log: silent,
    ...more,
  });
  ending.push(() => session.close());
  if (!more.onFleet) await promise;
  return session;
}

const answer = (plan: { requestId: string }, session: Session): void =>
  void session.sendPlan({ requestId: plan.requestId, planId: `plan-${plan.requestId}` });

function child(side: string, address: string): ChildProcess {
  const process = fork(script, [side, address], { execArgv: [] });
  ending.push(() => process.kill('SIGKILL'));
  return process;
}

describe('plans', () => {
  test('hello, fleet, plan, report', async () => {
    const side = await conductor(answer);
    const fleets: string[] = [];
    const session = await gateway(side.target, {
      onFleet: (fleet) => fleets.push(fleet.models[0]?.model ?? ''),
    });
    await expect.poll(() => fleets, SOON).toEqual(['tiny']);
    expect(session.connected).toBe(true);
    expect(side.sessions[0]).toMatchObject({ gatewayId: 'gateway-1' });
    expect(await session.plan(request('a'))).toMatchObject({ requestId: 'a', planId: 'plan-a' });
    expect(session.report({ planId: 'plan-a', phase: 3, outputTokens: 7 })).toBe(true);
    await expect
      .poll(() => side.reports, SOON)
      .toMatchObject([{ planId: 'plan-a', outputTokens: 7 }]);
    side.sessions[0]?.sendFleet({ models: [{ model: 'other' }] });
    await expect.poll(() => fleets, SOON).toEqual(['tiny', 'other']);
  });

  test('answers in another order find their requests; refusals are replies', async () => {
    const waiting: (() => void)[] = [];
    const side = await conductor((plan, session) => {
      waiting.push(() => answer(plan, session));
      if (waiting.length === 3) waiting.reverse().forEach((send) => send());
    });
    const session = await gateway(side.target);
    const plans = await Promise.all(['a', 'b', 'c'].map((id) => session.plan(request(id))));
    expect(plans.map((plan) => plan.planId)).toEqual(['plan-a', 'plan-b', 'plan-c']);
  });

  test.each([
    [{ model: '' }, 'model is missing'],
    [{ segmentKeys: new Uint8Array(15) }, 'segment_keys'],
    [{ promptTokens: 0 }, 'prompt_tokens'],
  ])('%j is refused by name, the session lives on', async (fields, message) => {
    const side = await conductor(answer);
    const session = await gateway(side.target);
    const { refusal } = await session.plan({ ...request('bad'), ...fields });
    expect(refusal).toMatchObject({ code: 'invalid_request' });
    expect(refusal?.message).toContain(message);
    expect((await session.plan(request('good'))).planId).toBe('plan-good');
  });

  test('deadline and abort; what comes too late is given back, also for an id that is asked again', async () => {
    const held: (() => void)[] = [];
    const side = await conductor((plan, session) => {
      const turn = held.length + 1;
      held.push(() => session.sendPlan({ requestId: plan.requestId, planId: `plan-${turn}` }));
    });
    const session = await gateway(side.target);
    await expect(session.plan(request('x'), undefined, 20)).rejects.toMatchObject({
      code: 'deadline_exceeded',
    });
    const signal = AbortSignal.timeout(20);
    await expect(session.plan(request('y'), signal)).rejects.toMatchObject({
      code: 'request_aborted',
    });
    await expect(session.plan(request('z'), AbortSignal.abort())).rejects.toMatchObject({
      code: 'request_aborted',
    });
    const again = session.plan(request('x'));
    await expect(session.plan(request('x'))).rejects.toMatchObject({ code: 'invalid_request' });
    await expect.poll(() => held, SOON).toHaveLength(3);
    held.forEach((send) => send());
    expect((await again).planId).toBe('plan-3');
    await expect
      .poll(() => side.reports.map(({ planId, phase }) => [planId, phase]), SOON)
      .toEqual([
        ['plan-1', baton.v1.PlanPhase.PLAN_PHASE_ABORTED],
        ['plan-2', baton.v1.PlanPhase.PLAN_PHASE_ABORTED],
      ]);
    expect(session.pendingPlans).toBe(0);
  });

  test('what waits is bounded', async () => {
    const side = await conductor(() => undefined);
    const session = await gateway(side.target);
    const ends = Array.from({ length: 4_097 }, (_, i) =>
      session.plan(request(`r${i}`)).then(
        () => 'reply',
        (error: { code: string }) => error.code,
      ),
    );
    expect(await ends.at(-1)).toBe('queue_full');
    expect(session.pendingPlans).toBe(4_096);
    session.close();
    expect(new Set(await Promise.all(ends.slice(0, -1)))).toEqual(
      new Set(['conductor_unavailable']),
    );
  });

  test('10,000 plans on one stream, 256 at a time', async () => {
    const side = await conductor(answer);
    const session = await gateway(side.target);
    let next = 0;
    const total = 10_000;
    const startedAtMs = performance.now();
    const cpuBefore = process.cpuUsage();
    const lane = async (): Promise<void> => {
      while (next < total) {
        const id = `r${next++}`;
        expect((await session.plan(request(id))).planId).toBe(`plan-${id}`);
      }
    };
    await Promise.all(Array.from({ length: 256 }, lane));
    const perSec = Math.round(total / ((performance.now() - startedAtMs) / 1_000));
    const { user, system } = process.cpuUsage(cpuBefore);
    const perCpuSec = Math.round(total / ((user + system) / 1e6));
    console.log(`one stream, both sides: ${perSec} plans/s, ${perCpuSec} plans per CPU second`);
    expect(session.pendingPlans).toBe(0);
  });
});

describe('the session breaks', () => {
  test('the conductor is killed: plans wait for a moment and fail, then it comes back', async () => {
    const first = child('conductor', '0');
    const [port] = (await once(first, 'message')) as [number];
    const states: boolean[] = [];
    const session = await gateway(`127.0.0.1:${port}`, {
      onConnected: (connected) => states.push(connected),
    });
    const never = session.plan(request('never'));
    expect((await session.plan(request('a'))).planId).toBe('plan-a');
    first.kill('SIGKILL');
    await expect(never).rejects.toMatchObject({ code: 'conductor_unavailable', retryable: true });
    expect(session.pendingPlans).toBe(0);
    await expect(session.plan(request('b'))).rejects.toMatchObject({
      code: 'conductor_unavailable',
    });
    expect(session.report({ planId: 'plan-a' })).toBe(false);

    child('conductor', String(port));
    await expect.poll(() => session.connected, SOON).toBe(true);
    expect((await session.plan(request('c'))).planId).toBe('plan-c');
    expect(states).toEqual([true, false, true]);
  });

  test('a gateway is killed: the conductor is told, other sessions live on', async () => {
    const side = await conductor(answer);
    const session = await gateway(side.target);
    const doomed = child('gateway', side.target);
    await once(doomed, 'message');
    expect(side.server.sessions).toBe(2);
    doomed.kill('SIGKILL');
    await expect.poll(() => side.closed, SOON).toEqual(['doomed']);
    expect(side.server.sessions).toBe(1);
    expect((await session.plan(request('a'))).planId).toBe('plan-a');
    session.close();
    await expect.poll(() => side.closed, SOON).toEqual(['doomed', 'gateway-1']);
    expect(side.sessions.map((one) => one.sendPlan({}))).toEqual([false, false]);
  });

  test('the session breaks and comes back: plans that waited and plans asked meanwhile are answered', async () => {
    let isDeaf = true;
    const asked: string[] = [];
    const side = await conductor((plan, session) => {
      asked.push(plan.requestId);
      if (!isDeaf) answer(plan, session);
    });
    const broke = Promise.withResolvers<void>();
    const session = await gateway(side.target, {
      onConnected: (connected) => (connected ? undefined : broke.resolve()),
    });
    const given = session.plan(request('given up'), AbortSignal.timeout(50));
    await expect(given).rejects.toMatchObject({ code: 'request_aborted' });
    const waiting = session.plan(request('waiting'));
    await expect.poll(() => asked, SOON).toEqual(['given up', 'waiting']);
    isDeaf = false;
    side.sessions[0]?.close();
    await broke.promise;
    const meanwhile = session.plan(request('meanwhile'));
    expect((await waiting).planId).toBe('plan-waiting');
    expect((await meanwhile).planId).toBe('plan-meanwhile');
    expect(asked).toEqual(['given up', 'waiting', 'waiting', 'meanwhile']);
    expect(session.pendingPlans).toBe(0);
  });

  test('a connection that goes silent is found', async () => {
    const side = await conductor(answer);
    const pipes: (() => void)[] = [];
    const proxy = createServer((socket) => {
      const upstream = connect(side.server.port, '127.0.0.1');
      socket.pipe(upstream).pipe(socket);
      socket.on('error', () => undefined);
      upstream.on('error', () => undefined);
      pipes.push(() => {
        socket.unpipe(upstream);
        upstream.unpipe(socket);
        socket.resume();
        upstream.resume();
      });
      ending.push(() => {
        socket.destroy();
        upstream.destroy();
      });
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    ending.push(() => proxy.close());
    const session = await gateway(`127.0.0.1:${(proxy.address() as AddressInfo).port}`);
    pipes.forEach((stall) => stall());
    expect((await session.plan(request('a'), undefined, 60_000)).planId).toBe('plan-a');
    await expect.poll(() => side.closed, SOON).toEqual(['gateway-1']);
    await expect.poll(() => session.connected, SOON).toBe(true);
  });

  test('closing the server ends sessions; gateways wait for the next one', async () => {
    const side = await conductor(answer);
    const session = await gateway(side.target);
    await side.server.close();
    expect(side.closed).toEqual(['gateway-1']);
    await expect.poll(() => session.connected, SOON).toBe(false);
    const server = await serveSessions({
      host: '127.0.0.1',
      port: side.server.port,
      onFault: () => undefined,
      onSession: (one) => ({
        onPlan: (plan) => answer(plan, one),
        onReport: () => undefined,
        onClose: () => undefined,
      }),
    });
    ending.push(() => server.close());
    await expect.poll(() => session.connected, SOON).toBe(true);
    expect((await session.plan(request('a'))).planId).toBe('plan-a');
  });

  test('a port in use is the system’s own error', async () => {
    const side = await conductor(answer);
    const second = serveSessions({
      host: '127.0.0.1',
      port: side.server.port,
      onFault: () => undefined,
      onSession: () => ({
        onPlan: () => undefined,
        onReport: () => undefined,
        onClose: () => undefined,
      }),
    });
    await expect(second).rejects.toMatchObject({ code: 'EADDRINUSE', port: side.server.port });
  });
});

describe('a peer against the rules', () => {
  const bytes = (value: Buffer): Buffer => value;

  function raw(target: string): {
    stream: ClientDuplexStream<Buffer, Buffer>;
    ended: Promise<StatusObject>;
  } {
    const client = new Client(target, credentials.createInsecure(), {
      'grpc.max_send_message_length': -1,
    });
    const stream = client.makeBidiStreamRequest('/baton.v1.Conductor/Session', bytes, bytes);
    stream.on('error', () => undefined);
    stream.resume();
    ending.push(() => client.close());
    // Not once(): it rejects with the 'error' that comes before.
    const ended = new Promise<StatusObject>((resolve) => stream.on('status', resolve));
    return { stream, ended };
  }

  const encode = (message: baton.v1.ISessionRequest): Buffer =>
    Buffer.from(baton.v1.SessionRequest.encode(message).finish());
  const hello = { hello: { gatewayId: 'g' } };

  test.each([
    ['garbage', [Buffer.from([0xff, 0xff, 0xff])], 3],
    ['nothing', [Buffer.alloc(0)], 3],
    ['a plan before hello', [encode({ plan: { requestId: 'a', model: 'm', promptTokens: 1 } })], 9],
    ['a report before hello', [encode({ report: { planId: 'a' } })], 9],
    ['hello without a name', [encode({ hello: {} })], 3],
    ['hello twice', [encode(hello), encode(hello)], 9],
    ['a plan without an id', [encode(hello), encode({ plan: { model: 'm' } })], 3],
    ['a report without a plan', [encode(hello), encode({ report: {} })], 3],
    ['5 MiB', [Buffer.alloc(5 * 1024 * 1024)], 8],
  ])('%s ends its own session only', async (_name, messages, code) => {
    const side = await conductor(answer);
    const session = await gateway(side.target);
    const { stream, ended } = raw(side.target);
    messages.forEach((message) => stream.write(message));
    expect((await ended).code).toBe(code);
    await expect.poll(() => side.server.sessions, SOON).toBe(1);
    expect((await session.plan(request('a'))).planId).toBe('plan-a');
    expect(side.faults).toEqual([]);
  });

  test('a socket that speaks another protocol harms nobody', async () => {
    const side = await conductor(answer);
    const session = await gateway(side.target);
    for (const text of ['GET / HTTP/1.1\r\nHost: x\r\n\r\n', '\x00'.repeat(4096)]) {
      const socket = connect(side.server.port, '127.0.0.1');
      socket.on('error', () => undefined).resume();
      socket.end(text);
      await once(socket, 'close');
    }
    expect((await session.plan(request('a'))).planId).toBe('plan-a');
  });

  test('a handler that throws ends the session, is reported, and the process lives', async () => {
    const side = await conductor((plan, session) => {
      if (plan.requestId === 'bad') throw new Error('on purpose');
      answer(plan, session);
    });
    const session = await gateway(side.target);
    await expect(session.plan(request('bad'))).rejects.toMatchObject({
      code: 'conductor_unavailable',
    });
    // Asked once more on a new session, and no third time.
    expect(side.faults).toMatchObject([{ message: 'on purpose' }, { message: 'on purpose' }]);
    await expect.poll(() => session.connected, SOON).toBe(true);
    expect((await session.plan(request('good'))).planId).toBe('plan-good');
  });

  test('a gateway that does not read is let go', async () => {
    const side = await conductor(() => undefined);
    const { stream } = raw(side.target);
    stream.pause();
    stream.write(encode(hello));
    await expect.poll(() => side.sessions, SOON).toHaveLength(1);
    const message = 'x'.repeat(4_096);
    const replies = Array.from({ length: 40_000 }, () =>
      side.sessions[0]?.sendPlan({ requestId: 'a', refusal: { message } }),
    );
    expect(replies.at(-1)).toBe(false);
    expect(side.closed).toEqual(['g']);
    expect(side.server.sessions).toBe(0);
  });

  test('a conductor that sends garbage does not end the gateway', async () => {
    const server = new Server();
    const method = {
      path: '/baton.v1.Conductor/Session',
      requestStream: true,
      responseStream: true,
      requestSerialize: bytes,
      requestDeserialize: bytes,
      responseSerialize: bytes,
      responseDeserialize: bytes,
    };
    const reply = (message: baton.v1.ISessionReply): Buffer =>
      Buffer.from(baton.v1.SessionReply.encode(message).finish());
    const session = (stream: ServerDuplexStream<Buffer, Buffer>): void => {
      stream.on('error', () => undefined);
      stream.on('data', (message: Buffer) => {
        const { plan } = baton.v1.SessionRequest.decode(message);
        stream.write(Buffer.from([0xff, 0xff, 0xff]));
        stream.write(Buffer.alloc(0));
        stream.write(reply({ plan: { requestId: 'nobody asked' } }));
        stream.write(
          reply(plan ? { plan: { requestId: plan.requestId ?? '', planId: 'p' } } : { fleet: {} }),
        );
      });
    };
    server.addService({ session: method }, { session });
    const port = await new Promise<number>((resolve) => {
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (_error, bound) =>
        resolve(bound),
      );
    });
    ending.push(() => server.forceShutdown());
    const one = await gateway(`127.0.0.1:${port}`);
    expect((await one.plan(request('a'))).planId).toBe('p');
    expect((await one.plan(request('b'))).planId).toBe('p');
  });
});
