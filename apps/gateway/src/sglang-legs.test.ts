import { baton } from '@baton/proto';
import { eventually, readStream, send } from '@baton/test-kit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { STAND_IN_REUSED, type LegKind } from './testing/engine-stand-in.ts';
import { wordsFrom } from './testing/stand-in-answers.ts';
import {
  CHAT,
  chatBody,
  COMPLETION,
  completionBody,
  startTestFleet,
  type TestFleet,
} from './testing/test-fleet.ts';

const { PlanPhase } = baton.v1;
let fleet: TestFleet;
beforeAll(async () => {
  const timeLimits = { prefillMs: 400, handoverMs: 200, idleMs: 400 };
  fleet = await startTestFleet({ kind: 'sglang', timeLimits });
});
beforeEach(() => {
  fleet.session.mode = 'disaggregated';
  fleet.session.reports.length = 0;
  fleet.alarms.length = 0;
  for (const engine of fleet.engines) engine.legs.length = 0;
});
afterEach(() => fleet.settled());
afterAll(() => fleet.stop());

const legs = (): [string, LegKind][] =>
  fleet.engines.flatMap(({ workerId, legs: seen }) =>
    seen.map(({ kind }): [string, LegKind] => [workerId, kind]),
  );
const rooms = (): unknown[] =>
  fleet.engines.flatMap(({ legs: seen }) => seen.map(({ body }) => body['bootstrap_room']));
const phases = (): unknown[] => fleet.session.reports.map(({ phase }) => phase);
const alarm = (): string => JSON.stringify(fleet.alarms);
const streamed = async (path = CHAT, body: object = chatBody({ stream: true })) =>
  readStream(await send(fleet.url, path, body));

describe.each([
  ['chat', CHAT, chatBody],
  ['completion', COMPLETION, completionBody],
] as const)('a %s', (_name, path, bodyOf) => {
  test('streamed: both legs in one room, all of the answer from decode', async () => {
    const { chunks, text, done } = await streamed(path, bodyOf({ stream: true, top_k: 3 }));
    expect([text, done]).toEqual([wordsFrom(0, 6), true]);
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    expect(legs()).toEqual([
      ['prefill-1', 'prefill'],
      ['decode-1', 'decode'],
    ]);
    expect(new Set(rooms()).size).toBe(1);
    expect(phases()).toContain(PlanPhase.PLAN_PHASE_FIRST_TOKEN);
    expect(phases().at(-1)).toBe(PlanPhase.PLAN_PHASE_FINISHED);
    for (const { legs: seen } of fleet.engines) {
      for (const { body } of seen) expect(body['top_k']).toBe(3);
    }
  });

  test('whole: what prefill had in its cache is told', async () => {
    const response = await send(fleet.url, path, bodyOf({ max_tokens: 4 }));
    const { usage } = (await response.json()) as {
      usage: { prompt_tokens: number; completion_tokens: number };
    };
    expect(usage.completion_tokens).toBe(4);
    const finished = fleet.session.reports.find((r) => r.phase === PlanPhase.PLAN_PHASE_FINISHED);
    expect(finished?.computedTokens).toBe(usage.prompt_tokens - STAND_IN_REUSED);
    expect(fleet.prefill[0]?.legs[0]?.body['max_tokens']).toBe(4);
  });

  test('on one worker: the body as it is', async () => {
    fleet.session.mode = 'aggregated';
    expect((await streamed(path, bodyOf({ stream: true }))).text).toBe(wordsFrom(0, 6));
    expect(legs()).toEqual([['decode-1', 'aggregated']]);
    expect(rooms()).toEqual([undefined]);
  });
});

test('an answer of one token is a pair, too: neither of them answers alone', async () => {
  const response = await send(fleet.url, COMPLETION, completionBody({ max_tokens: 1 }));
  expect(response.status).toBe(200);
  expect(legs().map(([, kind]) => kind)).toEqual(['prefill', 'decode']);
});

test('prefill is computed while decode waits: that is told before the first token', async () => {
  const gate = Promise.withResolvers<void>();
  fleet.decode[0]?.gates.set('decode', gate.promise);
  const answer = streamed();
  await eventually(() => phases().includes(PlanPhase.PLAN_PHASE_PREFILLED));
  gate.resolve();
  fleet.decode[0]?.gates.delete('decode');
  expect((await answer).text).toBe(wordsFrom(0, 6));
  expect(phases().slice(0, 2)).toEqual([
    PlanPhase.PLAN_PHASE_PREFILLED,
    PlanPhase.PLAN_PHASE_FIRST_TOKEN,
  ]);
});

