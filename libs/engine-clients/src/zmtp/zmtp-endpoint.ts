import { BatonError } from '@baton/kv';

/** Where to connect or listen, as node:net takes it; without a host on every interface. */
export type ZmtpAddress = { host?: string; port: number } | { path: string };

const MAX_PORT = 65_535;
const forms = 'must be tcp://host:port or ipc://path';

/**
 * The address of a ZMQ endpoint. `*` as host means every interface and is only for binding.
 * @throws BatonError config_invalid with a sentence that says what would be right.
 */
export function zmtpAddress(endpoint: string, isBound: boolean): ZmtpAddress {
  const path = /^ipc:\/\/(.+)$/.exec(endpoint)?.[1];
  // A name that begins with @ is in Linux' abstract namespace.
  if (path !== undefined) return { path: path.replace(/^@/, '\0') };
  const [, host = '', digits = ''] = /^tcp:\/\/(.+):(\d{1,5})$/.exec(endpoint) ?? [];
  const port = Number(digits);
  if (host === '' || port > MAX_PORT || (port === 0 && !isBound)) throw invalid(endpoint, forms);
  const isEverywhere = host === '*';
  if (isEverywhere && !isBound) {
    throw invalid(endpoint, 'says where the engine binds; give the address of its machine instead');
  }
  return isEverywhere ? { port } : { host: host.replace(/^\[(.*)\]$/, '$1'), port };
}

/**
 * Endpoint of a data-parallel rank: engines count the port of a TCP endpoint up.
 * @throws BatonError config_invalid when rank 1 or higher has no endpoint of its own.
 */
export function rankEndpoint(endpoint: string, rank: number): string {
  if (rank === 0) return endpoint;
  const [, place = '', digits = ''] = /^(tcp:\/\/.+:)(\d{1,5})$/.exec(endpoint) ?? [];
  const port = Number(digits) + rank;
  if (place !== '' && port <= MAX_PORT) return `${place}${port}`;
  throw invalid(endpoint, `has no port for rank ${rank}; give the endpoint of each rank`);
}

function invalid(endpoint: string, why: string): BatonError {
  return new BatonError('config_invalid', `the ZMQ endpoint ${endpoint} ${why}`);
}
