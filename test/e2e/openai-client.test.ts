/** What users do: the official client, unmodified, against a whole Baton. */
import OpenAI, { APIUserAbortError, BadRequestError, NotFoundError } from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectIdle, MODEL, startFleet, type Fleet } from '../kit/fleet.ts';

let fleet: Fleet;
let client: OpenAI;

beforeAll(async () => {
  fleet = await startFleet({ prefill: 1, decode: 1 });
  client = new OpenAI({ baseURL: `${fleet.url}/v1`, apiKey: 'none', maxRetries: 0 });
});
afterAll(() => fleet?.stop());

const story = 'Once upon a time there was a cat that sat on a mat and thought about it. '.repeat(8);
const messages = [{ role: 'user' as const, content: story }];

test('models', async () => {
  const models = [];
  for await (const model of client.models.list()) models.push(model.id);
  expect(models).toEqual([MODEL]);
});

test('chat, whole and streamed, says the same', async () => {
  const request = { model: MODEL, messages, max_tokens: 12, temperature: 0 };
  const whole = await client.chat.completions.create(request);
  const text = whole.choices[0]?.message.content ?? '';
  expect(whole.object).toBe('chat.completion');
  expect(whole.usage?.completion_tokens).toBeGreaterThan(1);

  const stream = await client.chat.completions.create({
    ...request,
    stream: true,
    stream_options: { include_usage: true },
  });
  let streamed = '';
  const ids = new Set<string>();
  let usage: OpenAI.CompletionUsage | null | undefined;
  let roles = 0;
  for await (const chunk of stream) {
    ids.add(chunk.id);
    if (chunk.choices[0]?.delta.role !== undefined) roles += 1;
    streamed += chunk.choices[0]?.delta.content ?? '';
    usage = chunk.usage ?? usage;
  }
  expect(streamed.length).toBeGreaterThan(0);
  expect(ids.size).toBe(1);
  expect(roles).toBe(1);
  expect(usage?.prompt_tokens).toBe(whole.usage?.prompt_tokens);
  // The generated model's text may differ in the normal mode; its beginning does not depend on a batch.
  expect(streamed.slice(0, 1)).toBe(text.slice(0, 1));
});

test('completions with log probabilities', async () => {
  const answer = await client.completions.create({
    model: MODEL,
    prompt: story,
    max_tokens: 5,
    logprobs: 2,
    temperature: 0,
  });
  const logprobs = answer.choices[0]?.logprobs;
  expect(logprobs?.tokens?.length).toBe(answer.usage?.completion_tokens);
  expect(logprobs?.token_logprobs?.every((value) => value <= 0)).toBe(true);
});

test('chat with log probabilities over both legs', async () => {
  const answer = await client.chat.completions.create({
    model: MODEL,
    messages: [{ role: 'user', content: `log ${story}` }],
    max_tokens: 6,
    logprobs: true,
    top_logprobs: 3,
    temperature: 0,
  });
  const content = answer.choices[0]?.logprobs?.content ?? [];
  expect(content.length).toBe(answer.usage?.completion_tokens);
  for (const token of content) expect(token.top_logprobs).toHaveLength(3);
});

test('abort in the middle of a stream leaves nothing', async () => {
  const stream = await client.chat.completions.create({
    model: MODEL,
    messages: [{ role: 'user', content: `abort ${story}` }],
    max_tokens: 2_000,
    stream: true,
  });
  let chunks = 0;
  for await (const chunk of stream) {
    expect(chunk.object).toBe('chat.completion.chunk');
    if (++chunks === 3) stream.controller.abort();
  }
  await expectIdle(fleet);
});

test('abort before the first token leaves nothing', async () => {
  const controller = new AbortController();
  const answer = client.chat.completions.create(
    { model: MODEL, messages: [{ role: 'user', content: story.repeat(6) }], max_tokens: 5 },
    { signal: controller.signal },
  );
  setTimeout(() => controller.abort(), 20);
  await expect(answer).rejects.toBeInstanceOf(APIUserAbortError);
  await expectIdle(fleet);
});

test('errors arrive as the client knows them', async () => {
  const unknown = client.chat.completions.create({ model: 'gpt-none', messages });
  await expect(unknown).rejects.toBeInstanceOf(NotFoundError);
  const bad = client.chat.completions.create({ model: MODEL, messages, max_tokens: -1 });
  await expect(bad).rejects.toBeInstanceOf(BadRequestError);
  await expect(bad).rejects.toMatchObject({ param: 'max_tokens', type: 'invalid_request_error' });
});
