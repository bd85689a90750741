import type { AddressInfo } from 'node:net';
import { BatonError } from '@baton/kv';
import { buildServer, type ServerState } from './http/build-server.ts';
import { OpenRequests } from './open-requests.ts';
import type { GatewayDeps } from './ports.ts';

/** After aborting what is left, so long for its error events and reports to leave. */
const LAST_WORDS_MS = 300;
/** For the end of the request log. */
const LAST_LINES_MS = 150;

export interface Gateway {
  /** http://host:port */
  url: string;
  readonly openRequests: number;
  /** Refuses new requests, lets open ones finish for a while, ends the rest with an error. */
  stop(): Promise<void>;
}

export async function startGateway(deps: GatewayDeps): Promise<Gateway> {
  const state: ServerState = { open: new OpenRequests(), stopping: false };
  const app = buildServer(deps, state);
  const { host, port, timeLimits } = deps.config;
  await app.listen({ host, port });
  const bound = app.server.address() as AddressInfo;
  const name = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address;
  return {
    url: `http://${name}:${bound.port}`,
    get openRequests() {
      return state.open.size;
    },
    stop: async () => {
      state.stopping = true;
      if (!(await state.open.idle(timeLimits.stopMs))) {
        state.open.abortAll(new BatonError('shutting_down'));
        await state.open.idle(LAST_WORDS_MS);
      }
      await Promise.all([app.close(), deps.requestLog?.close(LAST_LINES_MS)]);
    },
  };
}
