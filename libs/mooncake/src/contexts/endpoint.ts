import type { Fields } from '../wire/fields.ts';
import { refusal } from '../wire/refusal.ts';
import { quoted } from '../wire/request-body.ts';

export type EndpointField = 'endpoint' | 'replay_endpoint';

const MAX_ENDPOINT = 512;
const MAX_PORT = 65_535;
/** What fits into the address of a socket file beside its end. */
const MAX_PATH_BYTES = 107;
const utf8 = new TextEncoder();

/** The address of an engine's socket; undefined when the field is absent. @throws BatonError of a refusal */
export function readEndpoint(fields: Fields, field: EndpointField): string | undefined {
  const endpoint = fields.optionalText([field], MAX_ENDPOINT);
  if (endpoint === undefined) return undefined;
  const wrong = whatIsWrong(endpoint);
  if (wrong === undefined) return endpoint;
  throw refusal('invalid_value', `${field} ${quoted(endpoint)} ${wrong}`, { field });
}

function whatIsWrong(endpoint: string): string | undefined {
  if (/\p{Cc}/u.test(endpoint)) return 'has a control character';
  if (endpoint.startsWith('ipc://')) return whatIsWrongWithPath(endpoint.slice('ipc://'.length));
  const [, host = '', port = ''] = /^tcp:\/\/(.+):(\d{1,5})$/.exec(endpoint) ?? [];
  if (host === '') return 'must be tcp://host:port or ipc://path';
  const isWithin = Number(port) >= 1 && Number(port) <= MAX_PORT;
  return isWithin ? whatIsWrongWithHost(host) : `must have a port from 1 to ${MAX_PORT}`;
}

function whatIsWrongWithPath(path: string): string | undefined {
  if (path === '' || path === '@') return 'must have a path after ipc://';
  if (path === '*') return 'says where the engine listens; give the path of its socket';
  const size = utf8.encode(path).length;
  if (size <= MAX_PATH_BYTES) return undefined;
  return `must have a path of at most ${MAX_PATH_BYTES} bytes, not ${size}`;
}

function whatIsWrongWithHost(host: string): string | undefined {
  const [, inside, zone] = /^\[([^\]%]*)(%[\w.-]+)?\]$/.exec(host) ?? [];
  const isIpv6 = inside !== undefined && URL.canParse(`http://[${inside}]/`);
  const isListening =
    zone === undefined && isIpv6 && new URL(`http://[${inside}]/`).host === '[::]';
  if (isListening || host === '*' || host === '0.0.0.0') {
    return 'says where the engine listens; give an address of its machine';
  }
  if (isIpv6 || /^[\p{L}\p{N}_][\p{L}\p{N}\p{M}._-]*$/u.test(host)) return undefined;
  return `must have a name, an IPv4 address or an IPv6 address in brackets as host, not ${quoted(host)}`;
}
