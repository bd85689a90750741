import { performance } from 'node:perf_hooks';
import type { ApiKind } from '@baton/engine-protocols';
import { BatonError } from '@baton/kv';
import { extractHeaders } from '@baton/telemetry';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { showsWorkers } from '../config.ts';
import { PromptTokenizer } from '../intake/prompt-tokens.ts';
import type { OpenRequests } from '../open-requests.ts';
import type { GatewayDeps } from '../ports.ts';
import { logFields, startRecord, type RequestRecord } from '../request-record.ts';
import { serveGeneration } from '../serve-generation.ts';
import { ResponseStream } from './client-stream.ts';
import { answerClientErrors, httpFault, sendFault, unknownRoute } from './faults.ts';
import { addInfoRoutes } from './info-routes.ts';
import { requestIdOf } from './request-id.ts';

/** A client must have sent its whole request within this time. */
const REQUEST_TIMEOUT_MS = 60_000;
const KEEP_ALIVE_MS = 72_000;

export interface ServerState {
  open: OpenRequests;
  /** True from the moment that the gateway has been asked to stop. */
  stopping: boolean;
}

/** The HTTP server, not yet listening. */
export function buildServer(deps: GatewayDeps, state: ServerState): FastifyInstance {
  const { config } = deps;
  const app = fastify({
    bodyLimit: config.bodyLimitBytes,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // The server is closed when nothing is open any more; until then stopping is told in our own words.
    forceCloseConnections: true,
    return503OnClosing: false,
    genReqId: requestIdOf,
    // Checked below: Node's own answer would have neither a request id nor a body.
    http: { requireHostHeader: false },
    frameworkErrors: (error, request, reply) => {
      void reply.header('x-request-id', request.id);
      void sendFault(reply, httpFault(error));
    },
  });
  app.removeContentTypeParser('text/plain');
  answerClientErrors(app);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    if (request.raw.httpVersion === '1.1' && request.headers.host === undefined) {
      throw new BatonError('invalid_request', 'The Host header is missing.');
    }
    if (!state.stopping || request.url === '/health') return;
    reply.header('connection', 'close');
    throw new BatonError('shutting_down');
  });
  app.setErrorHandler((error, _request, reply) => {
    const fault = httpFault(error);
    if (fault.code === 'internal_error') {
      deps.log.error({ event: 'request_fault', err: error }, fault.message);
    }
    return sendFault(reply, fault);
  });
  app.setNotFoundHandler((request, reply) => unknownRoute(request.method, request.url, reply));
  addInfoRoutes(app, deps, state);
  addGenerationRoutes(app, deps, state);
  return app;
}

function addGenerationRoutes(app: FastifyInstance, deps: GatewayDeps, state: ServerState): void {
  const { timeLimits } = deps.config;
  const tokenizer = new PromptTokenizer(deps.engines, timeLimits, () => performance.now());
  const handler = (api: ApiKind) => (request: FastifyRequest, reply: FastifyReply) =>
    handleGeneration(deps, tokenizer, state, { api, request, reply });
  app.post('/v1/chat/completions', handler('chat'));
  app.post('/v1/completions', handler('completion'));
}

async function handleGeneration(
  deps: GatewayDeps,
  tokenizer: PromptTokenizer,
  state: ServerState,
  { api, request, reply }: { api: ApiKind; request: FastifyRequest; reply: FastifyReply },
): Promise<FastifyReply> {
  const record = startRecord(request.id, performance.now());
  if (deps.requestLog !== undefined) record.logEntry = deps.requestLog.arrived(record.startedMs);
  const opened = state.open.begin();
  const { signal } = opened;
  const response = reply.raw;
  const onClose = () => {
    if (!response.writableFinished) opened.abort(new BatonError('request_aborted'));
  };
  response.once('close', onClose);
  // The client may have left while its body was being read.
  if (response.destroyed || request.raw.destroyed) onClose();
  const headers = () => answerHeaders(deps, record);
  const client = new ResponseStream(response, {
    headers: () => ({ 'x-request-id': record.requestId, ...headers() }),
    stallMs: deps.config.timeLimits.clientStallMs,
    signal,
  });
  try {
    const parent = extractHeaders(request.headers);
    const { body, headers: said } = request;
    const input = { api, body, headers: said, parent, record, signal, client };
    const result = await serveGeneration(deps, tokenizer, input);
    if (result.kind === 'streamed' || response.destroyed) return reply.hijack();
    reply.headers(headers());
    return result.kind === 'body' ? reply.send(result.body) : sendFault(reply, result.error);
  } finally {
    state.open.end(opened);
    record.logEntry?.ended();
    deps.log.info(logFields(record, performance.now()), 'request');
  }
}

function answerHeaders(deps: GatewayDeps, { plan }: RequestRecord): Record<string, string> {
  if (plan === undefined) return {};
  return {
    'x-baton-plan-id': plan.planId,
    ...(showsWorkers(deps.config) && {
      'x-baton-prefill-worker': plan.prefill.workerId,
      'x-baton-decode-worker': plan.decode.workerId,
    }),
  };
}
