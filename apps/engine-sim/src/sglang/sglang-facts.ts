import type { EventPublisher } from '@baton/kv-events';
import type { SimEngine } from '../engine/sim-engine.ts';
import type { SglangMode } from './sglang-dialect.ts';
import type { SglangSettings } from './sglang-settings.ts';

export interface SglangFactsOptions {
  settings: SglangSettings;
  mode: SglangMode;
  engine: SimEngine;
  version: string;
  /** Of a prefill server's bootstrap. */
  bootstrapPort: number;
  /** Undefined where none are published. */
  publisher: EventPublisher | undefined;
}

/** What an SGLang says of itself and of its load. */
export class SglangFacts {
  readonly #options: SglangFactsOptions;

  constructor(options: SglangFactsOptions) {
    this.#options = options;
  }

  /** The arguments of the server, what its scheduler knows, and where its events are. */
  serverInfo(): object {
    const { settings, mode, version, bootstrapPort, publisher, engine } = this.#options;
    const events = publisher && eventsOf(publisher);
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
      ...{ tp_size: 1, pp_size: 1, dp_size: 1 },
      kv_events_config: events === undefined ? null : JSON.stringify(events.config),
      disaggregation_mode: mode,
      disaggregation_transfer_backend: 'mooncake',
      disaggregation_bootstrap_port: bootstrapPort,
      disaggregation_decode_enable_radix_cache: false,
      status: 'ready',
      max_total_num_tokens: engine.pool.capacity * settings.blockTokens,
      max_req_input_len: settings.maxModelTokens - 1,
      internal_states: [
        { last_gen_throughput: 0, effective_max_running_requests_per_dp: settings.maxSequences },
      ],
      version,
      kv_events: events?.descriptor(settings.blockTokens) ?? null,
    };
  }

  loads(): object {
    const { version } = this.#options;
    const { used, capacity, running, waiting } = this.#load();
    const load = {
      ...{ dp_rank: 0, num_running_reqs: running, num_waiting_reqs: waiting },
      ...{ num_used_tokens: used, num_total_tokens: used, max_total_num_tokens: capacity },
      max_running_requests: this.#options.settings.maxSequences,
      token_usage: used / capacity,
      ...{ gen_throughput: 0, cache_hit_rate: 0, utilization: used / capacity },
    };
    return { timestamp: new Date().toISOString(), version, loads: [load] };
  }

  /** As with --enable-metrics, a few of them. */
  metrics(): string {
    const { used, capacity, running, waiting } = this.#load();
    const values = {
      num_running_reqs: running,
      num_queue_reqs: waiting,
      num_used_tokens: used,
      token_usage: used / capacity,
    };
    const labels = `{model_name="${this.#options.settings.model}",tp_rank="0"}`;
    const lines = Object.entries(values).flatMap(([name, value]) => [
      `# TYPE sglang:${name} gauge`,
      `sglang:${name}${labels} ${value}`,
    ]);
    return `${lines.join('\n')}\n`;
  }

  #load(): Record<'used' | 'capacity' | 'running' | 'waiting', number> {
    const { engine, settings } = this.#options;
    const { pool, scheduler, loading } = engine;
    return {
      used: pool.usedBlocks * settings.blockTokens,
      capacity: pool.capacity * settings.blockTokens,
      running: scheduler.running.length,
      waiting: scheduler.waiting.length + loading.size,
    };
  }
}

function eventsOf({ endpoint, replayEndpoint }: EventPublisher): {
  config: object;
  descriptor: (blockTokens: number) => object;
} {
  const everywhere = (place: string): string => place.replace(/^tcp:\/\/[^:]+:/, 'tcp://*:');
  return {
    config: {
      publisher: 'zmq',
      endpoint: everywhere(endpoint),
      replay_endpoint: everywhere(replayEndpoint),
      topic: '',
    },
    descriptor: (blockTokens) => ({
      publisher: 'zmq',
      endpoint_host: '*',
      endpoint_port_base: Number(new URL(endpoint).port),
      topic: '',
      block_size: blockTokens,
      dp_size: 1,
    }),
  };
}
