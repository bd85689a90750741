import { keyHex, rootKey, segmentKeys } from '@baton/kv';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { eventually, metricsOf, post, postStream, stream } from '@baton/test-kit';
import type { AnswerBody, HttpAnswer } from '@baton/test-kit';
import { TestAgent } from '../testing/test-agent.ts';
import { SEGMENT_TOKENS, startTestEngine, tinyModelFolder } from '../testing/test-engine.ts';
import type { TestEngine } from '../testing/test-engine.ts';

const model = tinyModelFolder();
const COMPLETION = '/v1/completions';
const OUTPUT_TOKENS = 12;
let alone: TestEngine;
let prefill: TestEngine;
let decode: TestEngine;
let prefillAgent: TestAgent;
let decodeAgent: TestAgent;
let plans = 0;

const settings = { model: model.file, reproducible: true, maxSequences: 8 };

beforeAll(async () => {
  prefillAgent = await TestAgent.start();
  decodeAgent = await TestAgent.start();
  decodeAgent.peer = prefillAgent;
  [alone, prefill, decode] = await Promise.all([
    startTestEngine(settings),
    startTestEngine({ ...settings, agentSocket: prefillAgent.socketPath }),
    startTestEngine({ ...settings, agentSocket: decodeAgent.socketPath }),
  ]);
  await eventually(() => prefillAgent.linked && decodeAgent.linked);
});
afterEach(() => {
  expect([...prefillAgent.problems, ...decodeAgent.problems]).toEqual([]);
});
afterAll(async () => {
  await Promise.all([alone, prefill, decode].map((engine) => engine?.stop()));
  await Promise.all([prefillAgent.close(), decodeAgent.close()]);
  model.remove();
});

/** Each seed from 1 to 94 has its own tokens from the start. */
const promptOf = (count: number, seed: number): number[] =>
  Array.from({ length: count }, (_, i) => 261 + ((i * 31 + seed * 17 + (i >> 4)) % 95));

function bodyOf(prompt: number[] | string, fields: object = {}): object {
  const greedy = { temperature: 0, max_tokens: OUTPUT_TOKENS, return_token_ids: true };
  return { model: 'tiny', prompt, ...greedy, ...fields };
}

interface Handover {
  first: HttpAnswer;
  second: HttpAnswer;
  text: string;
  tokens: number[];
}

const prefillLeg = (body: object, planId: string, baton: object = {}): Promise<HttpAnswer> =>
  post(prefill.url, COMPLETION, {
    ...body,
    max_tokens: 1,
    kv_transfer_params: {
      do_remote_decode: true,
      do_remote_prefill: false,
      baton: { plan_id: planId, decode_held_tokens: 0, prefix_tokens: 0, ...baton },
    },
  });
const handoverParams = (planId: string): object => ({
  kv_transfer_params: {
    do_remote_prefill: true,
    do_remote_decode: false,
    baton: { plan_id: planId },
  },
});
const nextPlan = (): string => `plan-${(plans += 1)}`;

/** Both legs at once, as the gateway does it. */
async function handover(body: object, baton: object = {}): Promise<Handover> {
  const planId = nextPlan();
  const decoding = post(decode.url, COMPLETION, { ...body, ...handoverParams(planId) });
  const first = await prefillLeg(body, planId, baton);
  const second = await decoding;
  const choices = [first, second].map(({ body: { choices } }) => choices?.[0]);
  return {
    first,
    second,
    text: choices.map((choice) => choice?.text ?? '').join(''),
    tokens: choices.flatMap((choice) => choice?.token_ids ?? []),
  };
}

const accountingOf = ({ body }: { body: AnswerBody }): number[] => {
  const accounting = body.kv_transfer_params?.baton.accounting;
  return [
    accounting?.prompt_tokens ?? -1,
    accounting?.reused_tokens ?? -1,
    accounting?.transferred_tokens ?? -1,
    accounting?.computed_tokens ?? -1,
  ];
};

