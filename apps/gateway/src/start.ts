import { EngineAccess, EngineHttp, readCredentials } from '@baton/engine-clients';
import { readFleet } from '@baton/proto';
import { openSession } from '@baton/rpc';
import type { Logger, StartedService } from '@baton/service';
import type { GatewayConfig } from './config.ts';
import { FleetView } from './fleet-view.ts';
import { startGateway } from './gateway.ts';
import { openConfiguredLog } from './request-log/open-log.ts';
import { LonePrefills } from './legs/lone-prefills.ts';
import { Standstills } from './legs/standstills.ts';
import { KeptTurns } from './planning/kept-turns.ts';
import { RequestLog } from './request-log/request-log.ts';

/** An answer that is not streamed: text, log probabilities and token ids of a long generation. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

export interface GatewayContext {
  config: GatewayConfig;
  gatewayId: string;
  /** Of whoever else in this process asks the engines; by default as the configuration has it. */
  access?: EngineAccess;
  log: Logger;
}

/** Starts a gateway whose conductor is reached by gRPC; it need not be there yet. */
export async function startGatewayService({
  config,
  gatewayId,
  access = configuredAccess(config),
  log,
}: GatewayContext): Promise<StartedService> {
  const { file } = config.record;
  const opened = file === undefined ? undefined : await openConfiguredLog(file);
  const fleet = new FleetView();
  const turns = new KeptTurns(() => performance.now());
  const standstills = new Standstills(Date.now);
  const engines = new EngineHttp({
    connectMs: config.timeLimits.connectMs,
    maxAnswerBytes: MAX_ANSWER_BYTES,
    access,
  });
  const session = openSession({
    target: config.conductor,
    hello: { gatewayId },
    onFleet: (update) => {
      const pools = readFleet(update);
      if ('fault' in pools) {
        const fields = { event: 'message_unusable', what: 'fleet', fault: pools.fault };
        return log.warn(fields, 'a message is dropped');
      }
      fleet.update(pools, Date.now());
      turns.keepOnly(fleet.workerIds());
      return void engines.keepOnly(fleet.engineUrls()).catch((err: unknown) => {
        log.warn({ event: 'engine_close_failed', err }, 'connections could not be closed');
      });
    },
    log,
  });
  const requestLog =
    file === undefined
      ? undefined
      : new RequestLog({
          settings: { ...config.record, file },
          ...{ opened, log },
          nowMs: () => performance.now(),
        });
  const close = async (): Promise<void> => {
    session.close();
    standstills.close();
    await engines.close();
  };
  try {
    const gateway = await startGateway({
      ...{ config, requestLog, fleet, session },
      ...{ engines, turns, log, lonePrefills: new LonePrefills(), standstills },
    });
    return {
      endpoints: { http: gateway.url },
      stop: async () => {
        await gateway.stop();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** @throws BatonError config_invalid for a file that cannot be used */
function configuredAccess({ engineAccess: { engines, ...others } }: GatewayConfig): EngineAccess {
  const access = new EngineAccess(readCredentials(others));
  for (const [url, files] of Object.entries(engines)) access.allow(url, readCredentials(files));
  return access;
}
