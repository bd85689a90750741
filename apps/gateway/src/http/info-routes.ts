import type { ModelEntry } from '@baton/openai';
import type { FastifyInstance } from 'fastify';
import type { ModelPool } from '../fleet-view.ts';
import { gatewayMetrics } from '../gateway-metrics.ts';
import { unknownModel } from '../intake/accept-request.ts';
import type { GatewayDeps } from '../ports.ts';
import type { ServerState } from './build-server.ts';

/** What exists, whether it works, and how much of it there is. */
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
      ...(deps.requestLog !== undefined && { requestLog: deps.requestLog.status.state }),
    });
  });

  const metrics = gatewayMetrics({
    turns: deps.turns,
    openRequests: () => state.open.size,
    requestLog: () => deps.requestLog?.status,
  });
  app.get('/metrics', async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.scrape()),
  );
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
