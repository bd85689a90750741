import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { InferenceFacts, InferenceLoad } from '../core/inference-port.ts';
import type { EndedEvent, RequestRun, RunObserver } from '../generation/request-run.ts';
import { LATENCY_BUCKETS, STEP_BUCKETS, TOKEN_BUCKETS, TTFT_BUCKETS } from './buckets.ts';

export interface EngineMetricsOptions {
  modelName: string;
  facts: InferenceFacts;
  segmentTokens: number;
  /** As last reported by the inference thread. */
  load: () => InferenceLoad;
  /** Monotonic clock, ms. */
  now: () => number;
}

const FINISHED_REASONS = { stop: 'stop', length: 'length', aborted: 'abort', failed: 'error' };
const RANK = '0';
const MS = 1_000;

interface Times {
  submittedMs: number;
  prefilledMs: number | undefined;
  lastTokenMs: number | undefined;
  tokens: number;
}

/** Metrics under vLLM's names, so that dashboards and routers made for vLLM can read them. */
export class EngineMetrics implements RunObserver {
  readonly #registry = new Registry();
  /** vLLM's cache_config_info names no model. */
  readonly #infoRegistry = new Registry();
  readonly #options: EngineMetricsOptions;
  readonly #times = new WeakMap<RequestRun, Times>();
  readonly #counters: ReturnType<typeof makeCounters>;
  readonly #histograms: ReturnType<typeof makeHistograms>;

  constructor(options: EngineMetricsOptions) {
    this.#options = options;
    this.#registry.setDefaultLabels({ engine: RANK, model_name: options.modelName });
    this.#infoRegistry.setDefaultLabels({ engine: RANK });
    this.#makeGauges();
    this.#counters = makeCounters(this.#registry);
    this.#histograms = makeHistograms(this.#registry);
    for (const source of ['local_compute', 'local_cache_hit', 'external_kv_transfer']) {
      this.#counters.promptTokensBySource.inc({ source }, 0);
    }
    for (const reason of Object.values(FINISHED_REASONS)) {
      this.#counters.requestSuccess.inc({ finished_reason: reason }, 0);
    }
  }

  /** In Prometheus' text format. */
  async text(): Promise<string> {
    return `${await this.#registry.metrics()}\n${await this.#infoRegistry.metrics()}`;
  }

  submitted(run: RequestRun): void {
    const submittedMs = this.#options.now();
    this.#times.set(run, {
      submittedMs,
      prefilledMs: undefined,
      lastTokenMs: undefined,
      tokens: 0,
    });
    this.#histograms.promptTokens.observe(run.request.promptTokens.length);
    this.#histograms.maxTokens.observe(run.request.maxOutputTokens);
    this.#histograms.n.observe(1);
  }

  prefilled(run: RequestRun, computeMs: number): void {
    const { promptTokens, computedTokens } = run.accounting;
    const local = run.localTokens;
    const external = promptTokens - local - computedTokens;
    const c = this.#counters;
    c.prefixQueries.inc(promptTokens);
    c.prefixHits.inc(local);
    c.externalQueries.inc(promptTokens - local);
    c.externalHits.inc(external);
    c.promptTokens.inc(promptTokens);
    c.promptTokensCached.inc(promptTokens - computedTokens);
    c.promptTokensBySource.inc({ source: 'local_compute' }, computedTokens);
    c.promptTokensBySource.inc({ source: 'local_cache_hit' }, local);
    c.promptTokensBySource.inc({ source: 'external_kv_transfer' }, external);
    this.#histograms.computedTokens.observe(computedTokens);
    const times = this.#times.get(run);
    if (!times) return;
    times.prefilledMs = this.#options.now();
    const waitedMs = Math.max(0, times.prefilledMs - times.submittedMs - computeMs);
    this.#histograms.queueTime.observe(waitedMs / MS);
    this.#histograms.prefillTime.observe(computeMs / MS);
  }

  token(run: RequestRun): void {
    this.#counters.generationTokens.inc();
    const times = this.#times.get(run);
    if (!times) return;
    const now = this.#options.now();
    times.tokens += 1;
    if (times.lastTokenMs === undefined) {
      this.#histograms.timeToFirstToken.observe((now - times.submittedMs) / MS);
    } else {
      this.#histograms.interTokenLatency.observe((now - times.lastTokenMs) / MS);
    }
    times.lastTokenMs = now;
  }

  ended(run: RequestRun, event: EndedEvent): void {
    const outcome =
      run.outcomeOf(event) === 'finished' && event.outcome === 'aborted' ? 'stop' : event.outcome;
    this.#counters.requestSuccess.inc({ finished_reason: FINISHED_REASONS[outcome] });
    const times = this.#times.get(run);
    if (!times) return;
    const now = this.#options.now();
    this.#histograms.generationTokens.observe(times.tokens);
    this.#histograms.e2eLatency.observe((now - times.submittedMs) / MS);
    if (times.prefilledMs === undefined) return;
    const decodeMs = now - times.prefilledMs;
    this.#histograms.decodeTime.observe(decodeMs / MS);
    if (times.tokens > 1)
      this.#histograms.perOutputToken.observe(decodeMs / MS / (times.tokens - 1));
  }

  #makeGauges(): void {
    const { facts, load, segmentTokens } = this.#options;
    const gauge = (name: string, help: string, read: () => number): void => {
      new Gauge({
        name: `vllm:${name}`,
        help,
        registers: [this.#registry],
        collect() {
          this.set(read());
        },
      });
    };
    gauge('num_requests_running', 'Requests that are computed.', () => load().running);
    gauge('num_requests_waiting', 'Requests that wait to be computed.', () => load().waiting);
    gauge('kv_cache_usage_perc', 'Share of the KV cache in use; 1 is all of it.', () =>
      facts.capacityBlocks === 0 ? 0 : load().usedBlocks / facts.capacityBlocks,
    );
    const info = {
      block_size: String(segmentTokens),
      cache_dtype: facts.dtype,
      enable_prefix_caching: 'True',
      num_gpu_blocks: String(facts.capacityBlocks),
      kv_cache_size_tokens: String(facts.capacityBlocks * segmentTokens),
    };
    new Gauge({
      name: 'vllm:cache_config_info',
      help: 'Configuration of the KV cache.',
      labelNames: Object.keys(info),
      registers: [this.#infoRegistry],
    }).set(info, 1);
  }
}

