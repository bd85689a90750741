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
  fleet = await startTestFleet({ kind: 'vllm' });
});
beforeEach(() => {
  fleet.session.mode = 'disaggregated';
  fleet.session.ranks = undefined;
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
const phases = (): unknown[] => fleet.session.reports.map(({ phase }) => phase);

describe.each([
  ['chat', CHAT, chatBody],
  ['completion', COMPLETION, completionBody],
] as const)('a %s', (_name, path, bodyOf) => {
  test('streamed: prefill first, all of the answer from decode, one identity', async () => {
    const response = await send(fleet.url, path, bodyOf({ stream: true, vllm_xargs: { a: 1 } }));
    const { chunks, text, done } = await readStream(response);
    expect([response.status, text, done]).toEqual([200, wordsFrom(0, 6), true]);
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    expect(JSON.stringify(chunks)).not.toContain('kv_transfer_params');
    expect(legs()).toEqual([
      ['prefill-1', 'prefill'],
      ['decode-1', 'decode'],
    ]);
    expect(phases()).toEqual([
      PlanPhase.PLAN_PHASE_PREFILLED,
      PlanPhase.PLAN_PHASE_FIRST_TOKEN,
      PlanPhase.PLAN_PHASE_FINISHED,
    ]);
    for (const { legs: seen } of fleet.engines) {
      for (const { body } of seen) expect(body['vllm_xargs']).toEqual({ a: 1 });
    }
  });

  test('whole: what was computed and what came over is told', async () => {
    const response = await send(fleet.url, path, bodyOf({ max_tokens: 4 }));
    const answer = (await response.json()) as {
      usage: { prompt_tokens: number; completion_tokens: number };
      choices: { finish_reason: string }[];
    };
    expect(answer.choices[0]?.finish_reason).toBe('length');
    expect(answer.usage.completion_tokens).toBe(4);
    const promptTokens = answer.usage.prompt_tokens;
    const finished = fleet.session.reports.find((r) => r.phase === PlanPhase.PLAN_PHASE_FINISHED);
    expect(finished?.computedTokens).toBe(promptTokens - STAND_IN_REUSED);
  });

  test('on one worker: the body as it is', async () => {
    fleet.session.mode = 'aggregated';
    const response = await send(fleet.url, path, bodyOf({ stream: true }));
    expect((await readStream(response)).text).toBe(wordsFrom(0, 6));
    expect(legs()).toEqual([['decode-1', 'aggregated']]);
    expect(fleet.decode[0]?.legs[0]?.body).not.toHaveProperty('kv_transfer_params');
  });
});

test('of workers with several ranks the planned ones are asked', async () => {
  const ranksAsked = (): unknown[] =>
    fleet.engines.flatMap(({ legs: seen }) =>
      seen.map(({ headers }) => headers['x-data-parallel-rank']),
    );
  expect((await send(fleet.url, COMPLETION, completionBody({}))).status).toBe(200);
  expect(ranksAsked()).toEqual([undefined, undefined]);
  fleet.session.ranks = { prefill: 0, decode: 3 };
  const body = completionBody({ prompt: 'another one' });
  expect((await send(fleet.url, COMPLETION, body)).status).toBe(200);
  expect(ranksAsked().slice(0, 4)).toEqual([undefined, '0', undefined, '3']);
});

test('an answer of one token has nothing to hand over', async () => {
  const response = await send(fleet.url, COMPLETION, completionBody({ max_tokens: 1 }));
  expect(response.status).toBe(200);
  expect(legs()).toEqual([['prefill-1', 'aggregated']]);
});

test('where prefill keeps nothing for decode, decode computes the prompt', async () => {
  fleet.prefill[0]?.failNext('prefill', { kind: 'stop at first' });
  const response = await send(fleet.url, CHAT, chatBody({ stream: true }));
  expect((await readStream(response)).text).toBe(wordsFrom(0, 6));
  expect(legs()).toEqual([
    ['prefill-1', 'prefill'],
    ['decode-1', 'aggregated'],
  ]);
});

test('a decode leg that fails before its first token: prefill runs again, nothing is used twice', async () => {
  fleet.decode[0]?.failNext('decode', { kind: 'status', status: 500 });
  const response = await send(fleet.url, CHAT, chatBody({ stream: true }));
  expect((await readStream(response)).text).toBe(wordsFrom(0, 6));
  expect(legs()).toEqual([
    ['prefill-1', 'prefill'],
    ['prefill-1', 'prefill'],
    ['decode-1', 'decode'],
    ['decode-2', 'decode'],
  ]);
});

test('a prefill leg that fails: another worker is asked', async () => {
  fleet.prefill[0]?.failNext('prefill', { kind: 'reset' });
  const response = await send(fleet.url, CHAT, chatBody());
  expect(response.status).toBe(200);
  expect(legs().map(([worker]) => worker)).toEqual(['prefill-1', 'prefill-2', 'decode-1']);
});

test('a decode leg that breaks off behind its first token ends the stream with an error', async () => {
  fleet.decode[0]?.failNext('decode', { kind: 'cut', after: 2 });
  const response = await send(fleet.url, CHAT, chatBody({ stream: true }));
  const { chunks } = await readStream(response);
  expect(chunks.filter(({ error }) => error !== undefined)).toHaveLength(1);
  expect(legs().filter(([, kind]) => kind === 'prefill')).toHaveLength(1);
});

test.each([
  ['with too few blocks', { remote_block_ids: [[1]] }, 'remote_block_ids has 1 blocks'],
  ['empty', { do_remote_prefill: undefined }, 'do_remote_prefill is not true'],
  ['without a host', { remote_host: '' }, 'remote_host is no text'],
  ['of another prompt', { remote_num_tokens: 3 }, 'remote_num_tokens is 3'],
])('handover parameters %s never reach a decode engine', async (_name, change, reason) => {
  for (const engine of fleet.prefill) engine.spoilParams = change;
  try {
    const response = await send(fleet.url, CHAT, chatBody());
    expect(response.status).toBe(200);
    expect(legs()).toEqual([
      ['prefill-1', 'prefill'],
      ['prefill-2', 'prefill'],
      ['decode-1', 'aggregated'],
    ]);
    expect(JSON.stringify(fleet.alarms)).toContain(reason);
  } finally {
    for (const engine of fleet.prefill) engine.spoilParams = undefined;
  }
});

test.each([
  ['an engine', { engine: 'mystery' }],
  ['a way to move KV', { connector: 'mystery' }],
])('%s that nobody here knows is said by name', async (_name, change) => {
  Object.assign(fleet.session, change);
  try {
    const response = await send(fleet.url, CHAT, chatBody());
    expect(response.status).toBe(503);
    expect(JSON.stringify(fleet.alarms)).toContain('mystery');
    expect(legs()).toEqual([]);
  } finally {
    Object.assign(fleet.session, { engine: 'vllm', connector: 'nixl' });
  }
});

test('what prefill has said before the gateway stood still is not handed to decode', async () => {
  const { resolve, promise } = Promise.withResolvers<void>();
  const { gates } = fleet.prefill[0] as (typeof fleet.prefill)[number];
  gates.set('prefill', promise);
  const answered = send(fleet.url, COMPLETION, completionBody({ stream: true }));
  await eventually(() => legs().length === 1);
  gates.delete('prefill');
  fleet.standstill.ms += 16_000;
  resolve();
  const { text, done } = await readStream(await answered);
  expect([text, done]).toEqual([wordsFrom(0, 6), true]);
  expect(legs()).toEqual([
    ['prefill-1', 'prefill'],
    ['prefill-1', 'prefill'],
    ['decode-1', 'decode'],
  ]);
  expect(fleet.alarms).toEqual([]);
});
