import { readStream, send } from '@baton/test-kit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { baton } from '@baton/proto';
import { STAND_IN_REUSED } from './testing/engine-stand-in.ts';
import { tokenIdOf, wordsFrom } from './testing/stand-in-answers.ts';
import {
  CHAT,
  chatBody,
  COMPLETION,
  completionBody,
  startTestFleet,
  type TestFleet,
} from './testing/test-fleet.ts';

let fleet: TestFleet;
beforeAll(async () => {
  fleet = await startTestFleet();
});
beforeEach(() => {
  fleet.session.mode = 'disaggregated';
  fleet.session.reports.length = 0;
  fleet.session.requests.length = 0;
  fleet.logged.length = 0;
  for (const engine of fleet.engines) engine.legs.length = 0;
});
afterEach(() => fleet.settled());
afterAll(() => fleet.stop());

const chatPrompt = 'user: Hello there\n'.length;
const modes = ['disaggregated', 'aggregated'] as const;
const { PlanPhase } = baton.v1;

describe.each(modes)('%s', (mode) => {
  beforeEach(() => {
    fleet.session.mode = mode;
  });

  test('a streamed chat: one identity, one role, the right text, one end', async () => {
    const response = await send(fleet.url, CHAT, chatBody({ stream: true, vllm_xargs: { a: 1 } }));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const { chunks, text, done } = await readStream(response);
    expect(text).toBe(wordsFrom(0, 6));
    expect(done).toBe(true);
    const identities = chunks.map(({ id, object, created, model }) =>
      JSON.stringify({ id, object, created, model }),
    );
    expect(new Set(identities).size).toBe(1);
    expect(chunks[0]).toMatchObject({
      id: expect.stringMatching(/^chatcmpl-[0-9a-f]{32}$/),
      object: 'chat.completion.chunk',
      model: 'stand-in',
    });
    const roles = chunks.map((chunk) => chunk.choices[0]?.delta?.role);
    expect(roles.map(Boolean)).toEqual(chunks.map((_, i) => i === 0));
    const reasons = chunks.map((chunk) => chunk.choices[0]?.finish_reason);
    expect(reasons.filter((reason) => reason !== null)).toEqual(['stop']);
    expect(reasons.at(-1)).toBe('stop');
    expect(chunks.some((chunk) => 'usage' in chunk || 'kv_transfer_params' in chunk)).toBe(false);
    for (const leg of fleet.engines.flatMap((engine) => engine.legs)) {
      expect(leg.body['vllm_xargs']).toEqual({ a: 1 });
    }
  });

  test('a whole chat', async () => {
    const response = await send(fleet.url, CHAT, chatBody({ max_tokens: 4 }));
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      id: expect.stringMatching(/^chatcmpl-/),
      object: 'chat.completion',
      created: expect.any(Number),
      model: 'stand-in',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: wordsFrom(0, 4), refusal: null },
          logprobs: null,
          finish_reason: 'length',
          stop_reason: null,
        },
      ],
      system_fingerprint: expect.stringMatching(/^fp-/),
      usage: {
        prompt_tokens: chatPrompt,
        completion_tokens: 4,
        total_tokens: chatPrompt + 4,
        prompt_tokens_details: { cached_tokens: STAND_IN_REUSED },
      },
    });
  });

  test.each([['Hello'], [[1, 2, 3, 4, 5]], [['Hello']], [[[1, 2, 3, 4, 5]]]])(
    'a completion of prompt %j, whole and streamed',
    async (prompt) => {
      const body = completionBody({ prompt, max_tokens: 5 });
      const whole = (await (await send(fleet.url, COMPLETION, body)).json()) as Record<
        string,
        unknown
      >;
      expect(whole).toMatchObject({
        id: expect.stringMatching(/^cmpl-/),
        object: 'text_completion',
        choices: [{ text: wordsFrom(0, 5), finish_reason: 'length' }],
        usage: { prompt_tokens: 5, completion_tokens: 5 },
      });
      expect(JSON.stringify(whole)).not.toMatch(/kv_transfer_params|token_ids/);
      const options = { stream: true, stream_options: { include_usage: true } };
      const streamed = await readStream(await send(fleet.url, COMPLETION, { ...body, ...options }));
      expect(streamed.text).toBe(wordsFrom(0, 5));
      expect(streamed.chunks.at(-1)).toMatchObject({ choices: [], usage: whole['usage'] });
      expect(streamed.chunks.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true);
      expect(JSON.stringify(streamed.chunks)).not.toMatch(/kv_transfer_params|token_ids/);
    },
  );

  test('the prompt of a completion is tokenized once, the legs get its token ids', async () => {
    const count = () => fleet.engines.reduce((sum, engine) => sum + engine.tokenized, 0);
    const before = count();
    const body = completionBody({ prompt: 'Hé', add_special_tokens: false, stop: ['x'] });
    expect((await send(fleet.url, COMPLETION, body)).status).toBe(200);
    expect(count()).toBe(before + 1);
    expect(fleet.engines.map((engine) => engine.tokenizeBody)).toContainEqual({
      model: 'stand-in',
      prompt: 'Hé',
      add_special_tokens: false,
    });
    const legs = fleet.engines.flatMap((engine) => engine.legs);
    expect(legs).toHaveLength(mode === 'aggregated' ? 1 : 2);
    for (const leg of legs) {
      expect(leg.body).toMatchObject({ prompt: [0x48, 0xe9], stop: ['x'] });
      expect(leg.body).not.toHaveProperty('add_special_tokens');
    }
  });

  test('one token', async () => {
    for (const stream of [false, true]) {
      const response = await send(fleet.url, CHAT, chatBody({ max_tokens: 1, stream }));
      if (stream) {
        const { text, chunks, done } = await readStream(response);
        expect([text, done]).toEqual([wordsFrom(0, 1), true]);
        expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('length');
      } else {
        expect(await response.json()).toMatchObject({
          choices: [{ message: { content: wordsFrom(0, 1) }, finish_reason: 'length' }],
          usage: { completion_tokens: 1 },
        });
      }
    }
  });

  test('log probabilities and token ids of both legs are in one piece', async () => {
    const want = { logprobs: 1, return_token_ids: true, max_tokens: 4 };
    const offsets = [0, 1, 2, 3].map((i) => wordsFrom(0, i).length);
    const ids = [0, 1, 2, 3].map(tokenIdOf);
    const promptIds = [0, 1, 2, 3, 4];
    const whole = await (await send(fleet.url, COMPLETION, completionBody(want))).json();
    expect(whole).toMatchObject({
      choices: [
        {
          logprobs: { token_logprobs: [0, -1, -2, -3], text_offset: offsets },
          token_ids: ids,
          prompt_token_ids: promptIds,
        },
      ],
    });
    const response = await send(fleet.url, COMPLETION, completionBody({ ...want, stream: true }));
    const choices = (await readStream(response)).chunks.flatMap((chunk) => chunk.choices);
    expect(choices.flatMap((choice) => choice.logprobs?.text_offset)).toEqual(offsets);
    expect(choices.flatMap((choice) => choice.token_ids)).toEqual(ids);
    expect(choices.flatMap((choice) => choice.prompt_token_ids ?? [])).toEqual(promptIds);
  });

  test('the same for a chat', async () => {
    const want = { logprobs: true, return_token_ids: true, max_tokens: 4 };
    const whole = await (await send(fleet.url, CHAT, chatBody(want))).json();
    expect(whole).toMatchObject({
      prompt_token_ids: Array.from({ length: chatPrompt }, (_, i) => i),
      choices: [
        {
          logprobs: { content: [{}, {}, {}, {}] },
          token_ids: [0, 1, 2, 3].map(tokenIdOf),
        },
      ],
    });
    const response = await send(fleet.url, CHAT, chatBody({ ...want, stream: true }));
    const { chunks } = await readStream(response);
    const choices = chunks.flatMap((chunk) => chunk.choices);
    expect(choices.flatMap((choice) => choice.logprobs?.content ?? [])).toHaveLength(4);
    expect(choices.flatMap((choice) => choice.token_ids ?? [])).toEqual(
      [0, 1, 2, 3].map(tokenIdOf),
    );
    const promptIds = chunks.flatMap((chunk) => chunk.prompt_token_ids ?? []);
    expect(promptIds).toHaveLength(chatPrompt);
  });

  test('headers, reports and the log line tell the same', async () => {
    const response = await send(fleet.url, CHAT, chatBody({ stream: true }), {
      headers: { 'x-request-id': 'mine-1' },
    });
    await readStream(response);
    const prefillWorker = mode === 'aggregated' ? 'decode-1' : 'prefill-1';
    const planId = response.headers.get('x-baton-plan-id') ?? '';
    expect(response.headers.get('x-request-id')).toBe('mine-1');
    expect(response.headers.get('x-baton-prefill-worker')).toBe(prefillWorker);
    expect(response.headers.get('x-baton-decode-worker')).toBe('decode-1');
    await fleet.settled();
    expect(fleet.session.phasesOf(planId)).toEqual([
      PlanPhase.PLAN_PHASE_FIRST_TOKEN,
      PlanPhase.PLAN_PHASE_FINISHED,
    ]);
    const computed = chatPrompt - STAND_IN_REUSED;
    expect(fleet.session.reports.at(-1)).toMatchObject({
      outputTokens: 6,
      computedTokens: computed,
    });
    expect(fleet.requestLines()).toEqual([
      {
        event: 'request',
        requestId: 'mine-1',
        planId,
        model: 'stand-in',
        mode,
        prefillWorker,
        decodeWorker: 'decode-1',
        promptTokens: chatPrompt,
        cachedTokens: STAND_IN_REUSED,
        reusedTokens: STAND_IN_REUSED,
        transferredTokens: mode === 'aggregated' ? 0 : computed,
        computedTokens: computed,
        outputTokens: 6,
        ttftMs: expect.any(Number),
        durationMs: expect.any(Number),
        status: 200,
        outcome: 'finished',
        code: undefined,
      },
    ]);
    for (const leg of fleet.engines.flatMap((engine) => engine.legs)) {
      expect(leg.headers['x-request-id']).not.toBe('mine-1');
    }
    expect(fleet.session.requests[0]).toMatchObject({ promptTokens: chatPrompt });
    expect(fleet.session.requests[0]?.requestId).not.toBe('mine-1');
    expect(fleet.session.requests[0]?.segmentKeys).toHaveLength(16 * Math.floor(chatPrompt / 4));
  });
});

