import { BatonError } from '@baton/kv';

export interface ServeSettings {
  host: string;
  /** As given; undefined takes 8080 or the next free one. */
  port: number | undefined;
  adminPort: number | undefined;
  /** File with the API key of the engines. */
  apiKeyFile?: string;
  /** PEM file of who signed their certificates. */
  ca?: string;
  policy: string | undefined;
  queue: string | undefined;
  /** NATS server to which agents come; none where there are none. */
  nats?: string | undefined;
  /** Where agents send their spans; default: a free port. */
  tracePort?: number | undefined;
  verbose: boolean;
}

export interface ServeOptions extends ServeSettings {
  /** Running engines that do whole requests, only prefills, only decodes. */
  worker: string[];
  prefill: string[];
  decode: string[];
  kvBytesPerToken: number | undefined;
  /** What moves KV between the sides of pairs, where the engines do not tell. */
  connector?: PairConnector;
  bootstrapPort?: number;
}

export const pairConnectors = ['nixl-push', 'mooncake'] as const;
export type PairConnector = (typeof pairConnectors)[number];

export interface ServedEngine {
  url: string;
  role: 'both' | 'prefill' | 'decode';
  /** Default: its host and port. */
  workerId?: string;
  kvBytesPerToken?: number;
  connector?: PairConnector;
  bootstrapPort?: number;
}

/** `http://host:port`, and adds it to those before it. @throws BatonError config_invalid */
export function engineUrl(flag: string): (text: string, before: string[]) => string[] {
  return (text, before) => {
    const url = URL.parse(text);
    const isPlain = url?.search === '' && url.hash === '' && url.username === '';
    if (url === null || !/^https?:$/.test(url.protocol) || !isPlain) {
      const message = `${flag} must be the URL of a running engine, such as http://10.0.0.1:8000, ${JSON.stringify(text.slice(0, 80))} is not.`;
      throw new BatonError('config_invalid', message, { details: { field: flag } });
    }
    const plain = text.replace(/\/+$/, '');
    if (plain.endsWith('/v1')) {
      const message = `${flag} is asked for more than the OpenAI API: give ${plain.slice(0, -3)} instead of ${plain}.`;
      throw new BatonError('config_invalid', message, { details: { field: flag } });
    }
    return [...before, plain];
  };
}

/** @throws BatonError config_invalid when there are none, half a pair without agents, or one twice */
export function servedEngines({
  worker,
  prefill,
  decode,
  kvBytesPerToken,
  connector,
  bootstrapPort,
  nats,
}: ServeOptions): ServedEngine[] {
  const invalid = (message: string): BatonError => new BatonError('config_invalid', message);
  const hasAgents = nats !== undefined;
  if (!hasAgents && worker.length + prefill.length + decode.length === 0) {
    throw invalid(
      'Which engines? Give the URL of each that runs: --worker http://10.0.0.1:8000; or, of those that have agents, --nats.',
    );
  }
  if (!hasAgents && worker.length === 0 && decode.length === 0) {
    throw invalid('--prefill workers answer nobody: give --decode workers as well, or --worker.');
  }
  const shared = {
    ...(kvBytesPerToken !== undefined && { kvBytesPerToken }),
    ...(connector !== undefined && { connector }),
    ...(bootstrapPort !== undefined && { bootstrapPort }),
  };
  const of = (urls: string[], role: ServedEngine['role']): ServedEngine[] =>
    urls.map((url) => ({ url, role, ...shared }));
  const engines = [...of(worker, 'both'), ...of(prefill, 'prefill'), ...of(decode, 'decode')];
  const seen = new Set<string>();
  for (const { url } of engines) {
    if (seen.has(url)) throw invalid(`The engine ${url} is given twice.`);
    seen.add(url);
  }
  return engines;
}
