import type { EngineObserver, RunEnd } from '../engine/engine-observer.ts';
import type { EngineRun } from '../engine/engine-run.ts';
import type { SimEngine } from '../engine/sim-engine.ts';
import type { StandInSettings } from '../engine-options.ts';
import { AdapterInfo } from './adapter-info.ts';
import { cacheConfigInfo } from './cache-config-info.ts';
import { Counter, Gauge, Histogram, processStart, type MetricFamily } from './metric-families.ts';
import { fetchStages } from './nixl-metrics.ts';
import { makeHistograms } from './request-histograms.ts';

const MS = 1_000;

/** The metrics of a vLLM 0.32, by its names, labels and order; `attach` says whose gauges they show. */
export class EngineMetrics implements EngineObserver {
  readonly #settings: StandInSettings;
  readonly #createdSec: number;
  readonly #counters = makeCounters();
  readonly #histograms: ReturnType<typeof makeHistograms>;
  readonly #connector: readonly MetricFamily[];
  readonly #adapters: AdapterInfo;
  #engine: SimEngine | undefined;

  /** @param connector families of a connector, which come first */
  constructor(
    settings: StandInSettings,
    createdSec: number,
    connector: readonly MetricFamily[],
    wall: () => number,
  ) {
    this.#settings = settings;
    this.#createdSec = createdSec;
    this.#connector = connector;
    this.#adapters = new AdapterInfo(settings.adapters, wall);
    this.#histograms = makeHistograms(settings.maxModelTokens);
  }

  attach(engine: SimEngine): void {
    this.#engine = engine;
  }