test.each([
  ['fails', { kind: 'status', status: 500 }],
  ['breaks off', { kind: 'reset' }],
  ['says nonsense', { kind: 'malformed' as const, after: 0 }],
  ['never answers', { kind: 'hang' }],
] as const)(
  'a prefill that %s ends decode at once, and a fresh room is made',
  async (_n, fault) => {
    fleet.prefill[0]?.failNext('prefill', fault);
    // Its KV has come, but the stand-in does not know what to make of it.
    if (fault.kind === 'malformed') fleet.decode[0]?.failNext('decode', { kind: 'hang' });
    expect((await streamed()).text).toBe(wordsFrom(0, 6));
    expect(legs()).toEqual([
      ['prefill-1', 'prefill'],
      ['prefill-2', 'prefill'],
      ['decode-1', 'decode'],
      ['decode-1', 'decode'],
    ]);
    expect(new Set(rooms()).size).toBe(2);
    expect(alarm()).toContain('"worker":"prefill-1"');
  },
);

test.each([
  ['fails', { kind: 'status', status: 500 }],
  ['breaks off', { kind: 'reset' }],
  ['never answers', { kind: 'hang' }],
] as const)('a decode that %s ends prefill, and a fresh room is made', async (_name, fault) => {
  fleet.decode[0]?.failNext('decode', fault);
  expect((await streamed()).text).toBe(wordsFrom(0, 6));
  expect(legs()).toEqual([
    ['prefill-1', 'prefill'],
    ['prefill-1', 'prefill'],
    ['decode-1', 'decode'],
    ['decode-2', 'decode'],
  ]);
  expect(new Set(rooms()).size).toBe(2);
  expect(alarm()).toContain('"worker":"decode-1"');
});

test('a prefill that fails when decode has begun harms nobody', async () => {
  const gate = Promise.withResolvers<void>();
  fleet.prefill[0]?.failNext('prefill', { kind: 'reset at the end', until: gate.promise });
  const answer = streamed();
  await eventually(() => phases().includes(PlanPhase.PLAN_PHASE_FIRST_TOKEN));
  gate.resolve();
  expect((await answer).text).toBe(wordsFrom(0, 6));
  expect(legs()).toHaveLength(2);
});

test('a decode that breaks off behind its first token ends the stream with an error', async () => {
  fleet.decode[0]?.failNext('decode', { kind: 'cut', after: 2 });
  const { chunks } = await streamed();
  expect(chunks.filter(({ error }) => error !== undefined)).toHaveLength(1);
  expect(legs()).toHaveLength(2);
});

test.each([true, false])('a decode that gives up (stream: %s) is no answer', async (stream) => {
  fleet.decode[0]?.failNext('decode', { kind: 'give up' });
  const response = await send(fleet.url, CHAT, chatBody({ stream }));
  const text = stream ? (await readStream(response)).text : JSON.stringify(await response.json());
  expect(text).toContain(wordsFrom(0, 1));
  expect(text).not.toContain('abort');
  expect(legs().map(([worker]) => worker)).toContain('decode-2');
});

test('what the client did wrong is told at once', async () => {
  fleet.prefill[0]?.failNext('prefill', { kind: 'status', status: 400 });
  fleet.decode[0]?.failNext('decode', { kind: 'status', status: 400 });
  const response = await send(fleet.url, CHAT, chatBody());
  expect(response.status).toBe(400);
  expect(legs()).toHaveLength(2);
});

test('a client that leaves takes both legs along', async () => {
  fleet.prefill[0]?.failNext('prefill', { kind: 'hang' });
  const leave = new AbortController();
  const response = send(fleet.url, CHAT, chatBody({ stream: true }), { signal: leave.signal });
  await eventually(() => legs().length === 2);
  leave.abort();
  await expect(response).rejects.toThrow();
  await eventually(() => phases().includes(PlanPhase.PLAN_PHASE_ABORTED));
});

test('without a conductor a decode server is not asked for what it cannot do alone', async () => {
  const gate = Promise.withResolvers<void>();
  fleet.prefill[0]?.gates.set('prefill', gate.promise);
  fleet.prefill[0]?.failNext('prefill', { kind: 'status', status: 500 });
  const answer = send(fleet.url, CHAT, chatBody());
  await eventually(() => legs().length === 2);
  fleet.session.connected = false;
  gate.resolve();
  fleet.prefill[0]?.gates.delete('prefill');
  expect((await answer).status).toBe(503);
  fleet.session.connected = true;
  expect(legs().map(([, kind]) => kind)).toEqual(['prefill', 'decode']);
});

test('without a place where prefill can be met no pair is asked', async () => {
  fleet.session.tellsMeetingPoints = false;
  try {
    const response = await send(fleet.url, CHAT, chatBody());
    expect(response.status).toBe(200);
    expect(alarm()).toContain('where prefill-1');
    expect(legs()).toEqual([['decode-1', 'aggregated']]);
  } finally {
    fleet.session.tellsMeetingPoints = true;
  }
});
