import type { CoreView, SettingsChange, WorkerStatus } from '@baton/core';
import type { PodDiscoveryState } from '@baton/kubernetes';
import { errorEntry } from '@baton/kv';
import type { IndexerApi } from '@baton/mooncake';
import { MAX_NAME_CHARS } from '@baton/proto';
import Fastify, { type FastifyError, type FastifyInstance } from 'fastify';
import type { AdapterDesk } from './engines/adapter-desk.ts';
import { adaptersApi } from './engines/adapters-api.ts';
import { enginesApi } from './engines/engines-api.ts';
import type { WatchedEngines } from './engines/watched-engines.ts';
import { answerClientError, errorJson, sendFrameworkFault } from './http-faults.ts';
import { indexApi } from './index-api.ts';
import { policyApi } from './policy-api.ts';
import { indexerServer } from './indexer-server.ts';

export interface AdminSource {
  view: CoreView;
  now: () => number;
  /** Without a model, of all. @throws BatonError config_invalid */
  treat: (model: string | undefined, change: SettingsChange) => void;
  /** Those without an agent. */
  engines: WatchedEngines;
  adapters: AdapterDesk;
  /** Where pods are looked for: how that goes. */
  pods: () => PodDiscoveryState | undefined;
  health: () => { bus: string; sessions: number; counters: Readonly<Record<string, number>> };
  /** Mooncake's indexer API, served beside. */
  indexer: IndexerApi;
}

const DEFAULT_PLANS = 50;
const MAX_PLANS = 256;
const BODY_LIMIT_BYTES = 64 * 1024;

/**
 * View of the conductor for people, `baton top` and tests: JSON, camelCase, times in ms. Beside it the indexer API, which
 * has the manners of Mooncake's.
 */
export function adminApi(source: AdminSource): FastifyInstance {
  const app = Fastify({
    bodyLimit: BODY_LIMIT_BYTES,
    forceCloseConnections: true,
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_NAME_CHARS },
    frameworkErrors: sendFrameworkFault,
    clientErrorHandler: answerClientError,
    serverFactory: (handler) => indexerServer(source.indexer, handler),
  });
  const { view } = source;

  app.get('/health', () => {
    const { bus, sessions, counters } = source.health();
    const { live, waiting } = view.plans();
    const workers = view.workers(source.now()).length;
    return {
      status: bus === 'connected' || bus === 'none' ? 'ok' : 'degraded',
      bus,
      sessions,
      workers,
      live,
      waiting,
      counters,
    };
  });
  app.get('/workers', () => ({ workers: view.workers(source.now()).map(workerJson) }));
  app.get('/index', () => ({ ...view.index(), indexer: source.indexer.overview() }));
  indexApi(app, view);
  app.get<{ Querystring: { limit?: string } }>('/plans', (request, reply) => {
    const limit = Number(request.query.limit ?? DEFAULT_PLANS);
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PLANS) {
      const message = `limit must be an integer from 1 to ${MAX_PLANS}`;
      return reply.code(400).send(errorJson('invalid_request', message, 'limit'));
    }
    return { ...view.plans(), plans: view.lastPlans(limit) };
  });
  app.get<{ Params: { id: string } }>('/plans/:id', (request, reply) => {
    const plan = view.plan(request.params.id);
    if (plan !== undefined) return plan;
    const message = 'this plan is not among those that are kept';
    return reply.code(404).send(errorJson('unknown_plan', message));
  });
  policyApi(app, source);
  enginesApi(app, source);
  adaptersApi(app, source);
  app.setErrorHandler<FastifyError>(sendFrameworkFault);
  app.setNotFoundHandler((_request, reply) =>
    reply.code(404).send(errorJson('route_not_found', errorEntry('route_not_found').message)),
  );
  return app;
}

function workerJson(status: WorkerStatus): object {
  const { record, leaseLeftMs, ranks, tiers, sync, transfers } = status;
  const { facts, epoch, state, reason, fitsPool, counters, leaseMs } = record;
  return {
    ...facts,
    state,
    reason,
    fitsPool,
    epoch,
    leaseMs,
    leaseLeftMs,
    joinedAtMs: record.joinedAtMs,
    lastBeatAtMs: record.lastBeatAtMs,
    loads: ranks,
    tiers,
    counters,
    sync,
    transfers,
  };
}