async function expectIdle(): Promise<void> {
  for (const engine of [prefill, decode]) {
    await eventually(async () => (await metricsOf(engine.url)).get('num_requests_running') === 0);
  }
  await eventually(() =>
    [prefillAgent, decodeAgent].every(({ pinned, reserved }) => pinned.size + reserved.size === 0),
  );
}

test.each([1, 2, 63, 64, 65, 128, 129, 400])(
  'a prompt of %d tokens goes on elsewhere as if nothing had happened',
  async (count) => {
    const body = bodyOf(promptOf(count, count % 95));
    const expected = await post(alone.url, COMPLETION, body);
    const { first, second, text, tokens } = await handover(body);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(tokens).toEqual(expected.body.choices[0]?.token_ids);
    expect(text).toBe(expected.body.choices[0]?.text);
    expect(second.body.usage).toMatchObject({
      prompt_tokens: count,
      completion_tokens: OUTPUT_TOKENS,
      prompt_tokens_details: { cached_tokens: 0 },
    });
    expect(first.body.kv_transfer_params).toMatchObject({
      do_remote_prefill: true,
      do_remote_decode: false,
      baton: { plan_id: `plan-${plans}`, token_ids: tokens.slice(0, 1) },
    });
    expect(accountingOf(first)).toEqual([count, 0, 0, count]);
    expect(accountingOf(second)).toEqual([count, 0, count, 0]);
    await expectIdle();
    const legs = [prefillAgent, decodeAgent].map(({ ended }) => ended.at(-1));
    expect(legs).toMatchObject([
      { leg: 'prefill', outcome: 'finished', computedTokens: count, outputTokens: 1 },
      { leg: 'decode', outcome: 'finished', transferredTokens: count, outputTokens: OUTPUT_TOKENS },
    ]);
  },
);

test('a streamed decode leg begins with token 2 and ends with its accounting', async () => {
  const body = bodyOf(promptOf(200, 11));
  const expected = await post(alone.url, COMPLETION, body);
  const planId = nextPlan();
  const options = { stream_options: { include_usage: true } };
  const decoding = stream(decode.url, COMPLETION, {
    ...body,
    ...options,
    ...handoverParams(planId),
  });
  const first = await prefillLeg(body, planId);
  const { chunks, text } = await decoding;
  expect((first.body.choices[0]?.text ?? '') + text).toBe(expected.body.choices[0]?.text);
  const usage = chunks.at(-1);
  expect(usage?.usage).toMatchObject({ prompt_tokens: 200, completion_tokens: OUTPUT_TOKENS });
  expect(usage?.kv_transfer_params?.baton).toMatchObject({
    plan_id: planId,
    accounting: { prompt_tokens: 200, transferred_tokens: 200, computed_tokens: 0 },
  });
});

test('sampling goes on with the seed of the first engine', async () => {
  const sampled = { temperature: 1, top_p: 0.9, seed: 11, ignore_eos: true };
  const body = bodyOf(promptOf(150, 12), { ...sampled, frequency_penalty: 0.5 });
  const expected = await post(alone.url, COMPLETION, body);
  const { tokens } = await handover(body);
  expect(tokens).toEqual(expected.body.choices[0]?.token_ids);
  const unseeded = bodyOf(promptOf(90, 13), { temperature: 1 });
  expect((await handover(unseeded)).tokens.length).toBeGreaterThan(0);
});

test('stop strings and characters may span the two engines', async () => {
  const body = bodyOf(promptOf(100, 14));
  const whole = (await post(alone.url, COMPLETION, body)).body.choices[0]?.text ?? '';
  const stop = whole.slice(0, 3);
  const spanning = await handover(bodyOf(promptOf(100, 14), { stop }));
  expect(spanning.text).toBe('');
  expect(spanning.second.body.choices[0]).toMatchObject({
    finish_reason: 'stop',
    stop_reason: stop,
  });
  const never = await handover(bodyOf(promptOf(100, 14), { stop: `${stop}never` }));
  expect(never.text).toBe(whole);
  const single = await handover(bodyOf(promptOf(100, 14), { max_tokens: 1, stop: `${whole[0]}x` }));
  expect(single.text).toBe(whole[0]);
});

