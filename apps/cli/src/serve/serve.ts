import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { conductorConfigSchema, type ConductorConfig } from '@baton/conductor/config';
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
import type { ServedEngines, ServeSettings } from './serve-options.ts';

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
  { engines, areStandIns, kubernetes }: ServedEngines,
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
  const started: StartedService[] = [];
  let folder: string | undefined;
  let collector: Awaited<ReturnType<typeof startCollector>> | undefined;
  let runFile: ReturnType<typeof announceRun> | undefined;
  try {
    folder = makeRunFolder();
    collector = await startCollector(store, { host: traceHost, port: tracePort });
    env[traceEndpoint] ??= `${collector.url}/v1/traces`;
    await startTelemetry({ serviceName: 'serve', log });
    const conductor = await startConductor({
      config: conductorConfig({
        natsUrl: nats ?? 'none',
        ...{ engines, kubernetes },
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
    const counts = await engineCounts(admin, stop.signal);
    if (stop.signal.aborted) return;
    lines.ready({
      ...{ ...counts, areStandIns, gatewayUrl: http, conductorUrl: admin },
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
    await collector?.close();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    endWatching();
    endListening();
  }
}

/** @throws BatonError config_invalid with what is wrong about a flag that only the conductor understands */
function conductorConfig(given: object): ConductorConfig {
  const parsed = conductorConfigSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const flag = `--${issue?.path.join('-') ?? ''}`;
  throw new BatonError('config_invalid', `${flag} ${issue?.message}.`, {
    details: { field: flag },
  });
}

/** How many engines there are, and serve, when pods were listed and each engine was looked at, which is bounded. */
async function engineCounts(
  adminUrl: string,
  signal: AbortSignal,
): Promise<{ engines: number; serving: number }> {
  for (;;) {
    // It is this process that answers: on a machine that is very busy it may be late.
    const answer = await getJson(`${adminUrl}/engines`, signal).catch(() => undefined);
    if (answer === undefined && !signal.aborted) {
      await sleep(lookPauseMs);
      continue;
    }
    const isListed = field(field(answer, 'kubernetes'), 'state') !== 'starting';
    const looks = list(field(answer, 'engines')).map((engine) => field(engine, 'serves'));
    if (signal.aborted || (isListed && !looks.includes(undefined))) {
      return { engines: looks.length, serving: looks.filter(Boolean).length };
    }
    await sleep(lookPauseMs);
  }
}
