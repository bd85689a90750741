import { asObject, countAt } from '../json-fields.ts';
import type { JsonObject } from '../engine-protocol.ts';
import type { PublishedEvents } from './vllm-answers.ts';

/** What an SGLang server says of how it was started. */
export interface SglangServer {
  version: string;
  /** Name of the weights. */
  modelPath: string;
  /** How KV is kept. */
  kvDtype: string;
  /** Prompt and output together; 0 where it does not say. */
  contextTokens: number;
  pageTokens: number;
  /** Room for KV of one data-parallel rank, tokens; 0 where it does not say. */
  kvTokens: number;
  /** Requests that all its ranks run at once; undefined where it does not say. */
  maxSequences: number | undefined;
  dataParallelRanks: number;
  tensorRanks: number;
  pipelineRanks: number;
  /** The side of pairs that it is; undefined for one that does whole requests. */
  side: 'prefill' | 'decode' | undefined;
  /** What moves the KV of its pairs. */
  transferBackend: string;
  /** Where decode meets it, by SGLang's own default 8998; the host is that of its URL. */
  bootstrapPort: number;
  cachesPrefixes: boolean;
  /** Adapters that one batch can have, SGLang's default 8; undefined where it takes none. */
  adapterSlots: number | undefined;
  /** Undefined when it publishes none by ZMQ. */
  events: PublishedEvents | undefined;
}

const BOOTSTRAP_PORT = 8_998;
const ADAPTER_SLOTS = 8;
const MAX_PORT = 65_535;

/**
 * From `GET /server_info`: the server's arguments, the scheduler's facts and `kv_events`, side by side (SGLang
 * 30cb848d4, python/sglang/srt/entrypoints/http_server.py and server_args.py). Undefined for the answer of something
 * else.
 */
export function readSglangServer(answer: unknown): SglangServer | undefined {
  const info = asObject(answer);
  const version = textAt(info, 'version');
  const modelPath = textAt(info, 'model_path');
  const pageTokens = countAt(info, 'page_size');
  if (info === undefined || version === '' || modelPath === '' || !pageTokens) return undefined;
  const mode = info['disaggregation_mode'];
  const side = mode === 'prefill' || mode === 'decode' ? mode : undefined;
  const keepsRadix = side !== 'decode' || info['disaggregation_decode_enable_radix_cache'] === true;
  const dataParallelRanks = countAt(info, 'dp_size') || 1;
  const port = countAt(info, 'disaggregation_bootstrap_port');
  return {
    ...{ version, modelPath, pageTokens, side, dataParallelRanks },
    kvDtype: textAt(info, 'kv_cache_dtype') || 'auto',
    contextTokens: countAt(info, 'context_length') ?? 0,
    kvTokens: countAt(info, 'max_total_num_tokens') ?? 0,
    maxSequences: maxSequencesOf(info, dataParallelRanks),
    tensorRanks: countAt(info, 'tp_size') || 1,
    pipelineRanks: countAt(info, 'pp_size') || 1,
    transferBackend: textAt(info, 'disaggregation_transfer_backend'),
    bootstrapPort: port !== undefined && port > 0 && port <= MAX_PORT ? port : BOOTSTRAP_PORT,
    cachesPrefixes: keepsRadix && info['disable_radix_cache'] !== true,
    events: eventsOf(info['kv_events_config']),
    adapterSlots:
      info['enable_lora'] === true
        ? countAt(info, 'max_loras_per_batch') || ADAPTER_SLOTS
        : undefined,
  };
}

/** Told for the ranks, or as it was asked for. */
function maxSequencesOf(info: JsonObject, ranks: number): number | undefined {
  const states = info['internal_states'];
  const first: unknown = Array.isArray(states) ? states[0] : undefined;
  const ofRank = countAt(asObject(first), 'effective_max_running_requests_per_dp');
  return (ofRank && ofRank * ranks) || countAt(info, 'max_running_requests') || undefined;
}

/** `--kv-events-config`, a JSON text: it has what `kv_events` lacks, the endpoint of replay. */
function eventsOf(config: unknown): PublishedEvents | undefined {
  let parsed: unknown = config;
  if (typeof config === 'string') {
    try {
      parsed = JSON.parse(config);
    } catch {
      return undefined;
    }
  }
  const fields = asObject(parsed);
  if (fields?.['publisher'] !== 'zmq') return undefined;
  return {
    endpoint: textAt(fields, 'endpoint') || 'tcp://*:5557',
    replayEndpoint: textAt(fields, 'replay_endpoint'),
    topic: textAt(fields, 'topic'),
  };
}

function textAt(fields: JsonObject | undefined, name: string): string {
  const value = fields?.[name];
  return typeof value === 'string' ? value : '';
}
