import type { FastifyInstance } from 'fastify';
import { checkBody } from '@baton/openai';
import { z } from 'zod';
import { chatTurns } from './chat-turns.ts';
import type { Front } from './front.ts';
import { modelCards } from './model-cards.ts';
import { requireModel } from './require-model.ts';
import { EngineError } from './engine-error.ts';

const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

const tokenizeSchema = z.looseObject({
  model: z.string().nullish(),
  prompt: z.string().nullish(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })).nullish(),
  add_generation_prompt: z.boolean().nullish(),
  return_token_strs: z.boolean().nullish(),
});
const detokenizeSchema = z.looseObject({
  model: z.string().nullish(),
  tokens: z.array(z.int().min(0)),
});
const abortSchema = z.looseObject({ request_ids: z.array(z.string()).nullish() });
const loadSchema = z.looseObject({ lora_name: z.string().min(1), lora_path: z.string().min(1) });
const unloadSchema = z.looseObject({ lora_name: z.string().min(1) });

export interface EngineRoutesOptions {
  front: Front;
  metrics: () => string;
  /** Body of /kv_event_sources. */
  kvEventSources: object;
  version: string;
}

/** What a vLLM with VLLM_SERVER_DEV_MODE=1 and VLLM_ALLOW_RUNTIME_LORA_UPDATING=1 offers beside generation. */
export function addEngineRoutes(server: FastifyInstance, options: EngineRoutesOptions): void {
  const { front } = options;
  const { engine } = front;
  server.get('/health', (_request, reply) =>
    reply.code(engine.death === undefined ? 200 : 503).send(),
  );
  server.route({
    method: ['GET', 'POST'],
    url: '/ping',
    handler: (_request, reply) => reply.send(),
  });
  server.get('/version', () => ({ version: options.version }));
  server.get('/v1/models', () => ({ object: 'list', data: modelCards(front) }));
  server.get('/kv_event_sources', () => options.kvEventSources);
  server.get('/metrics', (_request, reply) =>
    reply.type(METRICS_CONTENT_TYPE).send(options.metrics()),
  );
  server.post('/reset_prefix_cache', () => ({ success: engine.clearCache() }));
  server.post('/abort_requests', (request) => {
    const body = checked<z.infer<typeof abortSchema>>(request.body ?? {}, abortSchema);
    engine.abortAll((id) => body.request_ids?.includes(id) ?? true);
    return {};
  });
  addTokenizeRoutes(server, front);
  if (front.settings.adapters.runtimeUpdating) addAdapterRoutes(server, front);
}

function addTokenizeRoutes(server: FastifyInstance, front: Front): void {
  const { tokenizer, settings } = front;
  server.post('/tokenize', (request) => {
    const body = checked<z.infer<typeof tokenizeSchema>>(request.body, tokenizeSchema);
    requireModel(body.model, front);
    if (typeof body.prompt !== 'string' && !body.messages) {
      throw new EngineError(400, 'prompt: or messages is required', 'prompt');
    }
    const tokens = body.messages
      ? tokenizer.tokenizeChat(chatTurns(body.messages), body.add_generation_prompt ?? true)
      : tokenizer.tokenize(body.prompt ?? '');
    return {
      count: tokens.length,
      max_model_len: settings.maxModelTokens,
      tokens,
      token_strs: body.return_token_strs ? tokens.map((token) => tokenizer.tokenText(token)) : null,
    };
  });
  server.post('/detokenize', (request) => {
    const body = checked<z.infer<typeof detokenizeSchema>>(request.body, detokenizeSchema);
    requireModel(body.model, front);
    return { prompt: tokenizer.detokenize(body.tokens) };
  });
}

function addAdapterRoutes(server: FastifyInstance, { adapters, engine, settings }: Front): void {
  server.post('/v1/load_lora_adapter', async (request) => {
    const body = checked<z.infer<typeof loadSchema>>(request.body, loadSchema);
    const { lora_name: name, lora_path: path } = body;
    if (name === settings.model) {
      const message = `The lora adapter '${name}' conflicts with a served base model.`;
      throw new EngineError(400, message, 'lora_name');
    }
    const adapter = adapters.load(name, path);
    if (adapter !== undefined) {
      await engine.loadAdapter(adapter);
      return `Success: LoRA adapter '${name}' added successfully.`;
    }
    throw new EngineError(400, `The lora adapter '${name}' has already been loaded.`, 'lora_name');
  });
  server.post('/v1/unload_lora_adapter', (request) => {
    const { lora_name: name } = checked<z.infer<typeof unloadSchema>>(request.body, unloadSchema);
    if (adapters.unload(name)) return `Success: LoRA adapter '${name}' removed successfully.`;
    throw new EngineError(404, `The lora adapter '${name}' cannot be found.`, 'lora_name');
  });
}

function checked<T>(body: unknown, schema: z.ZodType): T {
  const result = checkBody<T>(body, schema);
  if (result.ok) return result.request;
  throw new EngineError(400, result.error.message);
}
