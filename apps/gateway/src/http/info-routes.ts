import type { ModelEntry } from '@baton/openai';
import type { FastifyInstance } from 'fastify';
import type { NamedModel } from '../fleet-view.ts';
import { gatewayMetrics } from '../gateway-metrics.ts';
import { unknownModel } from '../intake/accept-request.ts';
import type { GatewayDeps } from '../ports.ts';
import type { ServerState } from './build-server.ts';

/** What exists, whether it works, and how much of it there is. */
export function addInfoRoutes(app: FastifyInstance, deps: GatewayDeps, state: ServerState): void {
  app.get('/v1/models', () => {
    const pools = deps.fleet.pools();
    const named = pools.flatMap((pool) => [
      { pool, adapter: undefined },
      ...pool.adapters.map((adapter) => ({ pool, adapter })),
    ]);
    return { object: 'list', data: named.map(modelEntry) };
  });

  app.get<{ Params: { '*': string } }>('/v1/models/*', (request) => {
    const name = request.params['*'];
    const named = deps.fleet.named(name);
    if (named !== undefined) return modelEntry(named);
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

/** Where an engine has an adapter from is nothing for clients. */
function modelEntry({ pool, adapter }: NamedModel): ModelEntry {
  return {
    id: adapter?.name ?? pool.model,
    object: 'model',
    created: pool.createdSec,
    owned_by: 'baton',
    max_model_len: pool.maxModelTokens,
    ...(adapter !== undefined && { parent: pool.model }),
  };
}
