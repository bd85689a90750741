import type { EventPublisher } from '@baton/kv-events';
import type { SimEngine } from '../engine/sim-engine.ts';
import { everywhere } from '../observe/event-publishing.ts';
import type { SglangMode } from './sglang-dialect.ts';
import type { SglangSettings } from './sglang-settings.ts';

/** SGLang's default of --max-loras-per-batch. */
const DEFAULT_SLOTS = 8;

export interface SglangFactsOptions {
  settings: SglangSettings;
  mode: SglangMode;
  /** One for each data-parallel rank. */
  engines: readonly SimEngine[];
  version: string;
  /** Of a prefill server's bootstrap. */
  bootstrapPort: number;
  /** Of the first rank. */
  publisher: EventPublisher;
}

/** What an SGLang says of itself and of its load. */
export class SglangFacts {
  readonly #options: SglangFactsOptions;

  constructor(options: SglangFactsOptions) {
    this.#options = options;
  }

  /** The arguments of the server, what its scheduler knows, and where its events are. */
  serverInfo(): object {
    const { settings, mode, version, bootstrapPort, publisher, engines } = this.#options;
    const { endpoint, replayEndpoint } = publisher;
    const { ranks } = settings;
    return {
      model_path: settings.model,
      served_model_name: settings.model,
      host: settings.host,
      dtype: 'auto',
      kv_cache_dtype: 'auto',
      context_length: null,
      page_size: settings.blockTokens,
      max_running_requests: null,
      disable_radix_cache: false,
      enable_cache_report: settings.promptTokensDetails,
      ...{ tp_size: 1, pp_size: 1, dp_size: ranks },
      enable_lora: settings.adapters !== undefined,
      max_loras_per_batch: settings.adapters?.slots ?? DEFAULT_SLOTS,
      kv_events_config: JSON.stringify({
        publisher: 'zmq',
        endpoint: everywhere(endpoint),
        replay_endpoint: everywhere(replayEndpoint),
        topic: '',
      }),
      disaggregation_mode: mode,
      disaggregation_transfer_backend: 'mooncake',
      disaggregation_bootstrap_port: bootstrapPort,
      disaggregation_decode_enable_radix_cache: false,
      status: 'ready',
      max_total_num_tokens: (engines[0]?.pool.capacity ?? 0) * settings.blockTokens,
      max_req_input_len: settings.maxModelTokens - 1,
      internal_states: engines.map(() => ({
        last_gen_throughput: 0,
        effective_max_running_requests_per_dp: settings.maxSequences,
      })),
      version,
      kv_events: {
        publisher: 'zmq',
        endpoint_host: '*',
        endpoint_port_base: Number(new URL(endpoint).port),
        topic: '',
        block_size: settings.blockTokens,
        dp_size: ranks,
      },
    };
  }

  loads(): object {
    const { version, settings } = this.#options;
    const loads = this.#loads().map(({ used, capacity, running, waiting }, rank) => ({
      ...{ dp_rank: rank, num_running_reqs: running, num_waiting_reqs: waiting },
      ...{ num_used_tokens: used, num_total_tokens: used, max_total_num_tokens: capacity },
      max_running_requests: settings.maxSequences,
      token_usage: used / capacity,
      ...{ gen_throughput: 0, cache_hit_rate: 0, utilization: used / capacity },
    }));
    return { timestamp: new Date().toISOString(), version, loads };
  }

  /** As with --enable-metrics, a few of them. */
  metrics(): string {
    const { model, ranks } = this.#options.settings;
    const loads = this.#loads().map(({ used, capacity, running, waiting }) => ({
      num_running_reqs: running,
      num_queue_reqs: waiting,
      num_used_tokens: used,
      token_usage: used / capacity,
    }));
    const names = ['num_running_reqs', 'num_queue_reqs', 'num_used_tokens', 'token_usage'] as const;
    const labels = (rank: number): string =>
      `{${ranks > 1 ? `dp_rank="${rank}",` : ''}model_name="${model}",tp_rank="0"}`;
    const lines = names.flatMap((name) => [
      `# TYPE sglang:${name} gauge`,
      ...loads.map((load, rank) => `sglang:${name}${labels(rank)} ${load[name]}`),
    ]);
    return `${lines.join('\n')}\n`;
  }

  #loads(): Record<'used' | 'capacity' | 'running' | 'waiting', number>[] {
    const { engines, settings } = this.#options;
    return engines.map(({ pool, scheduler, loading }) => ({
      used: pool.usedBlocks * settings.blockTokens,
      capacity: pool.capacity * settings.blockTokens,
      running: scheduler.running.length,
      waiting: scheduler.waiting.length + loading.size,
    }));
  }
}
