import { baton } from '@baton/proto';
import { BatonError } from '@baton/kv';
import { readStream, send } from '@baton/test-kit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Fault, LegKind } from './testing/engine-stand-in.ts';
import { tokenIdOf, wordsFrom } from './testing/stand-in-answers.ts';
import { CHAT, chatBody, startTestFleet, type TestFleet } from './testing/test-fleet.ts';

/** Short, so that faults of silence are met; long enough for a busy machine to do what is no fault. */
const timeLimits = { prefillMs: 700, handoverMs: 700, idleMs: 700, generationMs: 1_400 };
const { PlanPhase } = baton.v1;

let fleet: TestFleet;
beforeEach(async () => {
  fleet = await startTestFleet({ timeLimits });
});
afterEach(async () => {
  try {
    await fleet.settled();
  } finally {
    await fleet.stop();
  }
});

async function ask(stream: boolean): Promise<{ status: number; text: string; code: unknown }> {
  const response = await send(fleet.url, CHAT, chatBody({ stream }));
  if (stream && response.ok) {
    const { text, done, error } = await readStream(response);
    expect(done).toBe(true);
    return { status: 200, text, code: error?.code };
  }
  const body = (await response.json()) as {
    choices?: { message: { content: string } }[];
    error?: { code: string };
  };
  const text = body.choices?.[0]?.message.content ?? '';
  return { status: response.status, text, code: body.error?.code };
}

const whole = { status: 200, text: wordsFrom(0, 6), code: undefined };

const beforeAnswer: [string, Fault][] = [
  ['a reset', { kind: 'reset' }],
  ['silence', { kind: 'hang' }],
  ['status 500', { kind: 'status', status: 500 }],
  ['status 503', { kind: 'status', status: 503, code: 'engine_unavailable' }],
  ['status 429', { kind: 'status', status: 429, code: 'engine_out_of_cells' }],
];
/** Faults of an answer in one body. */
const inWhole: [string, Fault][] = [
  ['a malformed answer', { kind: 'malformed', after: 0 }],
  ['no finish reason', { kind: 'no finish', after: 0 }],
];
/** Faults of a stream before its first token. */
const beforeToken: [string, Fault][] = [
  ['a cut', { kind: 'cut', after: 0 }],
  ['a stall', { kind: 'stall', after: 0 }],
  ['an error event', { kind: 'error event', after: 0 }],
  ['malformed SSE', { kind: 'malformed', after: 0 }],
  ['an end without anything', { kind: 'no finish', after: 0 }],
];
const afterToken = beforeToken.map(([name, fault]): [string, Fault] => [
  name,
  { ...fault, after: 2 } as Fault,
]);

function legsRun(): string[] {
  return fleet.engines.flatMap((engine) =>
    engine.legs.map((leg) => `${leg.kind} ${engine.workerId}`),
  );
}

const legs = (kind: LegKind) => fleet.engines.flatMap((engine) => engine.legsOf(kind));

