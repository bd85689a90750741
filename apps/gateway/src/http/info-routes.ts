import type { ModelEntry } from '@baton/openai';
import type { FastifyInstance } from 'fastify';
import type { ModelPool } from '../fleet-view.ts';
import { unknownModel } from '../intake/accept-request.ts';
import type { GatewayDeps } from '../ports.ts';
import type { ServerState } from './build-server.ts';

/** What exists and whether it works. */
export function addInfoRoutes(app: FastifyInstance, deps: GatewayDeps, state: ServerState): void {
  app.get('/v1/models', () => ({ object: 'list', data: deps.fleet.pools().map(modelEntry) }));

  app.get<{ Params: { '*': string } }>('/v1/models/*', (request) => {
    const name = request.params['*'];
    const pool = deps.fleet.pool(name);
    if (pool !== undefined) return modelEntry(pool);
    throw unknownModel(name);
  });

  app.get('/health', (_request, reply) => {
    const models = deps.fleet.pools().map(({ model, ready, workers }) => ({
      model,
      ready,
      workers: workers.length,
    }));
    const { connected } = deps.session;
    const serving = connected && !state.stopping && models.some((model) => model.ready);
    return reply.code(serving ? 200 : 503).send({
      status: state.stopping ? 'stopping' : serving ? 'ok' : 'unavailable',
      conductor: connected ? 'connected' : 'disconnected',
      models,
    });
  });
}

function modelEntry(pool: ModelPool): ModelEntry {
  return {
    id: pool.model,
    object: 'model',
    created: pool.createdSec,
    owned_by: 'baton',
    max_model_len: pool.maxModelTokens,
  };
}
