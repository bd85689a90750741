import type { FastifyInstance } from 'fastify';
import { checkBody, fieldError, MAX_TOKEN_ID } from '@baton/openai';
import { z } from 'zod';
import { chatTokens } from './chat-messages.ts';
import type { FrontContext } from './front-context.ts';
import { requireModel } from './read-request.ts';
import { tokenText } from './token-text.ts';

const model = z.string().nullish();
const flag = z.boolean().nullish();

const tokenizeSchema = z.looseObject({
  model,
  prompt: z.string().nullish(),
  messages: z
    .array(z.looseObject({ role: z.string(), content: z.unknown() }))
    .min(1, { error: 'must not be empty' })
    .nullish(),
  add_special_tokens: flag,
  add_generation_prompt: flag,
  chat_template_kwargs: z.record(z.string(), z.unknown()).nullish(),
  return_token_strs: flag,
});
type TokenizeBody = z.infer<typeof tokenizeSchema>;

const detokenizeSchema = z.looseObject({
  model,
  tokens: z.array(z.int().min(0).max(MAX_TOKEN_ID)),
});
type DetokenizeBody = z.infer<typeof detokenizeSchema>;

/** `/tokenize` for a text or for a chat, and `/detokenize`. */
export function addTokenizeRoutes(server: FastifyInstance, front: FrontContext): void {
  server.post('/tokenize', async (request) => {
    const body = checked<TokenizeBody>(request.body, tokenizeSchema);
    requireModel(body.model, front);
    const tokens = await tokensOf(body, front);
    return {
      count: tokens.length,
      max_model_len: front.maxModelTokens,
      tokens: Array.from(tokens),
      token_strs: body.return_token_strs
        ? Array.from(tokens, (token) => tokenText(front.pieces, token))
        : null,
    };
  });
  server.post('/detokenize', async (request) => {
    const body = checked<DetokenizeBody>(request.body, detokenizeSchema);
    requireModel(body.model, front);
    const index = body.tokens.findIndex((token) => token >= front.vocabSize);
    if (index >= 0) {
      const message = `tokens[${index}]: the model has no token ${body.tokens[index]}`;
      throw fieldError('invalid_request', `tokens[${index}]`, message);
    }
    return { prompt: await front.tokenizer.detokenize(Int32Array.from(body.tokens)) };
  });
}

function checked<T>(body: unknown, schema: z.ZodType): T {
  const result = checkBody<T>(body, schema);
  if (!result.ok) throw result.error;
  return result.request;
}

function tokensOf(body: TokenizeBody, front: FrontContext): Promise<Int32Array> {
  const { prompt, messages } = body;
  if (typeof prompt === 'string' && messages) {
    throw fieldError('invalid_request', 'messages', 'messages: not together with prompt');
  }
  if (typeof prompt === 'string') {
    return front.tokenizer.tokenize(prompt, body.add_special_tokens ?? true);
  }
  if (!messages) throw fieldError('invalid_request', 'prompt', 'prompt: or messages is required');
  return chatTokens(body, messages, front);
}
