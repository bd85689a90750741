import { toBatonError } from '@baton/kv';
import { policyEntries, policyNames } from '@baton/scheduling';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { errorJson, type AdminSource } from './admin-api.ts';
import { modelSettings, modelSettingsOf } from './config.ts';

/**
 * How requests are treated, by what learned prefill times, and that it can be changed while the conductor runs: `GET /policies`,
 * `PUT /policies` for all models without settings of their own, `PUT /policies/MODEL` for one.
 */
export function policyApi(app: FastifyInstance, { view, treat }: AdminSource): void {
  app.get('/policies', () => ({
    ...view.treatments(),
    prefillCosts: view.prefillCosts(),
    decodeCosts: view.decodeCosts(),
    outputPredictor: view.outputPredictor(),
    known: policyNames.map((name) => {
      const { summary, parameters } = policyEntries[name];
      return { name, summary, parameters };
    }),
  }));
  const change = (model: string | undefined, body: unknown, reply: FastifyReply): unknown => {
    if (model === '') {
      const message = 'the model must have a name: PUT /policies is for all models';
      return reply.code(400).send(errorJson('invalid_request', message, 'model'));
    }
    const parsed = modelSettings.safeParse(body);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const field = issue?.path.join('.') || 'body';
      const message = `${field}: ${issue?.message ?? 'is not valid'}`;
      return reply.code(400).send(errorJson('invalid_request', message, field));
    }
    try {
      treat(model, modelSettingsOf(parsed.data));
    } catch (error) {
      const { code, message, details } = toBatonError(error);
      if (code !== 'config_invalid') throw error;
      const field = typeof details?.['field'] === 'string' ? details['field'] : 'body';
      return reply.code(400).send(errorJson('invalid_request', message, field));
    }
    return view.treatments();
  };
  app.put('/policies', (request, reply) => change(undefined, request.body, reply));
  app.put<{ Params: { model: string } }>('/policies/:model', (request, reply) =>
    change(request.params.model, request.body, reply),
  );
}
