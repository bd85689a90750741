import { sameAdapter, toBatonError, type Adapter } from '@baton/kv';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { AdminSource } from '../admin-api.ts';
import { errorJson, invalidJson } from '../http-faults.ts';
import type { AdapterHolder } from './adapter-desk.ts';

const MAX_NAME_CHARS = 512;
/** vLLM's metrics list names with commas between them. */
const name = z
  .string()
  .min(1)
  .max(MAX_NAME_CHARS)
  .regex(/^[^,\s]+$/, { error: 'must be a name without commas and spaces' });
const workers = z.array(z.string().min(1)).min(1).optional();

const loadSchema = z.strictObject({
  name,
  path: z.string().min(1).max(MAX_NAME_CHARS),
  workers,
  model: z.string().min(1).optional(),
});

const unloadSchema = z.strictObject({
  worker: z
    .union([
      z
        .string()
        .min(1)
        .transform((id) => [id]),
      workers,
    ])
    .optional(),
  now: z.enum(['true', 'false']).optional(),
});

/** Shorter than whoever asks waits for the answer. */
const UNLOAD_WAIT_MS = 20_000;

/** What came of it on one engine. */
interface AdapterResult {
  workerId: string;
  ok: boolean;
  /** What the engine says, where it is not. */
  message?: string;
}

interface AdaptersSource extends Pick<AdminSource, 'adapters' | 'view'> {
  /** How long unloading waits for those who use an adapter. */
  unloadWaitMs?: number | undefined;
}

/**
 * LoRA adapters of engines without an agent and of vLLMs with one: `GET /adapters`; `POST /adapters` with `name`, `path` on the engines'
 * machines and, unless all engines are meant, `workers` or `model`; `DELETE /adapters/NAME`, with `worker`, once or
 * several times, unless all are meant that have it, and with `now=true` without waiting for requests that use it. What
 * came of it is told for each engine. What an engine has is what it says with the next look.
 */
export function adaptersApi(app: FastifyInstance, source: AdaptersSource): void {
  const { adapters: desk } = source;
  app.get('/adapters', () => ({ adapters: adapterList(source) }));
  app.post('/adapters', async (request, reply) => {
    const parsed = loadSchema.safeParse(request.body);
    if (!parsed.success) return reply.code(400).send(invalidJson(parsed.error));
    const { name, path, model, workers: ids } = parsed.data;
    const holders = desk.list();
    const meant = holders.filter(({ workerId, model: own, serves }) => {
      if (ids !== undefined) return ids.includes(workerId);
      return serves && (model === undefined || own === model);
    });
    const stranger = ids?.find((id) => !holders.some(({ workerId }) => workerId === id));
    if (stranger !== undefined || meant.length === 0) {
      return reply.code(404).send(errorJson('no_worker', nobody(stranger), 'workers'));
    }
    const models = new Set(meant.map((engine) => engine.model));
    if (models.size > 1) {
      const message = `name the model that it is of, one of ${[...models].join(', ')}, or the workers`;
      return reply.code(400).send(errorJson('invalid_request', message, 'model'));
    }
    const taken = holders.find(({ model: own, adapters }) => {
      return own === name || (!models.has(own) && adapters.some((other) => other.name === name));
    });
    if (taken !== undefined) {
      const message = `${name} is ${taken.model === name ? 'a model' : `an adapter of ${taken.model}`}`;
      return reply.code(409).send(errorJson('adapter_refused', message, 'name'));
    }
    const results = await each(meant, (workerId) => desk.load(workerId, name, path));
    return { results };
  });
  app.delete<{ Params: { name: string } }>('/adapters/:name', async (request, reply) => {
    const parsed = unloadSchema.safeParse(request.query);
    if (!parsed.success) return reply.code(400).send(invalidJson(parsed.error));
    const { name } = request.params;
    const { worker: ids, now } = parsed.data;
    const meant = desk.list().filter(({ workerId, adapters }) => {
      const isMeant = ids?.includes(workerId) ?? true;
      return isMeant && adapters.some((adapter) => adapter.name === name);
    });
    if (meant.length === 0) {
      const where = ids === undefined ? 'no engine' : `none of ${ids.join(', ')}`;
      const message = `${where} has an adapter ${name}`;
      return reply.code(404).send(errorJson('adapter_not_found', message, 'name'));
    }
    const waitMs = now === 'true' ? 0 : (source.unloadWaitMs ?? UNLOAD_WAIT_MS);
    const results = await each(meant, (workerId) => desk.unload(workerId, name, waitMs));
    return { results };
  });
}

function adapterList({ adapters: desk, view }: AdaptersSource): object[] {
  const found = new Map<string, Adapter & { model: string; workers: object[] }>();
  for (const { workerId, model, adapters, serves } of desk.list()) {
    for (const adapter of adapters) {
      const key = JSON.stringify([model, adapter.name, adapter.revision]);
      const entry = found.get(key) ?? { ...adapter, model, workers: [] };
      found.set(key, entry);
      const state = view.isAdapterWarm(workerId, adapter.name) ? 'warm' : 'cold';
      entry.workers.push({ workerId, state: serves ? state : 'away' });
    }
  }
  return [...found.values()]
    .sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)))
    .map(({ name, revision: path, model, workers: holders }) => {
      const served = view.adapter(model, name);
      const isServed = served !== undefined && sameAdapter(served, { name, revision: path });
      return { name, model, path, serves: isServed && served.ready, workers: holders };
    });
}

/** All at once: loading takes seconds. */
function each(
  meant: readonly AdapterHolder[],
  change: (workerId: string) => Promise<void>,
): Promise<AdapterResult[]> {
  return Promise.all(
    meant.map(async ({ workerId }): Promise<AdapterResult> => {
      try {
        await change(workerId);
        return { workerId, ok: true };
      } catch (error) {
        return { workerId, ok: false, message: toBatonError(error).message };
      }
    }),
  );
}

function nobody(stranger: string | undefined): string {
  return stranger === undefined
    ? 'no engine that takes adapters serves'
    : `no engine that takes adapters is called ${stranger}`;
}
