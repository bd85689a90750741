import { randomBytes } from 'node:crypto';
import { EngineAccess, readCredentials } from '@baton/engine-clients';
import { connectBus, type Bus } from '@baton/bus';
import { createCore, defaultCoreOptions, type Core } from '@baton/core';
import {
  fleetMessage,
  readBeat,
  readDelta,
  readPlanReport,
  readTransferResult,
} from '@baton/proto';
import { serveSessions, type Session, type SessionHandlers } from '@baton/rpc';
import { SpacedLines, type Logger, type StartedService } from '@baton/service';
import type { Metrics } from '@baton/telemetry';
import { adminApi } from './admin-api.ts';
import { conductorMetrics, metricsRoute, timedMatch } from './conductor-metrics.ts';
import { settingsChangeOf, type ConductorConfig } from './config.ts';
import { CoreDriver } from './core-driver.ts';
import { AdapterDesk } from './engines/adapter-desk.ts';
import { PodEngines } from './engines/pod-engines.ts';
import { WatchedEngines } from './engines/watched-engines.ts';
import { openIndexer } from './indexer-server.ts';
import { PlanSpans } from './plan-spans.ts';

const TICK_MS = 250;
/** Whoever sends nonsense does not fill the log with it. */
const FAULT_LINE_SPACING_MS = 10_000;
/** A longer time without a tick is one in which nothing was heard either. */
const MAX_TICK_GAP_MS = 1_000;
const INSTANCE_BYTES = 4;
/** Engines without an agent are looked at so often. */
const ENGINE_LOOK_MS = 1_000;
/** As `natsUrl`: no worker has an agent. */
const NO_BUS = 'none';

/** Milliseconds since 1970 that never go back, whatever happens to the clock of the machine. */
const now = (): number => performance.timeOrigin + performance.now();

export interface ConductorContext {
  config: ConductorConfig;
  /** Of whoever else in this process asks the engines; by default as the configuration has it. */
  access?: EngineAccess;
  log: Logger;
  signal: AbortSignal;
}

/**
 * Starts the conductor: bus first, then gateways and admin API.
 *
 * @throws BatonError `bus_unavailable`, `config_invalid`; the system's error when a port cannot be
 * used
 */
