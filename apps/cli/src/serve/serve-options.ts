import { BatonError, plainEngineUrl } from '@baton/kv';

/** Of engines without a model that `npm start` brings up. */
export const standInKinds = ['vllm-sim', 'sglang-sim'] as const;
export type StandInKind = (typeof standInKinds)[number];

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
  /** Engines that are found as pods, by label. */
  kubernetesSelector?: string;
  kubernetesPrefillSelector?: string;
  kubernetesDecodeSelector?: string;
  kubernetesNamespace?: string;
  kubernetesPort?: string;
}

/** What is in front of engines: those that were named, and where others are found. */
export interface ServedEngines {
  engines: ServedEngine[];
  /** They are in this process and end with it. */
  areStandIns?: boolean;
  kubernetes?: ServedPods;
}

/** As the conductor's configuration has it. */
interface ServedPods {
  selector: string | undefined;
  prefillSelector: string | undefined;
  decodeSelector: string | undefined;
  namespace: string | undefined;
  port: string | number | undefined;
  kvBytesPerToken: number | undefined;
  connector: PairConnector | undefined;
  bootstrapPort: number | undefined;
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
    const plain = plainEngineUrl(text);
    if (plain === undefined) {
      const message = `${flag} must be the URL of a running engine, such as http://10.0.0.1:8000, ${JSON.stringify(text.slice(0, 80))} is not.`;
      throw new BatonError('config_invalid', message, { details: { field: flag } });
    }
    if (plain.endsWith('/v1')) {
      const message = `${flag} is asked for more than the OpenAI API: give ${plain.slice(0, -3)} instead of ${plain}.`;
      throw new BatonError('config_invalid', message, { details: { field: flag } });
    }
    return [...before, plain];
  };
}

/** @throws BatonError config_invalid when there are none, half a pair without agents, or one twice */
export function servedEngines(options: ServeOptions): ServedEngines {
  const { worker, prefill, decode, kvBytesPerToken, connector, bootstrapPort } = options;
  const kubernetes = servedPods(options);
  const hasAgents = options.nats !== undefined;
  if (!hasAgents && worker.length + prefill.length + decode.length === 0 && !kubernetes) {
    throw invalid(
      'Which engines? Give the URL of each that runs, --worker http://10.0.0.1:8000; the labels of their pods, --kubernetes-selector app=vllm; or, of those that have agents, --nats.',
    );
  }
  const answers = kubernetes?.selector ?? kubernetes?.decodeSelector;
  if (!hasAgents && worker.length === 0 && decode.length === 0 && answers === undefined) {
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
  return { engines, ...(kubernetes && { kubernetes }) };
}

function servedPods(options: ServeOptions): ServedPods | undefined {
  const { kubernetesNamespace: namespace, kubernetesPort: port } = options;
  const selector = options.kubernetesSelector;
  const prefillSelector = options.kubernetesPrefillSelector;
  const decodeSelector = options.kubernetesDecodeSelector;
  if (selector ?? prefillSelector ?? decodeSelector) {
    const number = port !== undefined && /^\d+$/.test(port) ? Number(port) : port;
    const selectors = { selector, prefillSelector, decodeSelector };
    const { kvBytesPerToken, connector, bootstrapPort } = options;
    const pair = { kvBytesPerToken, connector, bootstrapPort };
    return { ...selectors, namespace, port: number, ...pair };
  }
  if (namespace === undefined && port === undefined) return undefined;
  throw invalid('Which pods? Give their labels: --kubernetes-selector app=vllm');
}

function invalid(message: string): BatonError {
  return new BatonError('config_invalid', message);
}
