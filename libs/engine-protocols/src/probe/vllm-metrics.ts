import type {
  AdapterMetrics,
  EngineCacheConfig,
  EngineMetrics,
  RankMetrics,
} from './engine-metrics.ts';
import { readSamples, type Sample } from './prometheus-text.ts';

const names = {
  start: 'process_start_time_seconds',
  running: 'vllm:num_requests_running',
  waiting: 'vllm:num_requests_waiting',
  usage: 'vllm:kv_cache_usage_perc',
  cache: 'vllm:cache_config_info',
  transfers: 'vllm:nixl_bytes_transferred_count',
  bytes: 'vllm:nixl_bytes_transferred_sum',
  failed: 'vllm:nixl_num_failed_transfers_total',
  seconds: 'vllm:nixl_xfer_time_seconds_sum',
  source: 'vllm:prompt_tokens_by_source_total',
  adapters: 'vllm:lora_requests_info',
};
/** A label with a higher number is no rank's. */
const MAX_RANKS = 1_024;
const wanted: ReadonlySet<string> = new Set(Object.values(names));

/** From vLLM's `/metrics`. */
export function readVllmMetrics(text: string): EngineMetrics {
  const samples = readSamples(text, wanted);
  const of = (name: string): Sample[] => samples.get(name) ?? [];
  const fromSource = (source: string): number =>
    sum(of(names.source).filter(({ labels }) => labels['source'] === source));
  return {
    startedAtSec: positive(of(names.start)[0]?.value),
    ranks: ranksOf(of(names.running), of(names.waiting), of(names.usage), of(names.cache).length),
    cache: cacheOf(of(names.cache)),
    nixl: samples.has(names.transfers)
      ? {
          transfers: sum(of(names.transfers)),
          failedTransfers: sum(of(names.failed)),
          bytes: sum(of(names.bytes)),
          seconds: sum(of(names.seconds)),
        }
      : undefined,
    promptTokens: {
      computed: fromSource('local_compute'),
      reused: fromSource('local_cache_hit'),
      received: fromSource('external_kv_transfer'),
    },
    adapters: adaptersOf(of(names.adapters)),
  };
}

/** By the label `engine`; a rank of which nothing is said is idle, as all are before the first request. */
function ranksOf(
  running: readonly Sample[],
  waiting: readonly Sample[],
  usage: readonly Sample[],
  configured: number,
): RankMetrics[] {
  const numbered = [...running, ...waiting, ...usage].map(({ labels }) => Number(labels['engine']));
  const highest = Math.max(0, ...numbered.filter((rank) => rank < MAX_RANKS));
  const count = Math.max(configured, Math.floor(highest) + 1);
  return Array.from({ length: count }, (_, rank) => {
    const own = (samples: readonly Sample[]): number =>
      sum(samples.filter(({ labels }) => Number(labels['engine'] ?? 0) === rank));
    return {
      running: Math.round(own(running)),
      waiting: Math.round(own(waiting)),
      kvUsage: Math.min(1, own(usage)),
    };
  });
}

function cacheOf(samples: readonly Sample[]): EngineCacheConfig | undefined {
  const [first] = samples;
  const blockTokens = Number(first?.labels['block_size']);
  const blocks = Number(first?.labels['num_gpu_blocks']);
  if (!isPositive(blockTokens) || !isPositive(blocks)) return undefined;
  const prefixCaching = first?.labels['enable_prefix_caching'] !== 'False';
  return { blockTokens, blocks, prefixCaching };
}

/** There is a sample for each state that there was, whose value is when it was last the state. */
function adaptersOf(samples: readonly Sample[]): AdapterMetrics | undefined {
  const [first, ...others] = samples;
  if (first === undefined) return undefined;
  const { labels, value } = others.reduce(
    (last, sample) => (positive(sample.value) > positive(last.value) ? sample : last),
    first,
  );
  const slots = Number(labels['max_lora']);
  const named = (label: string): string[] => (labels[label] ?? '').split(',').filter(Boolean);
  const used = new Set([...named('running_lora_adapters'), ...named('waiting_lora_adapters')]);
  return { slots: isPositive(slots) ? slots : 0, used: [...used], atSec: positive(value) };
}

function isPositive(value: number): boolean {
  return Number.isSafeInteger(value) && value > 0;
}

function positive(value: number | undefined): number {
  return value !== undefined && value > 0 && Number.isFinite(value) ? value : 0;
}

function sum(samples: readonly Sample[]): number {
  return samples.reduce((total, { value }) => total + positive(value), 0);
}