describe.each([true, false])('stream: %s', (stream) => {
  describe('prefill fails: another plan without that worker', () => {
    const lost: [string, Fault] = ['lost handover parameters', { kind: 'no parameters' }];
    test.each([...beforeAnswer, ...inWhole, lost])('%s', async (_name, fault) => {
      fleet.prefill[0]?.failNext('prefill', fault);
      expect(await ask(stream)).toEqual(whole);
      expect(fleet.session.requests.map((request) => request.excludeWorkers)).toEqual([
        [],
        ['prefill-1'],
      ]);
      expect(legsRun()).toEqual([
        'prefill prefill-1',
        'prefill prefill-2',
        'decode decode-1',
        'decode decode-1',
      ]);
      expect(
        fleet.session.reports.find((r) => r.phase === PlanPhase.PLAN_PHASE_FAILED),
      ).toMatchObject({
        planId: 'plan-1',
      });
    });
  });

  describe('decode fails before its first token: resumed elsewhere behind the first', () => {
    const faults = [...beforeAnswer, ...(stream ? beforeToken : inWhole)];
    test.each(faults)('%s', async (_name, fault) => {
      fleet.decode[0]?.failNext('decode', fault);
      expect(await ask(stream)).toEqual(whole);
      expect(fleet.session.requests.map((request) => request.excludeWorkers)).toEqual([
        [],
        ['decode-1'],
      ]);
      expect(legsRun()).toEqual(['prefill prefill-1', 'decode decode-1', 'resume decode-2']);
      expect(legs('resume')[0]?.body['kv_transfer_params']).toMatchObject({
        baton: { plan_id: 'plan-2', resume_token_ids: [tokenIdOf(0)] },
      });
    });
  });

  test('a lost handover is computed by the same worker', async () => {
    const fault: Fault = { kind: 'status', status: 503, code: 'kv_transfer_failed' };
    fleet.decode[0]?.failNext('decode', fault);
    expect(await ask(stream)).toEqual(whole);
    expect(fleet.session.requests).toHaveLength(1);
    expect(legsRun()).toEqual(['prefill prefill-1', 'decode decode-1', 'resume decode-1']);
    expect(fleet.requestLines()[0]).toMatchObject({ cachedTokens: 2, outputTokens: 6 });
  });

  test('a lost handover whose recomputation fails goes to another worker', async () => {
    fleet.decode[0]?.failNext('decode', {
      kind: 'status',
      status: 503,
      code: 'kv_transfer_failed',
    });
    fleet.decode[0]?.failNext('resume', { kind: 'reset' });
    expect(await ask(stream)).toEqual(whole);
    expect(legsRun()).toEqual([
      'prefill prefill-1',
      'decode decode-1',
      'resume decode-1',
      'resume decode-2',
    ]);
  });

  describe('an aggregated leg fails before its first token: another plan', () => {
    const faults = [...beforeAnswer, ...(stream ? beforeToken : inWhole)];
    test.each(faults)('%s', async (_name, fault) => {
      fleet.session.mode = 'aggregated';
      fleet.decode[0]?.failNext('aggregated', fault);
      expect(await ask(stream)).toEqual(whole);
      expect(legsRun()).toEqual(['aggregated decode-1', 'aggregated decode-2']);
    });
  });

  test('what a worker refuses is told to the client, and asked nowhere else', async () => {
    const refusal: Fault = { kind: 'status', status: 400, code: 'invalid_request', param: 'top_k' };
    fleet.prefill[0]?.failNext('prefill', refusal);
    const gate = new Promise<void>(() => undefined);
    fleet.decode[0]?.gates.set('decode', gate);
    const response = await send(fleet.url, CHAT, chatBody({ stream }));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { code: 'invalid_request', param: 'top_k', type: 'invalid_request_error' },
    });
    expect(fleet.session.requests).toHaveLength(1);
    expect(fleet.session.reports.at(-1)?.code).toBe('invalid_request');
    // Nor does it worry the operator.
    expect(fleet.alarms).toEqual([]);
  });

  test('reports say why a plan failed', async () => {
    fleet.prefill[0]?.failNext('prefill', { kind: 'status', status: 429 });
    fleet.prefill[1]?.failNext('prefill', { kind: 'reset' });
    expect(await ask(stream)).toEqual(whole);
    const failed = fleet.session.reports.filter((r) => r.phase === PlanPhase.PLAN_PHASE_FAILED);
    expect(failed.map(({ code }) => code)).toEqual(['no_capacity', 'engine_failed']);
  });

  test('no worker is left: an error that says when to come back', async () => {
    for (const engine of fleet.engines) {
      for (const kind of ['prefill', 'aggregated'] as const) {
        engine.failNext(kind, { kind: 'reset' }, { kind: 'reset' });
      }
    }
    const response = await send(fleet.url, CHAT, chatBody({ stream }));
    expect(response.status).toBeGreaterThanOrEqual(500);
    expect(await response.json()).toMatchObject({ error: { type: 'server_error' } });
    expect(fleet.session.requests.length).toBeLessThanOrEqual(3);
  });

  test('tokenizing is tried on another worker', async () => {
    for (const fault of beforeAnswer) {
      for (const engine of fleet.engines.slice(0, 2)) engine.failNext('tokenize', fault[1]);
    }
    fleet.deps.config.timeLimits.tokenizeMs = 300;
    for (let i = 0; i < 3; i++) expect(await ask(stream)).toEqual(whole);
  });

  test('the conductor refuses', async () => {
    fleet.session.answers.push({ refusal: { code: 'no_capacity', retryAfterMs: 1_200 } });
    const response = await send(fleet.url, CHAT, chatBody({ stream }));
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '2']);
    expect(await response.json()).toMatchObject({ error: { code: 'no_capacity' } });
  });

  test('the conductor does not answer, or cannot be reached', async () => {
    fleet.deps.config.timeLimits.planMs = 100;
    const late = Promise.withResolvers<void>();
    fleet.session.gate = late.promise;
    expect(await ask(stream)).toEqual({ status: 503, text: '', code: 'conductor_unavailable' });
    late.resolve();
    fleet.session.gate = undefined;
    fleet.session.connected = false;
    expect(await ask(stream)).toEqual({ status: 503, text: '', code: 'conductor_unavailable' });
  });

  test('the conductor is lost between two plans: the decode worker does it all', async () => {
    fleet.prefill[0]?.failNext('prefill', { kind: 'reset' });
    const report = fleet.session.report.bind(fleet.session);
    fleet.session.report = (sent) => {
      report(sent);
      if (sent.phase === PlanPhase.PLAN_PHASE_FAILED) fleet.session.connected = false;
      if (!fleet.session.connected) fleet.session.report = () => undefined;
    };
    expect(await ask(stream)).toEqual(whole);
    expect(legsRun().at(-1)).toBe('aggregated decode-1');
  });

  test('a plan that names no workers is refused', async () => {
    fleet.session.answers.push({ planId: 'odd', mode: 2 });
    expect(await ask(stream)).toMatchObject({ status: 500, code: 'protocol_violation' });
    fleet.session.booked.delete('odd');
  });
});