test('an answer that ends with its first token leaves no decode leg', async () => {
  for (const stream of [true, false]) {
    fleet.prefill[0]?.failNext('prefill', { kind: 'stop at first' });
    const response = await send(fleet.url, CHAT, chatBody({ stream }));
    if (stream) {
      const { text, chunks, done } = await readStream(response);
      expect([text, done]).toEqual([wordsFrom(0, 1), true]);
      expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop');
    } else {
      expect(await response.json()).toMatchObject({
        choices: [{ message: { content: wordsFrom(0, 1) }, finish_reason: 'stop' }],
        usage: { completion_tokens: 1 },
      });
    }
    await fleet.settled();
  }
});

test('the first token does not wait for decode', async () => {
  const gate = Promise.withResolvers<void>();
  fleet.decode[0]?.gates.set('decode', gate.promise);
  const response = await send(fleet.url, CHAT, chatBody({ stream: true }));
  const reader = response.body?.getReader();
  const first = new TextDecoder().decode((await reader?.read())?.value);
  expect(first).toContain('"role":"assistant"');
  expect(first).toContain(JSON.stringify(wordsFrom(0, 1)).slice(1, -1));
  fleet.decode[0]?.gates.clear();
  gate.resolve();
  while (!(await reader?.read())?.done);
});

test('both legs start at once', async () => {
  const gate = Promise.withResolvers<void>();
  fleet.prefill[0]?.gates.set('prefill', gate.promise);
  const answer = send(fleet.url, CHAT, chatBody());
  while (fleet.decode[0]?.legsOf('decode').length !== 1) await new Promise(setImmediate);
  fleet.prefill[0]?.gates.clear();
  gate.resolve();
  expect((await answer).status).toBe(200);
});

test('an engine that takes no token ids gets the prompt as the client wrote it', async () => {
  const other = await startTestFleet({
    engine: { takesTokens: false },
    capabilities: { takeTokens: false },
  });
  const body = completionBody({ prompt: 'Hello', add_special_tokens: true });
  expect((await send(other.url, COMPLETION, body)).status).toBe(200);
  for (const leg of other.engines.flatMap((engine) => engine.legs)) {
    expect(leg.body).toMatchObject({ prompt: 'Hello', add_special_tokens: true });
  }
  await other.settled();
  await other.stop();
});
