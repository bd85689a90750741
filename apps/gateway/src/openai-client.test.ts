import OpenAI from 'openai';
import { eventually } from '@baton/test-kit';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { wordsFrom } from './testing/stand-in-answers.ts';
import { MODEL, startTestFleet, type TestFleet } from './testing/test-fleet.ts';

let fleet: TestFleet;
let client: OpenAI;
beforeAll(async () => {
  fleet = await startTestFleet({ engine: { words: 300 } });
  client = new OpenAI({ baseURL: `${fleet.url}/v1`, apiKey: 'none', maxRetries: 0 });
});
afterEach(() => fleet.settled());
afterAll(() => fleet.stop());

const chat = {
  model: MODEL,
  messages: [{ role: 'user' as const, content: 'Hello' }],
  max_tokens: 12,
};

test('models', async () => {
  const models = await client.models.list();
  expect(models.data.map((model) => model.id)).toEqual([MODEL]);
  expect((await client.models.retrieve(MODEL)).id).toBe(MODEL);
});

test('a chat, whole and streamed', async () => {
  const whole = await client.chat.completions.create(chat);
  expect(whole.choices[0]?.message.content).toBe(wordsFrom(0, 12));
  expect(whole.usage?.completion_tokens).toBe(12);
  const stream = client.chat.completions.stream({
    ...chat,
    logprobs: true,
    stream_options: { include_usage: true },
  });
  const final = await stream.finalChatCompletion();
  expect(final.choices[0]?.message.content).toBe(wordsFrom(0, 12));
  expect(final.choices[0]?.finish_reason).toBe('length');
  expect(final.choices[0]?.logprobs?.content).toHaveLength(12);
  expect(final.usage).toEqual(whole.usage);
});

test('a completion, whole and streamed', async () => {
  const body = { model: MODEL, prompt: 'Hello', max_tokens: 12 };
  const whole = await client.completions.create(body);
  expect(whole.choices[0]?.text).toBe(wordsFrom(0, 12));
  let text = '';
  for await (const chunk of await client.completions.create({ ...body, stream: true })) {
    text += chunk.choices[0]?.text ?? '';
  }
  expect(text).toBe(wordsFrom(0, 12));
});

test('errors are told as the client knows them', async () => {
  const many = client.chat.completions.create({ ...chat, n: 2 });
  await expect(many).rejects.toMatchObject({ status: 400, param: 'n' });
  await expect(many).rejects.toBeInstanceOf(OpenAI.BadRequestError);
  const unknown = client.chat.completions.create({ ...chat, model: 'other' });
  await expect(unknown).rejects.toBeInstanceOf(OpenAI.NotFoundError);
});

test('an error in mid-stream reaches the reader', async () => {
  fleet.decode[0]?.failNext('decode', { kind: 'cut', after: 3 });
  const stream = await client.chat.completions.create({ ...chat, stream: true });
  let text = '';
  const read = async () => {
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
  };
  await expect(read()).rejects.toMatchObject({ code: 'engine_failed' });
  expect(text).toBe(wordsFrom(0, 4));
});

test('an abort ends the legs', async () => {
  const stream = await client.chat.completions.create({ ...chat, max_tokens: 300, stream: true });
  for await (const chunk of stream) {
    if (chunk.choices[0]?.delta.content) stream.controller.abort();
  }
  await eventually(() => fleet.requestLines().at(-1)?.['outcome'] !== undefined);

  fleet.prefill[0]?.gates.set('prefill', new Promise<void>(() => undefined));
  const abort = new AbortController();
  const whole = client.chat.completions.create(chat, { signal: abort.signal });
  await eventually(() => (fleet.prefill[0]?.open ?? 0) > 0);
  abort.abort();
  await expect(whole).rejects.toBeInstanceOf(OpenAI.APIUserAbortError);
  await fleet.settled();
  expect(fleet.requestLines().at(-1)).toMatchObject({ outcome: 'aborted' });
  fleet.prefill[0]?.gates.clear();
});
