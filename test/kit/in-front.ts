import { conductorConfigSchema } from '@baton/conductor/config';
import { startConductor } from '@baton/conductor/start';
import { gatewayConfigSchema } from '@baton/gateway/config';
import { startGatewayService } from '@baton/gateway/start';
import { createLogger } from '@baton/service';

/** A conductor and a gateway in this process, in front of running engines. */
export interface InFront {
  /** Of the gateway. */
  url: string;
  /** Asks the conductor's admin API; the answer's JSON, whatever its status. */
  admin<T>(path: string, method?: string, body?: object): Promise<T>;
  stop(): Promise<void>;
}

export async function startInFront(
  engines: readonly { workerId: string; url: string; role?: string }[],
  /** Where agents are heard; default: there are none. */
  natsUrl = 'none',
): Promise<InFront> {
  const log = createLogger({ name: 'test', destination: { write: () => undefined } });
  const stopping = new AbortController();
  const conductor = await startConductor({
    config: conductorConfigSchema.parse({
      ...{ natsUrl, grpcPort: 0, adminPort: 0, engines },
    }),
    log,
    signal: stopping.signal,
  });
  const gateway = await startGatewayService({
    config: gatewayConfigSchema.parse({
      ...{ port: 0, conductor: conductor.endpoints['grpc'], sloLimits: {}, record: {} },
      timeLimits: {},
    }),
    gatewayId: 'gateway',
    log,
  });
  return {
    url: gateway.endpoints['http'] ?? '',
    admin: async <T>(path: string, method = 'GET', body?: object) => {
      const answer = await fetch(`${conductor.endpoints['admin']}${path}`, {
        method,
        ...(body !== undefined && {
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      });
      return (await answer.json()) as T;
    },
    stop: async () => {
      await gateway.stop();
      stopping.abort();
      await conductor.stop();
    },
  };
}
