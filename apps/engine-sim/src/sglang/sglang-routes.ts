import type { FastifyInstance } from 'fastify';
import { checkBody } from '@baton/openai';
import { z } from 'zod';
import type { SimEngine } from '../engine/sim-engine.ts';
import { chatTurns } from '../http/chat-turns.ts';
import { EngineError } from '../http/engine-error.ts';
import type { Front } from '../http/front.ts';
import { requireModel } from '../http/require-model.ts';
import type { SglangFacts } from './sglang-facts.ts';

/** What a tokenizer says of its window that knows none, as Python writes it. */
const NO_WINDOW = 1e30;
/** A request for health computes a token and looks for it after so long. */
const HEALTH_MS = 1_000;

const tokenizeSchema = z.looseObject({
  model: z.string().nullish(),
  prompt: z.string().nullish(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })).nullish(),
});

export interface SglangRoutesOptions {
  /** Of any of its ranks. */
  front: Front;
  facts: SglangFacts;
  /** One for each data-parallel rank. */
  engines: readonly SimEngine[];
}

/** What an SGLang offers beside generation (python/sglang/srt/entrypoints/http_server.py and v1_loads.py at 30cb848d4). */
export function addSglangRoutes(
  server: FastifyInstance,
  { front, facts, engines }: SglangRoutesOptions,
): void {
  const { engine, settings } = front;
  const requireLife = (): void => {
    const { death } = engine;
    if (death !== undefined) throw new EngineError(503, death.message);
  };
  server.get('/ping', (_request, reply) => reply.send());
  server.get('/health', async (_request, reply) => {
    await new Promise((resolve) => setTimeout(resolve, HEALTH_MS).unref());
    return reply.code(engine.death === undefined ? 200 : 503).send();
  });
  const serverInfo = (): object => {
    requireLife();
    return facts.serverInfo();
  };
  server.get('/server_info', serverInfo);
  server.get('/get_server_info', serverInfo);
  server.get('/model_info', () => ({
    model_path: settings.model,
    tokenizer_path: settings.model,
    is_generation: true,
    preferred_sampling_params: null,
    weight_version: 'default',
  }));
  server.get('/v1/models', () => ({
    object: 'list',
    data: [
      {
        id: settings.model,
        object: 'model',
        created: front.createdSec,
        owned_by: 'sglang',
        root: settings.model,
        parent: null,
        max_model_len: settings.maxModelTokens,
      },
      ...front.adapters.list.map(({ name, path }) => ({
        ...{ id: name, object: 'model', created: front.createdSec, owned_by: 'sglang' },
        ...{ root: path, parent: settings.model, max_model_len: null },
      })),
    ],
  }));
  server.get('/v1/loads', () => {
    requireLife();
    return facts.loads();
  });
  server.get('/metrics', (_request, reply) =>
    reply.type('text/plain; version=0.0.4; charset=utf-8').send(facts.metrics()),
  );
  server.route({
    method: ['GET', 'POST'],
    url: '/flush_cache',
    handler: (_request, reply) =>
      engines.map((one) => one.clearCache()).every(Boolean)
        ? reply.send('Cache flushed.\n')
        : reply.code(400).send('Flush cache failed.\n'),
  });
  server.post('/tokenize', (request) => tokenized(request.body, front));
  server.post('/v1/tokenize', (request) => tokenized(request.body, front));
}

function tokenized(json: unknown, front: Front): object {
  const { tokenizer } = front;
  const checked = checkBody<z.infer<typeof tokenizeSchema>>(json, tokenizeSchema);
  if (!checked.ok) throw new EngineError(400, checked.error.message);
  const { model, prompt, messages } = checked.request;
  requireModel(model, front);
  if (typeof prompt !== 'string' && !messages) {
    throw new EngineError(400, 'prompt: or messages is required', 'prompt');
  }
  const tokens = messages
    ? tokenizer.tokenizeChat(chatTurns(messages), true)
    : tokenizer.tokenize(prompt ?? '');
  return { tokens, count: tokens.length, max_model_len: NO_WINDOW };
}