describe('a stream that breaks after more than the first token ends with an error event', () => {
  describe.each(['disaggregated', 'aggregated'] as const)('%s', (mode) => {
    test.each(afterToken)('%s', async (_name, fault) => {
      fleet.session.mode = mode;
      const kind = mode === 'aggregated' ? mode : 'decode';
      fleet.decode[0]?.failNext(kind, fault);
      const sent = mode === 'aggregated' ? 2 : 3;
      const { status, text, code } = await ask(true);
      expect([status, text]).toEqual([200, wordsFrom(0, sent)]);
      expect(['engine_failed', 'deadline_exceeded']).toContain(code);
      expect(fleet.session.requests).toHaveLength(1);
      const [line] = fleet.requestLines();
      expect(line).toMatchObject({ status: 200, outcome: 'failed', code });
      expect(fleet.session.reports.at(-1)).toMatchObject({
        phase: PlanPhase.PLAN_PHASE_FAILED,
        code,
      });
    });
  });
});

test('without another worker the one that failed is asked again', async () => {
  fleet.session.decode.length = 1;
  fleet.decode[0]?.failNext('decode', { kind: 'reset' });
  expect(await ask(true)).toEqual(whole);
  expect(legsRun()).toEqual(['prefill prefill-1', 'decode decode-1', 'resume decode-1']);
});

test('a worker that fails again and again ends a stream that has its first token with an error event', async () => {
  fleet.session.decode.length = 1;
  for (const kind of ['decode', 'resume', 'resume'] as const) {
    fleet.decode[0]?.failNext(kind, { kind: 'reset' });
  }
  const { status, text, code } = await ask(true);
  expect([status, text, code]).toEqual([200, wordsFrom(0, 1), 'engine_failed']);
  // Three plans, and each new one first without the worker that failed.
  expect(fleet.session.requests).toHaveLength(5);
});

test('the conductor fails in an unexpected way: an error body without its words', async () => {
  fleet.session.answers.push(new BatonError('internal_error', 'secret'));
  const response = await send(fleet.url, CHAT, chatBody());
  expect(response.status).toBe(500);
  expect(await response.text()).not.toContain('secret');
  expect(fleet.logged.some((line) => line['event'] === 'request_fault')).toBe(true);
  fleet.logged.length = 0;
});