test('only what decode lacks is reserved and moved', async () => {
  const shared = promptOf(128, 15);
  await handover(bodyOf([...shared, ...promptOf(30, 16)]));
  const { first, second } = await handover(bodyOf([...shared, ...promptOf(80, 17)]), {
    decode_held_tokens: 128,
  });
  expect(accountingOf(first)).toEqual([208, 128, 0, 80]);
  expect(first.body.usage?.prompt_tokens_details?.cached_tokens).toBe(128);
  expect(accountingOf(second)).toEqual([208, 128, 80, 0]);
  expect(second.body.usage?.prompt_tokens_details?.cached_tokens).toBe(128);
  expect(decodeAgent.loads.at(-1)).toMatchObject({ firstSegment: 2, handover: true });
});

test('segments leave while the prompt is still computed', async () => {
  const planId = nextPlan();
  const before = prefillAgent.held.size;
  const running = prefillLeg(bodyOf(promptOf(4_000, 18)), planId);
  await eventually(() => prefillAgent.held.size > before);
  expect(prefillAgent.handovers.has(planId)).toBe(false);
  expect((await running).status).toBe(200);
  expect(prefillAgent.held.size - before).toBe(Math.floor(4_000 / SEGMENT_TOKENS));
  expect(prefillAgent.handovers.has(planId)).toBe(true);
});

test('what the agent holds of a prefix is not computed again', async () => {
  const prompt = promptOf(300, 19);
  await handover(bodyOf(prompt));
  // A new engine beside the agent that holds the prompt's segments.
  await decode.stop();
  decode = await startTestEngine({ ...settings, agentSocket: decodeAgent.socketPath });
  await eventually(() => decodeAgent.linked);
  decodeAgent.peer = undefined;
  const expected = await post(alone.url, COMPLETION, bodyOf(prompt));
  const again = await handover(bodyOf(prompt));
  expect(again.second.status).toBe(503);
  decodeAgent.peer = prefillAgent;
  const { body } = await post(decode.url, COMPLETION, {
    ...bodyOf(prompt),
    kv_transfer_params: {
      do_remote_prefill: false,
      do_remote_decode: false,
      baton: { plan_id: 'x', prefix_tokens: 192 },
    },
  });
  expect(body.choices[0]?.token_ids).toEqual(expected.body.choices[0]?.token_ids);
  expect(accountingOf({ body })).toEqual([300, 0, 256, 44]);
  const metrics = await metricsOf(decode.url);
  expect(metrics.get('prompt_tokens_by_source_total{source="external_kv_transfer"}')).toBe(256);
  expect(metrics.get('external_prefix_cache_hits_total')).toBe(256);
  expect(decodeAgent.loads.at(-1)).toMatchObject({ planId: 'x', expectedSegments: 3 });
  await expectIdle();
});

test('a recompute leg goes on from the token that the client has', async () => {
  for (const count of [1, 64, 100, 128]) {
    const body = bodyOf(promptOf(count, (20 + count) % 95));
    const expected = (await post(alone.url, COMPLETION, body)).body.choices[0];
    const first = await prefillLeg(body, nextPlan());
    const again = await post(decode.url, COMPLETION, {
      ...body,
      kv_transfer_params: {
        do_remote_prefill: false,
        do_remote_decode: false,
        baton: { plan_id: 'p', resume_token_ids: first.body.kv_transfer_params?.baton.token_ids },
      },
    });
    const [, ...rest] = expected?.token_ids ?? [];
    expect(again.body.choices[0]?.token_ids).toEqual(rest);
    expect((first.body.choices[0]?.text ?? '') + again.body.choices[0]?.text).toBe(expected?.text);
    expect(again.body.usage?.completion_tokens).toBe(OUTPUT_TOKENS);
    const [prompt = 0, reused = 0, transferred = 0, computed = 0] = accountingOf(again);
    expect(prompt).toBe(count);
    expect(reused + transferred + computed).toBe(count);
  }
});

