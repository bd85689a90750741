import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { conductorConfigSchema } from '@baton/conductor/config';
import { startConductor } from '@baton/conductor/start';
import { EngineAccess, readCredentials } from '@baton/engine-clients';
import { BatonError } from '@baton/kv';
import { gatewayConfigSchema } from '@baton/gateway/config';
import { startGatewayService } from '@baton/gateway/start';
import { createLogger, type StartedService } from '@baton/service';
import { shutdownTelemetry, startTelemetry } from '@baton/telemetry';
import { getJson } from '../commands/running.ts';
import { field, list } from '../json-fields.ts';
import { startCollector } from '../trace/collector.ts';
import { TraceStore } from '../trace/trace-store.ts';
import { npmAncestors, watchProcesses } from '../up/ancestors.ts';
import { choosePort, listenFault, requireFreePort } from '../up/ports.ts';
import { announceRun } from '../up/run-file.ts';
import { makeRunFolder } from '../up/run-folder.ts';
import { Screen, type Output } from '../up/screen.ts';
import { aborted, StopRequest } from '../up/stop-request.ts';
import { ServeLines } from './serve-lines.ts';
import type { ServedEngine, ServeSettings } from './serve-options.ts';

/** Everything but the OpenAI API stays on loopback. */
const adminHost = '127.0.0.1';
const telemetryLimitMs = 500;
const lookPauseMs = 50;
const traceEndpoint = 'BATON_TRACE_ENDPOINT';

/**
 * `baton serve`: gateway and conductor in this process, in front of engines that run already, until it is told to stop.
 *
 * @throws BatonError when it cannot start
 */
export async function serve(
  engines: readonly ServedEngine[],
  options: ServeSettings,
  out: Output,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const { adminPort, nats, tracePort, apiKeyFile, ca: caFile } = options;
  const access = new EngineAccess(readCredentials({ apiKeyFile, caFile }));
  // Agents may be on other machines; without them nobody else sends spans.
  const traceHost = nats === undefined ? adminHost : options.host;
  if (tracePort !== undefined) await requireFreePort(traceHost, tracePort, '--trace-port');
  if (adminPort !== undefined) await requireFreePort(adminHost, adminPort, '--admin-port');
  const port = await choosePort(options.host, options.port);
  if (port === adminPort) {
    const message = `--admin-port ${port} is that of the OpenAI API: give another, or another --port.`;
    throw new BatonError('config_invalid', message, { details: { field: '--admin-port' } });
  }
  const stop = new StopRequest();
  const endListening = stop.listen();
  const endWatching = watchProcesses(npmAncestors(), () => stop.request('parent gone'));
  out.on('error', () => stop.request('SIGHUP'));
  const store = new TraceStore();
  const lines = new ServeLines(new Screen(out, env), store, options.verbose);
  const log = createLogger({ name: 'serve', destination: { write: (text) => lines.log(text) } });
  const folder = makeRunFolder();
  const collector = await startCollector(store, { host: traceHost, port: tracePort });
  const started: StartedService[] = [];
  let runFile: ReturnType<typeof announceRun> | undefined;
  try {
    env[traceEndpoint] ??= `${collector.url}/v1/traces`;
    await startTelemetry({ serviceName: 'serve', log });
    const conductor = await startConductor({
      config: conductorConfigSchema.parse({
        natsUrl: nats ?? 'none',
        engines,
        grpcPort: 0,
        adminPort: adminPort ?? 0,
        policy: options.policy,
        queue: options.queue,
      }),
      access,
      log,
      signal: stop.signal,
    });
    started.push(conductor);
    const { grpc = '', admin = '' } = conductor.endpoints;
    const gateway = await startGatewayService({
      config: gatewayConfigSchema.parse({
        host: options.host,
        port,
        conductor: grpc,
        ...{ timeLimits: {}, sloLimits: {}, record: {} },
      }),
      gatewayId: `gateway-${randomUUID()}`,
      access,
      log,
    });
    started.push(gateway);
    const { http = '' } = gateway.endpoints;
    runFile = announceRun(
      {
        phase: 'ready',
        ...{ folder, port },
        gatewayUrl: http,
        conductorUrl: admin,
        tracesUrl: collector.url,
      },
      env,
    );
    const serving = await engineCount(admin, stop.signal);
    if (stop.signal.aborted) return;
    lines.ready({
      ...{ engines: engines.length, serving, gatewayUrl: http, conductorUrl: admin },
      agents: nats === undefined ? undefined : { traceEndpoint: env[traceEndpoint] ?? '' },
    });
    await aborted(stop.signal);
    lines.stopping();
  } catch (error) {
    throw listenFault(error);
  } finally {
    runFile?.remove();
    for (const service of started.reverse()) await service.stop();
    await shutdownTelemetry(telemetryLimitMs);
    await collector.close();
    rmSync(folder, { recursive: true, force: true });
    endWatching();
    endListening();
  }
}

/** How many engines serve, when each was looked at, which is bounded. */
async function engineCount(adminUrl: string, signal: AbortSignal): Promise<number> {
  for (;;) {
    const engines = list(field(await getJson(`${adminUrl}/engines`), 'engines'));
    const looks = engines.map((engine) => field(engine, 'serves'));
    if (signal.aborted || !looks.includes(undefined)) return looks.filter(Boolean).length;
    await sleep(lookPauseMs);
  }
}