function makeCounters(registry: Registry) {
  const counter = <L extends string>(name: string, help: string, ...labels: L[]): Counter<L> =>
    new Counter({
      name: `vllm:${name}_total`,
      help,
      labelNames: labels,
      registers: [registry],
    });
  return {
    prefixQueries: counter('prefix_cache_queries', 'Prompt tokens looked up in the cache.'),
    prefixHits: counter('prefix_cache_hits', 'Prompt tokens found in the cache.'),
    externalQueries: counter('external_prefix_cache_queries', 'Prompt tokens asked of the agent.'),
    externalHits: counter('external_prefix_cache_hits', 'Prompt tokens that the agent gave.'),
    promptTokens: counter('prompt_tokens', 'Prompt tokens of requests whose prompt is there.'),
    promptTokensBySource: counter(
      'prompt_tokens_by_source',
      'Those by where they came from.',
      'source',
    ),
    promptTokensCached: counter('prompt_tokens_cached', 'Those that were not computed.'),
    generationTokens: counter('generation_tokens', 'Output tokens.'),
    requestSuccess: counter('request_success', 'Requests that ended.', 'finished_reason'),
  };
}

function makeHistograms(registry: Registry) {
  const histogram = (name: string, help: string, buckets: number[]): Histogram =>
    new Histogram({
      name: `vllm:${name}`,
      help,
      buckets,
      registers: [registry],
    });
  const seconds = (name: string, help: string): Histogram => histogram(name, help, LATENCY_BUCKETS);
  const tokens = (name: string, help: string): Histogram => histogram(name, help, TOKEN_BUCKETS);
  return {
    timeToFirstToken: histogram(
      'time_to_first_token_seconds',
      'Until the first token.',
      TTFT_BUCKETS,
    ),
    interTokenLatency: histogram(
      'inter_token_latency_seconds',
      'Between two tokens.',
      STEP_BUCKETS,
    ),
    perOutputToken: histogram(
      'request_time_per_output_token_seconds',
      'A token, on average of a request.',
      STEP_BUCKETS,
    ),
    e2eLatency: seconds('e2e_request_latency_seconds', 'From submission to the end.'),
    queueTime: seconds(
      'request_queue_time_seconds',
      'Until the prompt was computed, less computing.',
    ),
    prefillTime: seconds('request_prefill_time_seconds', 'Computing the prompt.'),
    decodeTime: seconds('request_decode_time_seconds', 'From the prompt to the end.'),
    promptTokens: tokens('request_prompt_tokens', 'Prompt tokens of a request.'),
    generationTokens: tokens('request_generation_tokens', 'Output tokens of a request.'),
    maxTokens: tokens('request_params_max_tokens', 'Output tokens that a request allows.'),
    n: tokens('request_params_n', 'Answers that a request asks for.'),
    computedTokens: tokens(
      'request_prefill_kv_computed_tokens',
      'Prompt tokens computed for a request.',
    ),
  };
}
