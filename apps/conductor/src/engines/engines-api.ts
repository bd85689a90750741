import { toBatonError } from '@baton/kv';
import { z } from 'zod';
import type { FastifyInstance } from 'fastify';
import { engineSetting } from '../config.ts';
import type { AdminSource } from '../admin-api.ts';
import { errorJson, invalidJson } from '../http-faults.ts';

/** Files are not named from outside. */
const newEngine = engineSetting.extend({
  apiKey: z.string().min(1).optional(),
  ca: z.string().min(1).optional(),
});

const leaving = z.strictObject({ now: z.enum(['true', 'false']).optional() });

/**
 * Engines without an agent, while the conductor runs: `GET /engines`, `POST /engines` with what the configuration has of
 * each, `apiKey` and `ca` instead of files, `DELETE /engines/ID`, which lets what runs there end first unless it says
 * `?now=true`. What was added is gone with the conductor. Where engines are found as pods, `kubernetes` says how that goes.
 */
export function enginesApi(
  app: FastifyInstance,
  { engines, pods }: Pick<AdminSource, 'engines' | 'pods'>,
): void {
  app.get('/engines', () => ({ engines: engines.list(), kubernetes: pods() }));
  app.post('/engines', async (request, reply) => {
    const parsed = newEngine.safeParse(request.body);
    if (!parsed.success) return reply.code(400).send(invalidJson(parsed.error));
    try {
      const { apiKey, ca, ...setting } = parsed.data;
      const watch = engines.add(setting, { apiKey, ca });
      await watch.looked();
      return await reply.code(201).send(watch.findings);
    } catch (error) {
      const { code, message, details } = toBatonError(error);
      if (code !== 'config_invalid') throw error;
      const field = typeof details['field'] === 'string' ? details['field'] : 'url';
      const status = field === 'apiKey' || field === 'ca' ? 400 : 409;
      return reply.code(status).send(errorJson('invalid_request', message, field));
    }
  });
  app.delete<{ Params: { id: string } }>('/engines/:id', async (request, reply) => {
    const { id } = request.params;
    const parsed = leaving.safeParse(request.query);
    if (!parsed.success) return reply.code(400).send(invalidJson(parsed.error));
    if (parsed.data.now === 'true') {
      if (await engines.remove(id)) return reply.code(204).send();
    } else {
      const findings = engines.drain(id);
      if (findings !== undefined) return reply.code(202).send(findings);
    }
    const message = 'no engine without an agent has this id';
    return reply.code(404).send(errorJson('no_worker', message, 'id'));
  });
}