const failed = async (body: object): Promise<void> => {
  const { status, body: answer } = await post(decode.url, COMPLETION, body);
  expect([status, answer.error?.code]).toEqual([503, 'kv_transfer_failed']);
};

test('a handover that fails is a 503 without a stream, and nothing stays', async () => {
  const body = bodyOf(promptOf(100, 40));
  decodeAgent.faults.cutOnHandover = true;
  await failed({ ...body, ...handoverParams(nextPlan()), stream: true });
  decodeAgent.faults.cutOnHandover = false;
  await eventually(() => decodeAgent.linked);
  decodeAgent.faults.wrongState = true;
  const { first, second } = await handover(body);
  expect([first.status, second.status, second.body.error?.code]).toEqual([
    200,
    503,
    'kv_transfer_failed',
  ]);
  expect(decodeAgent.ended.at(-1)).toMatchObject({ leg: 'decode', outcome: 'failed' });
  decodeAgent.faults.wrongState = false;
  expect((await handover(body)).second.status).toBe(200);
  await expectIdle();
});

test('without its agent an engine serves everything but handovers', async () => {
  prefillAgent.die();
  decodeAgent.die();
  const body = bodyOf(promptOf(100, 50));
  const expected = (await post(alone.url, COMPLETION, body)).body.choices[0]?.token_ids;
  await failed({ ...body, ...handoverParams(nextPlan()) });
  const first = await prefillLeg(body, nextPlan());
  expect(first.body.choices[0]?.token_ids).toEqual(expected?.slice(0, 1));
  expect((await post(decode.url, COMPLETION, body)).body.choices[0]?.token_ids).toEqual(expected);
  await Promise.all([prefillAgent.listen(), decodeAgent.listen()]);
  await eventually(() => prefillAgent.linked && decodeAgent.linked);
  expect((await handover(bodyOf(promptOf(100, 51)))).second.status).toBe(200);
});

test('an arena whose pages are too small is not used', async () => {
  decodeAgent.die();
  decodeAgent.faults.smallPages = true;
  await decodeAgent.listen();
  await eventually(() => decodeAgent.connected);
  const body = bodyOf(promptOf(100, 55));
  await failed({ ...body, ...handoverParams(nextPlan()) });
  expect((await post(decode.url, COMPLETION, body)).status).toBe(200);
  decodeAgent.faults.smallPages = false;
  decodeAgent.die();
  await decodeAgent.listen();
  await eventually(() => decodeAgent.linked);
  expect((await handover(bodyOf(promptOf(100, 56)))).second.status).toBe(200);
});

test('an agent that dies during prefill or load: prefill goes on, decode is a 503', async () => {
  const body = bodyOf(promptOf(4_000, 60), { max_tokens: 4 });
  const planId = nextPlan();
  const decoding = post(decode.url, COMPLETION, { ...body, ...handoverParams(planId) });
  const prefilling = prefillLeg(body, planId);
  await eventually(() => decodeAgent.held.size > 2);
  prefillAgent.die();
  decodeAgent.die();
  expect((await prefilling).status).toBe(200);
  expect((await decoding).body.error?.code).toBe('kv_transfer_failed');
  await Promise.all([prefillAgent.listen(), decodeAgent.listen()]);
  await eventually(() => prefillAgent.linked && decodeAgent.linked);
  const again = await handover(body);
  expect(again.tokens).toEqual(
    (await post(alone.url, COMPLETION, body)).body.choices[0]?.token_ids,
  );
  await expectIdle();
});

