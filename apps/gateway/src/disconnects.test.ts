import { request, type ClientRequest } from 'node:http';
import { baton } from '@baton/proto';
import { eventually } from '@baton/test-kit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LegKind } from './testing/engine-stand-in.ts';
import { CHAT, chatBody, startTestFleet, type TestFleet } from './testing/test-fleet.ts';

let fleet: TestFleet;
beforeEach(async () => {
  fleet = await startTestFleet({ engine: { words: 500 } });
});
afterEach(async () => {
  try {
    await fleet.settled();
  } finally {
    await fleet.stop();
  }
});

const { PlanPhase } = baton.v1;
const never = new Promise<void>(() => undefined);

/** A request that is sent and can be torn down. */
function send(stream: boolean): { socket: ClientRequest; received: () => string } {
  let text = '';
  const socket = request(fleet.url + CHAT, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    agent: false,
  });
  socket.on('error', () => undefined);
  socket.on('response', (response) => {
    response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    response.on('error', () => undefined);
  });
  socket.end(JSON.stringify(chatBody({ stream, max_tokens: 400 })));
  return { socket, received: () => text };
}

const gate = (kind: LegKind | 'tokenize') => {
  for (const engine of fleet.engines) engine.gates.set(kind, never);
};
const started = (kind: LegKind) => () => fleet.engines.some((e) => e.legsOf(kind).length > 0);

async function leave(client: { socket: ClientRequest }): Promise<void> {
  client.socket.destroy();
  await eventually(() => fleet.requestLines().length === 1);
  expect(fleet.requestLines()[0]).toMatchObject({
    outcome: 'aborted',
    code: 'request_aborted',
  });
  await fleet.settled();
}

/** A plan that was given has been reported as aborted, and only once. */
function expectAborted(): void {
  const last = fleet.session.reports.filter(({ phase }) =>
    [
      PlanPhase.PLAN_PHASE_ABORTED,
      PlanPhase.PLAN_PHASE_FAILED,
      PlanPhase.PLAN_PHASE_FINISHED,
    ].includes(phase ?? 0),
  );
  expect(last).toMatchObject([{ phase: PlanPhase.PLAN_PHASE_ABORTED }]);
}

describe.each([true, false])('stream: %s, the client leaves', (stream) => {
  test('during tokenize', async () => {
    gate('tokenize');
    const client = send(stream);
    await eventually(() => fleet.engines.some((engine) => engine.open > 0));
    await leave(client);
    expect(fleet.session.requests).toEqual([]);
  });

  test('during planning: the plan that comes too late is given back', async () => {
    const late = Promise.withResolvers<void>();
    fleet.session.gate = late.promise;
    const client = send(stream);
    await eventually(() => fleet.session.requests.length === 1);
    await leave(client);
    late.resolve();
    await eventually(() => fleet.session.reports.length === 1);
    expectAborted();
    expect(fleet.engines.flatMap((engine) => engine.legs)).toEqual([]);
  });

  test('while prefill computes: both legs end', async () => {
    gate('prefill');
    const client = send(stream);
    await eventually(() => started('prefill')() && started('decode')());
    await leave(client);
    expectAborted();
  });

  test('between prefill and decode', async () => {
    gate('decode');
    const client = send(stream);
    if (stream) await eventually(() => client.received() !== '');
    else await eventually(() => fleet.session.reports.length === 1);
    await leave(client);
    expectAborted();
  });

  test('during a recomputation', async () => {
    const fault = { kind: 'status', status: 503, code: 'kv_transfer_failed' } as const;
    fleet.decode[0]?.failNext('decode', fault);
    gate('resume');
    const client = send(stream);
    await eventually(started('resume'));
    await leave(client);
    expectAborted();
  });

  test('during an aggregated leg', async () => {
    fleet.session.mode = 'aggregated';
    gate('aggregated');
    const client = send(stream);
    await eventually(started('aggregated'));
    await leave(client);
    expectAborted();
  });

  test('during the second plan', async () => {
    fleet.prefill[0]?.failNext('prefill', { kind: 'reset' });
    const second = Promise.withResolvers<void>();
    const { session } = fleet;
    const report = session.report.bind(session);
    session.report = (sent) => {
      report(sent);
      if (sent.phase === PlanPhase.PLAN_PHASE_FAILED) session.gate = second.promise;
    };
    const client = send(stream);
    await eventually(() => session.requests.length === 2);
    await leave(client);
    second.resolve();
    await eventually(() => session.reports.length === 2);
    expect(session.reports.map(({ planId, phase }) => [planId, phase])).toEqual([
      ['plan-1', PlanPhase.PLAN_PHASE_FAILED],
      ['plan-2', PlanPhase.PLAN_PHASE_ABORTED],
    ]);
  });
});

test('in the middle of the stream: the decode leg ends', async () => {
  const client = send(true);
  await eventually(() => client.received().length > 5_000);
  await leave(client);
  expectAborted();
});

test('at random moments, many at once: nothing is left', async () => {
  const clients = Array.from({ length: 60 }, (_, i) => send(i % 2 === 0));
  await Promise.all(
    clients.map(async ({ socket }, i) => {
      await new Promise((resolve) => setTimeout(resolve, (i * 7) % 100));
      socket.destroy();
    }),
  );
  await fleet.settled();
  for (const { outcome } of fleet.requestLines())
    expect(['aborted', 'finished']).toContain(outcome);
});