export async function startConductor({
  config,
  access = new EngineAccess(readCredentials(config.engineAccess)),
  log,
  signal,
}: ConductorContext): Promise<StartedService> {
  const instanceId = randomBytes(INSTANCE_BYTES).toString('hex');
  const metrics = conductorMetrics({
    index: () => core.view.index(),
    intake: () => driver.intake,
  });
  const core = coreFor(config, instanceId, metrics);
  const bus =
    config.natsUrl === NO_BUS
      ? undefined
      : await connectBus({ url: config.natsUrl, name: `conductor ${instanceId}`, log, signal });
  const stopping = new AbortController();
  const leaving = new AbortController();
  const engines = new WatchedEngines({
    settings: config.engines,
    access,
    intervalMs: ENGINE_LOOK_MS,
    hear: (input) => driver.hear(input),
    misfit: (workerId) => core.view.misfit(workerId),
    using: (workerId) => core.view.using(workerId),
    log,
    signal: leaving.signal,
  });
  const pods =
    config.kubernetes &&
    new PodEngines({ settings: config.kubernetes, engines, log, signal: leaving.signal });
  const spans = new PlanSpans();
  let tickedAtMs = performance.now();
  const tick = (): void => {
    const durationMs = performance.now() - tickedAtMs;
    tickedAtMs += durationMs;
    if (durationMs > MAX_TICK_GAP_MS) {
      log.warn({ event: 'paused', durationMs }, 'this process stood still; leases are extended');
      driver.hear({ type: 'paused', durationMs });
    }
    driver.hear({ type: 'tick' });
  };
  const driver: CoreDriver = new CoreDriver({
    core,
    tick,
    agents: engines.agents(bus),
    spans,
    log,
    now,
    snapshotTimeoutMs: defaultCoreOptions.snapshotTimeoutMs,
    signal: stopping.signal,
  });
  if (bus !== undefined) listen(bus, driver, log);

  const indexer = openIndexer({ answers: config.indexerAnswers, log });
  const admin = adminApi({
    view: core.view,
    engines,
    adapters: new AdapterDesk({
      ...{ engines, view: core.view, access, now, signal: leaving.signal },
      feed: (input) => driver.feed(input),
    }),
    pods: () => pods?.state,
    treat: (model, change) => core.treat(model, change),
    indexer,
    now,
    health: () => ({
      bus: bus?.status() ?? NO_BUS,
      sessions: driver.sessions.size,
      counters: { ...bus?.counters },
    }),
  });
  metricsRoute(admin, metrics);
  const ticker = setInterval(tick, TICK_MS);
  const closeAll = async (): Promise<void> => {
    clearInterval(ticker);
    leaving.abort();
    await pods?.ended();
    await engines.ended();
    stopping.abort();
    indexer.close();
    await Promise.all([admin.close(), bus?.close()]);
  };
  try {
    await bus?.flush();
    const adminUrl = await admin.listen({ host: config.host, port: config.adminPort });
    const server = await serveSessions({
      host: config.host,
      port: config.grpcPort,
      onSession: (session) => sessionHandlers(session, driver, spans, log, core.pools.bind(core)),
      onFault: (error) => log.error({ event: 'session_fault', err: error }, 'a session failed'),
    });
    const host = config.host.includes(':') ? `[${config.host}]` : config.host;
    return {
      endpoints: { grpc: `${host}:${server.port}`, admin: adminUrl },
      stop: async () => {
        await server.close();
        await closeAll();
      },
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** @throws BatonError config_invalid that names a setting of a policy */
function coreFor(config: ConductorConfig, instanceId: string, metrics: Metrics): Core {
  const { policy, prefillPolicy, decodePolicy, policyParameters, queue, waitBoundMs } = config;
  const { planLeaseMs, maxWaitMs, prefillTokensPerSec, adapterLoadMs } = config;
  const { sloTtftMs = Infinity, sloTtftPerTokenMs, sloTbtMs = Infinity } = config;
  return createCore({
    ...{ instanceId, policy, prefillPolicy, decodePolicy, policyParameters, queue, waitBoundMs },
    ...{ planLeaseMs, maxWaitMs, prefillTokensPerSec, adapterLoadMs },
    slo: { ttftBaseMs: sloTtftMs, ttftPerTokenMs: sloTtftPerTokenMs, tbtMs: sloTbtMs },
    models: Object.fromEntries(
      Object.entries(config.models).map(([model, own]) => [model, settingsChangeOf(own)]),
    ),
    seed: randomBytes(INSTANCE_BYTES).readUInt32LE(),
    maxReplicas: config.indexMaxReplicas,
    aroundMatch: (match) => timedMatch(metrics, match),
  });
}

/** Everything that agents say. */
function listen(bus: Bus, driver: CoreDriver, log: Logger): void {
  const lines = {
    delta: new SpacedLines(FAULT_LINE_SPACING_MS),
    transferred: new SpacedLines(FAULT_LINE_SPACING_MS),
  };
  const unusable = (what: keyof typeof lines, workerId: string, fault: string): void =>
    lines[what].line((leftOut) => {
      const fields = { event: 'message_unusable', what, workerId, fault, leftOut };
      log.warn(fields, 'a message is dropped');
    });
  bus.onBeat((message) => {
    const beat = readBeat(message);
    if ('fault' in beat) driver.workerRefused(message.worker?.workerId ?? '', beat.fault);
    else driver.hear({ type: 'beat', beat });
  });
  bus.onDelta((message) => {
    const delta = readDelta(message);
    if ('fault' in delta) {
      unusable('delta', message.workerId, delta.fault);
      driver.hear({ type: 'unreadable', workerId: message.workerId });
    } else driver.hear({ type: 'delta', delta });
  });
  bus.onTransferred((message) => {
    const result = readTransferResult(message);
    if ('fault' in result) unusable('transferred', message.workerId, result.fault);
    else driver.feed({ type: 'transferred', result });
  });
  bus.onUnreadable((workerId) => driver.hear({ type: 'unreadable', workerId }));
  bus.onStatus((status) => {
    driver.feed({ type: 'bus', connected: status === 'connected' });
  });
}

function sessionHandlers(
  session: Session,
  driver: CoreDriver,
  spans: PlanSpans,
  log: Logger,
  pools: () => Parameters<typeof fleetMessage>[0],
): SessionHandlers {
  const sessionId = `s${session.id}`;
  const { gatewayId, peer } = session;
  driver.sessions.set(sessionId, session);
  log.info({ event: 'session_opened', sessionId, gatewayId, peer }, 'a gateway is connected');
  session.sendFleet(fleetMessage(pools()));
  return {
    onPlan: (request) => {
      const traceparent = spans.start(sessionId, request);
      driver.feed({ type: 'plan', sessionId, request: { ...request, traceparent } });
    },
    onReport: (message) => {
      const report = readPlanReport(message);
      if ('fault' in report) {
        const fields = { event: 'message_unusable', what: 'report', gatewayId };
        log.warn({ ...fields, fault: report.fault }, 'a message is dropped');
      } else driver.feed({ type: 'report', sessionId, report });
    },
    onClose: (reason) => {
      driver.sessions.delete(sessionId);
      spans.closed(sessionId);
      driver.feed({ type: 'sessionClosed', sessionId });
      log.info({ event: 'session_closed', sessionId, gatewayId, reason }, 'a gateway is gone');
    },
  };
}
