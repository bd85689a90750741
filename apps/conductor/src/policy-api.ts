import type { OwnSettings } from '@baton/core';
import { toBatonError } from '@baton/kv';
import { policyEntries, policyNames } from '@baton/scheduling';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { AdminSource } from './admin-api.ts';
import { modelSettings, settingsChangeOf, sloJson } from './config.ts';
import { errorJson, invalidJson } from './http-faults.ts';

/** What is in force. */
interface TreatmentsJson {
  defaults: object;
  models: Record<string, object>;
  /** Of those models the ones that no worker serves: they come later, or the name is wrong. */
  modelsWithoutWorkers: string[];
}

/**
 * How requests are treated, by what learned prefill times, and that it can be changed while the conductor runs: `GET /policies`,
 * `PUT /policies` for all models, `PUT /policies/MODEL` for one. Changes are JSON merge patches.
 */
export function policyApi(app: FastifyInstance, source: AdminSource): void {
  const { view, treat } = source;
  const json = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/merge-patch+json', { parseAs: 'string' }, json);
  const treatments = (): TreatmentsJson => treatmentsJson(source);
  app.get('/policies', () => ({
    ...treatments(),
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
    if (!parsed.success) return reply.code(400).send(invalidJson(parsed.error));
    try {
      treat(model, settingsChangeOf(parsed.data));
    } catch (error) {
      const { code, message, details } = toBatonError(error);
      if (code !== 'config_invalid') throw error;
      const field = typeof details?.['field'] === 'string' ? details['field'] : 'body';
      return reply.code(400).send(errorJson('invalid_request', message, field));
    }
    const now = treatments();
    if (model === undefined || !now.modelsWithoutWorkers.includes(model)) return now;
    const warning = `no worker serves "${model}" now: what is set holds when one comes`;
    return { ...now, warning };
  };
  app.put('/policies', (request, reply) => change(undefined, request.body, reply));
  app.put<{ Params: { model: string } }>('/policies/:model', (request, reply) =>
    change(request.params.model, request.body, reply),
  );
}

function treatmentsJson(source: AdminSource): TreatmentsJson {
  const { defaults, models } = source.view.treatments();
  const known = served(source);
  const json = ({ slo, ...others }: OwnSettings): object =>
    slo === undefined ? others : { ...others, slo: sloJson(slo) };
  return {
    defaults: json(defaults),
    models: Object.fromEntries(Object.entries(models).map(([name, own]) => [name, json(own)])),
    modelsWithoutWorkers: Object.keys(models).filter((name) => !known.has(name)),
  };
}

function served({ view, now }: AdminSource): Set<string> {
  return new Set(view.workers(now()).map(({ record }) => record.facts.model));
}
