/**
 * In the engine's reproducible mode the fleet's answers are token for token those of one engine alone, whatever moved.
 */
import {
  complete,
  randomPrompt,
  randomText,
  startService,
  type CompletionBody,
  type ServiceProcess,
} from '@baton/test-kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MODEL, startFleet, testModel, type Fleet } from '../kit/fleet.ts';

const SEGMENT = 64;
const OUTPUT_TOKENS = 24;

let fleet: Fleet;
let alone: ServiceProcess;

beforeAll(async () => {
  const model = await testModel();
  const args = ['--model', model, '--model-name', MODEL, '--reproducible', '--threads', '1'];
  [fleet, alone] = await Promise.all([
    startFleet({ reproducible: true, model }),
    startService('engine', 'engine alone', args),
  ]);
});

afterAll(async () => {
  await Promise.all([fleet?.stop(), alone?.stop()]);
});

function body(prompt: string | number[], extra: object = {}): CompletionBody {
  return {
    model: MODEL,
    prompt,
    max_tokens: OUTPUT_TOKENS,
    temperature: 0,
    ignore_eos: true,
    stream: true,
    ...extra,
  };
}

async function expectEqual(request: CompletionBody): Promise<Awaited<ReturnType<typeof complete>>> {
  const expected = await complete(alone.endpoints['http'] ?? '', request);
  const answer = await complete(fleet.url, request);
  expect(answer.tokenIds).toEqual(expected.tokenIds);
  expect(answer.text).toBe(expected.text);
  expect(answer.finishReason).toBe(expected.finishReason);
  expect(answer.promptTokens).toBe(expected.promptTokens);
  expect(answer.completionTokens).toBe(expected.completionTokens);
  expect(expected.tokenIds).toHaveLength(request.max_tokens);
  return answer;
}

const isHandover = (answer: { headers: Headers }): boolean =>
  answer.headers.get('x-baton-prefill-worker') !== answer.headers.get('x-baton-decode-worker');

const lengths = [1, 63, 64, 65, 5 * SEGMENT - 1, 5 * SEGMENT, 5 * SEGMENT + 1, 4_000];

describe('greedy', () => {
  test.each(lengths)('a prompt of %d token ids', async (length) => {
    const answer = await expectEqual(body(randomPrompt(length, length)));
    if (length > 2 * SEGMENT) expect(isHandover(answer)).toBe(true);
  });

  test.each(lengths)('a text of %d characters', async (length) => {
    await expectEqual(body(randomText(length + 7, length)));
  });

  // The gateway tokenizes for all legs: as each engine would have done it.
  test.each([true, false])('a text with add_special_tokens %s', async (special) => {
    const text = `<|im_start|>naïve  漢字 😀\n${randomText(8, 300)}`;
    await expectEqual(body(text, { add_special_tokens: special }));
  });

  test('an answer that is not streamed', async () => {
    const answer = await expectEqual(body(randomPrompt(11, 400), { stream: false }));
    expect(isHandover(answer)).toBe(true);
  });

  test('a second request for the same prompt, from the cache', async () => {
    const prompt = randomPrompt(21, 6 * SEGMENT);
    const first = await expectEqual(body(prompt));
    const second = await expectEqual(body(prompt));
    expect(first.cachedTokens).toBe(0);
    expect(second.cachedTokens).toBe(5 * SEGMENT);
  });

  test.each([
    ['with a shared prefix', 10 * SEGMENT],
    ['without a shared prefix', 0],
  ])('32 at once %s', async (_, shared) => {
    const prefix = randomPrompt(31, shared);
    const requests = Array.from({ length: 32 }, (_value, i) =>
      body([...prefix, ...randomPrompt(1_000 + shared + i, 100 + 13 * i)]),
    );
    const answers = await Promise.all(requests.map((request) => complete(fleet.url, request)));
    expect(answers.some(isHandover)).toBe(true);
    for (const [i, request] of requests.entries()) {
      const expected = await complete(alone.endpoints['http'] ?? '', request);
      expect(answers[i]?.tokenIds, `request ${i}`).toEqual(expected.tokenIds);
      expect(answers[i]?.text, `request ${i}`).toBe(expected.text);
    }
  });
});

describe('seeded sampling', () => {
  const sampling = { temperature: 0.9, top_p: 0.95, top_k: 40, min_p: 0.01 };

  test.each(lengths)('a prompt of %d token ids', async (length) => {
    await expectEqual(body(randomPrompt(length + 3, length), { ...sampling, seed: length }));
  });

  test('the seed matters', async () => {
    const prompt = randomPrompt(5, 300);
    const one = await expectEqual(body(prompt, { ...sampling, seed: 1 }));
    const two = await expectEqual(body(prompt, { ...sampling, seed: 2 }));
    expect(one.tokenIds).not.toEqual(two.tokenIds);
  });

  test('penalties go over the handover', async () => {
    const extra = { ...sampling, seed: 3, presence_penalty: 0.8, frequency_penalty: 0.7 };
    const answer = await expectEqual(body(randomPrompt(6, 300), extra));
    expect(isHandover(answer)).toBe(true);
  });

  test('a stop string across the handover', async () => {
    const prompt = randomPrompt(7, 300);
    const whole = await complete(fleet.url, body(prompt));
    const stop = whole.text.slice(0, 3);
    const request = body(prompt, { stop });
    const expected = await complete(alone.endpoints['http'] ?? '', request);
    const answer = await complete(fleet.url, request);
    expect(answer.text).toBe(expected.text);
    expect(answer.finishReason).toBe('stop');
  });
});
