import { describe, expect, test } from 'vitest';
import { checkChatRequest, checkCompletionRequest, errorBody } from './index.ts';

const chat = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };
const completion = { model: 'm', prompt: 'Hi' };

function refusal(result: ReturnType<typeof checkChatRequest | typeof checkCompletionRequest>) {
  if (result.ok) throw new Error('was accepted');
  return errorBody(result.error).error;
}

test('an accepted body is handed on as the object that came in', () => {
  const body = {
    ...chat,
    temperature: null,
    stop: ['a', 'b'],
    chat_template_kwargs: { thinking: false },
    vllm_xargs: { a: 1 },
    messages: [{ role: 'user', content: [{ type: 'text', text: 'x', extra: 1 }], name: 'n' }],
  };
  const copy = structuredClone(body);
  const result = checkChatRequest(body);
  expect(result.ok && result.request).toBe(body);
  expect(body).toEqual(copy);
});

describe('a chat body is refused and the field named', () => {
  test.each([
    [{ messages: chat.messages }, 'model'],
    [{ ...chat, model: 3 }, 'model'],
    [{ ...chat, model: '' }, 'model'],
    [{ model: 'm' }, 'messages'],
    [{ model: 'm', messages: [] }, 'messages'],
    [{ model: 'm', messages: 'Hi' }, 'messages'],
    [{ model: 'm', messages: ['Hi'] }, 'messages[0]'],
    [{ model: 'm', messages: [{ role: 'king', content: 'Hi' }] }, 'messages[0].role'],
    [{ model: 'm', messages: [{ content: 'Hi' }] }, 'messages[0].role'],
    [{ model: 'm', messages: [{ role: 'user', content: 5 }] }, 'messages[0].content'],
    [{ model: 'm', messages: [{ role: 'user', content: [{ text: 'x' }] }] }, 'messages[0].content'],
    [{ ...chat, max_tokens: 0 }, 'max_tokens'],
    [{ ...chat, max_tokens: -1 }, 'max_tokens'],
    [{ ...chat, max_tokens: 1.5 }, 'max_tokens'],
    [{ ...chat, max_tokens: '10' }, 'max_tokens'],
    [{ ...chat, max_completion_tokens: 0 }, 'max_completion_tokens'],
    [{ ...chat, temperature: 2.1 }, 'temperature'],
    [{ ...chat, temperature: 'hot' }, 'temperature'],
    [{ ...chat, top_p: 0 }, 'top_p'],
    [{ ...chat, n: 0 }, 'n'],
    [{ ...chat, stream: 'yes' }, 'stream'],
    [{ ...chat, stream_options: { include_usage: 1 } }, 'stream_options.include_usage'],
    [{ ...chat, stop: [1] }, 'stop'],
    [{ ...chat, seed: 1.5 }, 'seed'],
    [{ ...chat, logprobs: 1 }, 'logprobs'],
    [{ ...chat, top_logprobs: 21 }, 'top_logprobs'],
    [{ ...chat, logit_bias: { a: 'b' } }, 'logit_bias.a'],
    [{ ...chat, tools: [1] }, 'tools[0]'],
  ])('%j', (body, param) => {
    const error = refusal(checkChatRequest(body));
    expect(error).toMatchObject({ type: 'invalid_request_error', code: 'invalid_request', param });
    expect(error.message).toContain(param);
  });
});

describe('a completion body is refused and the field named', () => {
  test.each([
    [{ model: 'm' }, 'prompt'],
    [{ ...completion, prompt: [] }, 'prompt'],
    [{ ...completion, prompt: [1, 'a'] }, 'prompt'],
    [{ ...completion, prompt: [-1] }, 'prompt'],
    [{ ...completion, prompt: [1.5] }, 'prompt'],
    [{ ...completion, prompt: [2 ** 32] }, 'prompt'],
    [{ ...completion, prompt: [[]] }, 'prompt'],
    [{ ...completion, prompt: {} }, 'prompt'],
    [{ ...completion, logprobs: true }, 'logprobs'],
    [{ ...completion, echo: 1 }, 'echo'],
    [{ ...completion, best_of: 0 }, 'best_of'],
  ])('%j', (body, param) => {
    expect(refusal(checkCompletionRequest(body)).param).toBe(param);
  });
});

test.each([['Hi'], [[1, 2]], [['a', 'b']], [[[1], [2, 3]]]])('prompt %j is accepted', (prompt) => {
  expect(checkCompletionRequest({ model: 'm', prompt }).ok).toBe(true);
});

test.each([[null], [[]], ['text'], [7], [undefined]])('a body of %j is refused', (body) => {
  expect(refusal(checkChatRequest(body)).message).toBe('The body must be a JSON object.');
});

test('a missing field is called required', () => {
  expect(refusal(checkChatRequest({ model: 'm' })).message).toBe('messages: is required');
});

test.each([2 ** 53, -(2 ** 53), 9_223_372_036_854_775_807])(
  'a seed of %d, which JSON cannot carry, is refused with the limit and the reason',
  (seed) => {
    const error = refusal(checkChatRequest({ ...chat, seed }));
    expect(error).toMatchObject({ code: 'invalid_request', param: 'seed' });
    expect(error.message).toBe(
      'seed: must be a whole number from -9007199254740991 to 9007199254740991 (2^53-1): larger ones lose digits as JSON numbers',
    );
  },
);

test.each([0, -1, 2 ** 53 - 1, -(2 ** 53) + 1])('a seed of %d is accepted', (seed) => {
  expect(checkCompletionRequest({ ...completion, seed }).ok).toBe(true);
});

test.each(['vllm_xargs', 'tools', 'messages'])(
  'what is nested too deeply in %s is refused',
  (at) => {
    const nested = (levels: number): unknown => {
      let value: unknown = 1;
      for (let i = 0; i < levels; i += 1) value = i % 2 === 0 ? [value] : { x: value };
      return value;
    };
    const field = (levels: number) => ({ ...chat, own: nested(levels) });
    expect(checkChatRequest(field(255)).ok).toBe(true);
    expect(refusal(checkChatRequest(field(256)))).toMatchObject({ code: 'invalid_request' });
    const body = { ...chat, [at]: nested(200_000) };
    expect(refusal(checkChatRequest(body)).message).toContain('256 levels');
  },
);