  text(): string {
    const common = { engine: '0', model_name: this.#settings.model };
    const lines = this.#families().flatMap((family) => family.lines(common, this.#createdSec));
    const start = processStart(this.#createdSec);
    return [...start, ...lines, ...cacheConfigInfo(this.#settings), ''].join('\n');
  }

  submitted(run: EngineRun): void {
    this.#histograms.params.n.observe(1);
    this.#histograms.params.maxTokens.observe(run.request.maxOutputTokens);
  }

  admitted(run: EngineRun, cachedTokens: number): void {
    const { promptTokens, externalTokens } = run;
    const { prefix, external, prompt, bySource, cached, cachedBySource } = this.#counters;
    const computed = promptTokens - cachedTokens - externalTokens;
    prefix.queries.add(promptTokens);
    prefix.hits.add(cachedTokens);
    if (externalTokens > 0) external.queries.add(externalTokens);
    external.hits.add(externalTokens);
    prompt.add(promptTokens);
    bySource.add(computed, 'local_compute');
    bySource.add(cachedTokens, 'local_cache_hit');
    bySource.add(externalTokens, 'external_kv_transfer');
    cached.add(cachedTokens + externalTokens);
    cachedBySource.add(cachedTokens, 'device');
    cachedBySource.add(externalTokens, 'p2p');
    this.#histograms.computed.observe(computed);
  }

  preempted(): void {
    this.#counters.preemptions.add(1);
  }

  stepped(tokens: number): void {
    this.#histograms.iterationTokens.observe(tokens);
    this.#adapters.stepped(this.#engine);
  }

  token(run: EngineRun, nowMs: number): void {
    this.#counters.generation.add(1);
    const { firstTokenMs, lastTokenMs, arrivedMs } = run;
    if (lastTokenMs === undefined) this.#histograms.firstToken.observe((nowMs - arrivedMs) / MS);
    else this.#histograms.betweenTokens.observe((nowMs - lastTokenMs) / MS);
    run.firstTokenMs = firstTokenMs ?? nowMs;
    run.lastTokenMs = nowMs;
  }

  ended(run: EngineRun, end: RunEnd, nowMs: number): void {
    this.#counters.success.add(1, end);
    if (end === 'abort' || end === 'error') return;
    const { arrivedMs, outputTokens, promptTokens } = run;
    const scheduledMs = run.scheduledMs ?? arrivedMs;
    const firstTokenMs = run.firstTokenMs ?? nowMs;
    const lastTokenMs = run.lastTokenMs ?? nowMs;
    const all = this.#histograms;
    const seconds = (histogram: Histogram, ms: number): void => histogram.observe(ms / MS);
    all.promptTokens.observe(promptTokens);
    all.generationTokens.observe(outputTokens);
    all.maxGenerationTokens.observe(outputTokens);
    if (outputTokens > 1) {
      seconds(all.perOutputToken, (lastTokenMs - firstTokenMs) / (outputTokens - 1));
    }
    seconds(all.e2e, nowMs - arrivedMs);
    seconds(all.queue, scheduledMs - arrivedMs);
    seconds(all.inference, lastTokenMs - scheduledMs);
    seconds(all.prefill, firstTokenMs - scheduledMs);
    seconds(all.decode, lastTokenMs - firstTokenMs);
    all.preemptions.observe(run.preemptions);
  }

  #families(): MetricFamily[] {
    const counters = this.#counters;
    const all = this.#histograms;
    return [
      ...this.#connector,
      ...[counters.flops, counters.readBytes, counters.writtenBytes],
      ...this.#load(),
      ...[counters.prefix.queries, counters.prefix.hits],
      ...[counters.external.queries, counters.external.hits],
      ...[counters.media.queries, counters.media.hits],
      ...[counters.preemptions, counters.prompt, counters.bySource],
      ...[counters.cached, counters.cachedBySource, counters.generation],
      ...[counters.success, counters.rejections],
      ...[all.promptTokens, all.generationTokens, all.iterationTokens, all.maxGenerationTokens],
      ...[all.params.n, all.params.maxTokens, all.firstToken, all.betweenTokens],
      ...[all.perOutputToken, all.e2e, all.queue, all.inference, all.prefill, all.decode],
      ...[all.preemptions, all.computed],
      ...(this.#adapters.isShown ? [this.#adapters] : []),
    ];
  }

  #load(): MetricFamily[] {
    const engine = this.#engine;
    const waiting = engine?.scheduler.waiting.length ?? 0;
    const loading = engine?.loading.size ?? 0;
    const pool = engine?.pool;
    const usage = pool === undefined ? 0 : pool.usedBlocks / pool.capacity;
    const gauge = (name: string, help: string, value: number): Gauge =>
      new Gauge(`vllm:${name}`, help, () => [{ value }]);
    return [
      gauge(
        'num_requests_running',
        'Requests in the batch.',
        engine?.scheduler.running.length ?? 0,
      ),
      gauge('num_requests_waiting', 'Requests that wait.', waiting + loading),
      new Gauge('vllm:num_requests_waiting_by_reason', 'Those by what they wait for.', () => [
        { value: waiting, labels: { reason: 'capacity' } },
        { value: loading, labels: { reason: 'deferred' } },
      ]),
      ...(this.#settings.nixl === undefined ? [] : [fetchStages(engine)]),
      new Gauge('vllm:engine_sleep_state', 'Which state of sleep it is in.', () => [
        { value: 1, labels: { sleep_state: 'awake' } },
        { value: 0, labels: { sleep_state: 'weights_offloaded' } },
        { value: 0, labels: { sleep_state: 'discard_all' } },
      ]),
      gauge('kv_cache_usage_perc', 'Share of the KV cache in use; 1 is all of it.', usage),
    ];
  }
}

function makeCounters() {
  const counter = (name: string, help: string, label?: string, ...values: string[]): Counter =>
    new Counter(`vllm:${name}`, help, label === undefined ? undefined : { label, values });
  const tiers = ['device', 'host', 'p2p', 'disk', 'external_unspecified'];
  const ends = ['stop', 'length', 'abort', 'error', 'repetition'];
  const sources = ['local_compute', 'local_cache_hit', 'external_kv_transfer'];
  const limits = ['max_num_queued_reqs', 'max_num_queued_tokens'];
  return {
    prefix: {
      queries: counter('prefix_cache_queries', 'Prompt tokens looked up in the cache.'),
      hits: counter('prefix_cache_hits', 'Prompt tokens found in the cache.'),
    },
    external: {
      queries: counter('external_prefix_cache_queries', 'Prompt tokens asked of a connector.'),
      hits: counter('external_prefix_cache_hits', 'Prompt tokens that a connector gave.'),
    },
    // Nothing of these is ever counted here.
    flops: counter('estimated_flops_per_gpu', 'Floating point operations; not estimated.'),
    readBytes: counter('estimated_read_bytes_per_gpu', 'Bytes read; not estimated.'),
    writtenBytes: counter('estimated_write_bytes_per_gpu', 'Bytes written; not estimated.'),
    media: {
      queries: counter('mm_cache_queries', 'Media items looked up in the cache.'),
      hits: counter('mm_cache_hits', 'Media items found in the cache.'),
    },
    preemptions: counter('num_preemptions', 'Times that a request had to start over.'),
    prompt: counter('prompt_tokens', 'Prompt tokens.'),
    bySource: counter(
      'prompt_tokens_by_source',
      'Those by where they come from.',
      'source',
      ...sources,
    ),
    cached: counter('prompt_tokens_cached', 'Prompt tokens that are not computed here.'),
    cachedBySource: counter('prompt_tokens_cached_by_source', 'Those by tier.', 'source', ...tiers),
    generation: counter('generation_tokens', 'Output tokens.'),
    success: counter('request_success', 'Requests by their end.', 'finished_reason', ...ends),
    rejections: new Counter(
      'vllm:admission_rejections',
      'Requests refused by a limit of the queue.',
      { label: 'reason', values: limits },
      ['engine'],
    ),
  };
}
