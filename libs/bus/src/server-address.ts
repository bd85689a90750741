import { BatonError } from '@baton/kv';

/** What the NATS client needs to know of a URL. */
export interface ServerAddress {
  servers: string[];
  tls: boolean;
  user?: string;
  pass?: string;
  token?: string;
}

const PROTOCOLS = ['nats:', 'tls:'];
const DEFAULT_PORT = '4222';

/**
 * `nats://[user:password@]host[:port]`, `nats://token@host`, `tls://…`; several servers are separated by commas and
 * share the first one's credentials.
 *
 * @throws BatonError `config_invalid`; credentials are not repeated in the message
 */
export function parseServerAddress(url: string): ServerAddress {
  const urls = url.split(',').map((part) => {
    const text = part.trim();
    const parsed = URL.parse(text.includes('://') ? text : `nats://${text}`);
    if (!parsed || !PROTOCOLS.includes(parsed.protocol) || !parsed.hostname) {
      throw new BatonError('config_invalid', 'the NATS URL must look like nats://host:4222');
    }
    return parsed;
  });
  const first = urls[0];
  const user = decodeURIComponent(first?.username ?? '');
  const pass = decodeURIComponent(first?.password ?? '');
  return {
    servers: urls.map(({ hostname, port }) => `${hostname}:${port || DEFAULT_PORT}`),
    tls: first?.protocol === 'tls:',
    ...(user && pass ? { user, pass } : {}),
    ...(user && !pass ? { token: user } : {}),
  };
}
