import { isIPv6 } from 'node:net';
import { BatonError } from '@baton/kv';

/** Where to connect or listen, as node:net takes it; without a host on every interface. */
export type ZmtpAddress = { host?: string; port: number } | { path: string };

const MAX_PORT = 65_535;
/** Of a name in DNS. */
const MAX_HOST_CHARS = 253;
/** What fits into a socket's address in Linux, without the zero at its end. */
const MAX_PATH_BYTES = 107;
/** An endpoint that was refused is told up to here. */
const MAX_TOLD_CHARS = 200;
const forms = 'must be tcp://host:port or ipc://path';

/**
 * The address of a ZMQ endpoint. `*` as host means every interface and is only for binding.
 * @throws BatonError config_invalid with a sentence that says what would be right.
 */
export function zmtpAddress(endpoint: string, isBound: boolean): ZmtpAddress {
  if (/[\p{Cc}\u2028\u2029]/u.test(endpoint)) {
    throw invalid(JSON.stringify(endpoint), 'has control characters or line breaks');
  }
  const path = /^ipc:\/\/(.+)$/.exec(endpoint)?.[1];
  if (path !== undefined) return { path: socketPath(path, endpoint) };
  const [, place = '', digits = ''] = /^tcp:\/\/(.+):(\d{1,5})$/.exec(endpoint) ?? [];
  const port = Number(digits);
  if (place === '' || port > MAX_PORT || (port === 0 && !isBound)) throw invalid(endpoint, forms);
  if (place === '*' && isBound) return { port };
  if (place === '*') {
    throw invalid(endpoint, 'says where the engine binds; give the address of its machine instead');
  }
  return { host: hostOf(place, endpoint), port };
}

function socketPath(path: string, endpoint: string): string {
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) {
    throw invalid(endpoint, `has a path of more than ${MAX_PATH_BYTES} bytes`);
  }
  // A name that begins with @ is in Linux' abstract namespace.
  return path.replace(/^@/, '\0');
}

function hostOf(place: string, endpoint: string): string {
  const address = /^\[(.*)\]$/.exec(place)?.[1];
  if (address !== undefined && isIPv6(address)) return address;
  if (place.length > MAX_HOST_CHARS || /[\s:@/[\]]/.test(place)) {
    throw invalid(endpoint, 'must name a host or its address alone, IPv6 in brackets');
  }
  return place;
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
  const told =
    endpoint.length > MAX_TOLD_CHARS ? `${endpoint.slice(0, MAX_TOLD_CHARS)}…` : endpoint;
  return new BatonError('config_invalid', `the ZMQ endpoint ${told} ${why}`);
}
