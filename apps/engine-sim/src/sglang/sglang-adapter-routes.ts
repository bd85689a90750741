import type { FastifyInstance } from 'fastify';
import { checkBody } from '@baton/openai';
import { z } from 'zod';
import type { Adapters } from '../http/adapters.ts';
import { EngineError } from '../http/engine-error.ts';

const loadSchema = z.looseObject({ lora_name: z.string().min(1), lora_path: z.string().min(1) });
const unloadSchema = z.looseObject({ lora_name: z.string().min(1) });

type Load = z.infer<typeof loadSchema>;
type Unload = z.infer<typeof unloadSchema>;

/**
 * `POST /load_lora_adapter` and `/unload_lora_adapter`. What failed is said by `success` and `error_message` with status
 * 400 (python/sglang/srt/entrypoints/http_server.py, lora/lora_registry.py): not held against a real one.
 *
 * @param isEnabled false without --enable-lora
 */
export function addSglangAdapterRoutes(
  server: FastifyInstance,
  adapters: Adapters,
  isEnabled: boolean,
): void {
  /** @param fault undefined where it was done */
  const result = (fault: string | undefined) => ({
    ...{ success: fault === undefined, error_message: fault ?? '' },
    loaded_adapters: Object.fromEntries(adapters.list.map(({ name, path }) => [name, path])),
  });
  const names = (): string => adapters.list.map(({ name }) => name).join(', ');
  const change = (act: () => string | undefined) => {
    return result(isEnabled ? act() : 'LoRA is not enabled. Please set `--enable-lora`.');
  };
  server.post('/load_lora_adapter', (request, reply) => {
    const { lora_name: name, lora_path: path } = read<Load>(request.body, loadSchema);
    const done = change(() =>
      adapters.load(name, path) === undefined
        ? `LoRA with name ${name} already exists. Loaded LoRAs: ${names()}`
        : undefined,
    );
    return reply.code(done.success ? 200 : 400).send(done);
  });
  server.post('/unload_lora_adapter', (request, reply) => {
    const { lora_name: name } = read<Unload>(request.body, unloadSchema);
    const done = change(() =>
      adapters.unload(name)
        ? undefined
        : `LoRA with name ${name} does not exist. Loaded LoRAs: ${names()}`,
    );
    return reply.code(done.success ? 200 : 400).send(done);
  });
}

function read<T>(body: unknown, schema: z.ZodType): T {
  const checked = checkBody<T>(body, schema);
  if (checked.ok) return checked.request;
  throw new EngineError(400, checked.error.message);
}