test('an agent without room or without an answer for pages: prefill goes on', async () => {
  const handovers = prefillAgent.handovers.size;
  prefillAgent.faults.refuseReserve = true;
  expect((await prefillLeg(bodyOf(promptOf(100, 70)), nextPlan())).status).toBe(200);
  prefillAgent.faults.refuseReserve = false;
  prefillAgent.faults.silentReserve = true;
  expect((await prefillLeg(bodyOf(promptOf(100, 71)), nextPlan())).status).toBe(200);
  prefillAgent.faults.silentReserve = false;
  expect(prefillAgent.handovers.size).toBe(handovers);
  await expectIdle();
});

test('a load that is never answered counts as missing', async () => {
  decodeAgent.faults.silent = true;
  const body = bodyOf(promptOf(100, 80));
  const { status, body: answer } = await post(decode.url, COMPLETION, body);
  expect([status, answer.usage?.prompt_tokens_details?.cached_tokens]).toEqual([200, 0]);
  decodeAgent.faults.silent = false;
});

test('a client that leaves while its handover is awaited leaves nothing', async () => {
  const gone = new AbortController();
  const planId = nextPlan();
  const body = { ...bodyOf(promptOf(100, 90)), ...handoverParams(planId) };
  const waiting = post(decode.url, COMPLETION, body, { signal: gone.signal }).catch(() => 'gone');
  await eventually(() => decodeAgent.loads.some((load) => load.planId === planId));
  gone.abort();
  expect(await waiting).toBe('gone');
  const ended = () => decodeAgent.ended.find((end) => end.planId === planId);
  await eventually(() => ended() !== undefined);
  expect(ended()).toMatchObject({ leg: 'decode', outcome: 'aborted' });
  await expectIdle();
});

test('a client that leaves in the middle of a decode leg', async () => {
  const gone = new AbortController();
  const planId = nextPlan();
  const body = bodyOf(promptOf(100, 91), { max_tokens: 4_000 });
  const stream = postStream(
    decode.url,
    COMPLETION,
    { ...body, ...handoverParams(planId) },
    { signal: gone.signal },
  );
  const begun = stream.next();
  await prefillLeg(body, planId);
  await begun;
  gone.abort();
  const ended = () => decodeAgent.ended.find((end) => end.planId === planId);
  await eventually(() => ended() !== undefined);
  expect(ended()).toMatchObject({ leg: 'decode', outcome: 'aborted' });
  await expectIdle();
});

test('the agent hears what the engine is, its load, and gets cached segments on request', async () => {
  expect(decodeAgent.hello).toMatchObject({
    eventsEndpoint: decode.endpoints.events,
    replayEndpoint: decode.endpoints.replay,
    worker: {
      model: 'tiny',
      engine: 'llama',
      engineUrl: decode.url,
      segmentTokens: SEGMENT_TOKENS,
      maxModelTokens: 8192,
      maxSequences: 8,
      layout: { blockTokens: SEGMENT_TOKENS, connector: 'llama', ranks: 1, layers: 2 },
      capabilities: { overlapHandover: true, firstTokenFromPrefill: true },
    },
  });
  const prompt = promptOf(200, 95);
  await post(decode.url, COMPLETION, bodyOf(prompt));
  await eventually(() => {
    const last = decodeAgent.loadReports.at(-1);
    return last?.runningSequences === 0 && (last.prefillTokensPerSec ?? 0) > 0;
  });
  const root = rootKey({ tokenization: decodeAgent.hello?.worker?.tokenization ?? '' });
  const keys = segmentKeys(root, prompt, SEGMENT_TOKENS);
  const unknown = new Uint8Array(16).fill(1);
  decodeAgent.requestExport('export-1', Uint8Array.of(...keys, ...unknown));
  await eventually(() => decodeAgent.exportReplies.length === 1);
  expect(decodeAgent.exportReplies[0]).toMatchObject({ exportId: 'export-1', exported: 3 });
  expect(decodeAgent.held.has(keyHex(keys.subarray(0, 16)))).toBe(true);
});
