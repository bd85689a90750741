import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { rankwise } from './engine-metrics.ts';
import { readSamples } from './prometheus-text.ts';
import { readAdapters, readEventSources, readModels, readVersion } from './vllm-answers.ts';
import { readVllmMetrics } from './vllm-metrics.ts';

const fixture = (name: string): string =>
  readFileSync(new URL(`../../../../test/fixtures/vllm-0.32.0/${name}`, import.meta.url), 'utf8');

test('what a real vLLM says of itself', () => {
  expect(readVllmMetrics(fixture('metrics.txt'))).toEqual({
    startedAtSec: 1795972858.04,
    ranks: [{ running: 0, waiting: 0, kvUsage: 0 }],
    cache: { blockTokens: 32, blocks: 64, prefixCaching: true },
    nixl: undefined,
    promptTokens: { computed: 3_121, reused: 192, received: 0 },
  });
  expect(readEventSources(JSON.parse(fixture('kv-event-sources.json')))).toEqual([
    { endpoint: 'tcp://*:9657', replayEndpoint: 'tcp://*:9658', topic: '' },
  ]);
});

test('what a decode side has read by NixlConnector', () => {
  const { nixl, promptTokens } = readVllmMetrics(fixture('metrics-nixl.txt'));
  expect(nixl).toEqual({
    ...{ transfers: 4, failedTransfers: 0, bytes: 1_310_720 },
    seconds: 0.06632600000000001,
  });
  expect(promptTokens).toEqual({ computed: 0, reused: 0, received: 0 });
});

test('what a real vLLM with two data-parallel ranks says of itself', () => {
  const metrics = readVllmMetrics(fixture('data-parallel/metrics.txt'));
  expect(metrics.ranks).toEqual(Array(2).fill({ running: 0, waiting: 0, kvUsage: 0 }));
  const sources = readEventSources(JSON.parse(fixture('data-parallel/kv_event_sources.json')));
  expect(sources?.map(({ endpoint }) => endpoint)).toEqual(['tcp://*:19811', 'tcp://*:19812']);
});

test('of several ranks each, and together: their requests and blocks added, their usage averaged', () => {
  const lines = [0, 1].flatMap((engine) => [
    `vllm:num_requests_running{engine="${engine}",model_name="m"} ${engine + 2}.0`,
    `vllm:num_requests_waiting{engine="${engine}"} 1`,
    `vllm:kv_cache_usage_perc{engine="${engine}"} ${engine * 0.5}`,
    `vllm:cache_config_info{block_size="16",enable_prefix_caching="False",engine="${engine}",num_gpu_blocks="100"} 1.0`,
    `vllm:nixl_bytes_transferred_count{engine="${engine}"} 2`,
    `vllm:nixl_bytes_transferred_sum{engine="${engine}"} 1e6`,
    `vllm:prompt_tokens_by_source_total{engine="${engine}",source="local_compute"} 5`,
  ]);
  const metrics = readVllmMetrics(lines.join('\n'));
  expect(metrics).toEqual({
    startedAtSec: 0,
    ranks: [
      { running: 2, waiting: 1, kvUsage: 0 },
      { running: 3, waiting: 1, kvUsage: 0.5 },
    ],
    cache: { blockTokens: 16, blocks: 100, prefixCaching: false },
    nixl: { transfers: 4, failedTransfers: 0, bytes: 2e6, seconds: 0 },
    promptTokens: { computed: 10, reused: 0, received: 0 },
  });
  expect(rankwise(metrics, 1)).toEqual({
    ...metrics,
    ranks: [{ running: 5, waiting: 2, kvUsage: 0.25 }],
    cache: { blockTokens: 16, blocks: 200, prefixCaching: false },
  });
});

test.each([
  ['', undefined],
  ['vllm:cache_config_info{block_size="None",num_gpu_blocks="64"} 1.0', undefined],
  ['vllm:cache_config_info{block_size="16",num_gpu_blocks="None"} 1.0', undefined],
  ['vllm:num_requests_running NaN\nvllm:kv_cache_usage_perc -1', undefined],
])('a page that says little: %j', (text, cache) => {
  expect(readVllmMetrics(text)).toMatchObject({
    ranks: [{ running: 0, waiting: 0, kvUsage: 0 }],
    cache,
  });
});

test('labels may have quotes, commas, braces and line breaks in them', () => {
  const text = '# TYPE a gauge\na{b="x\\"},{\\n\\\\",c=""} 1e3 1700000000\nab 2\nnonsense\n';
  expect([...readSamples(text, new Set(['a']))]).toEqual([
    ['a', [{ labels: { b: 'x"},{\n\\', c: '' }, value: 1_000 }]],
  ]);
});

test('models are those that are no adapters', () => {
  const data = [
    { id: 'tiny', root: '/models/tiny', parent: null, max_model_len: 1024 },
    { id: 'adapter', root: 'x', parent: 'tiny' },
    { id: 'other' },
  ];
  expect(readModels({ object: 'list', data })).toEqual([
    { id: 'tiny', root: '/models/tiny', maxModelTokens: 1024 },
    { id: 'other', root: 'other', maxModelTokens: 0 },
  ]);
  expect(readAdapters({ data })).toEqual([{ name: 'adapter', revision: 'x' }]);
  const long = { id: 'a'.repeat(513), root: 'x', parent: 'tiny' };
  expect(readAdapters({ data: [long, { id: 'b', parent: 'tiny' }] })).toEqual([
    { name: 'b', revision: '' },
  ]);
  expect([readAdapters(null), readAdapters({ data: 1 })]).toEqual([undefined, undefined]);
  for (const nonsense of [null, [], {}, { data: 1 }, { data: [{}] }, { data: [{ id: '' }] }]) {
    expect(readModels(nonsense)).toBeUndefined();
  }
});

test('of what its adapters did, the last thing counts', () => {
  const lines = [
    'vllm:lora_requests_info{max_lora="2",running_lora_adapters="a",waiting_lora_adapters=""} 1.7e+09',
    'vllm:lora_requests_info{max_lora="2",running_lora_adapters="b,c",waiting_lora_adapters="b,d"} 1.8e+09',
  ];
  const { adapters } = readVllmMetrics(lines.join('\n'));
  expect(adapters).toEqual({ slots: 2, used: ['b', 'c', 'd'], atSec: 1.8e9 });
  const bare = readVllmMetrics('vllm:lora_requests_info{max_lora="x"} NaN');
  expect(bare.adapters).toEqual({ slots: 0, used: [], atSec: 0 });
  expect(readVllmMetrics('').adapters).toBeUndefined();
});

test('events count only where they come by ZMQ', () => {
  const source = { enable_kv_cache_events: true, publisher: 'zmq', endpoint: 'tcp://*:1' };
  expect(readEventSources({ 0: source, 1: { ...source, endpoint: 'tcp://*:2' } })).toEqual([
    { endpoint: 'tcp://*:1', replayEndpoint: '', topic: '' },
    { endpoint: 'tcp://*:2', replayEndpoint: '', topic: '' },
  ]);
  expect(readEventSources({})).toEqual([]);
  expect(readEventSources({ 0: { ...source, publisher: 'null' } })).toEqual([]);
  expect(readEventSources({ 0: { ...source, enable_kv_cache_events: false } })).toEqual([]);
  for (const nonsense of [null, [], { 1: source }, { 0: { ...source, endpoint: 1 } }]) {
    expect(readEventSources(nonsense)).toBeUndefined();
  }
  expect(readVersion({ version: '0.32.0' })).toBe('0.32.0');
  expect([readVersion({}), readVersion({ version: 1 }), readVersion('x')]).toEqual(
    Array(3).fill(undefined),
  );
});

test('a line that is longer than any sample is passed over, and takes no time', () => {
  const name = 'vllm:num_requests_running';
  const text = `${name}{${'a'.repeat(400_000)}} 1\n${name}{engine="0"} 2\n`;
  expect(readVllmMetrics(text).ranks).toMatchObject([{ running: 2 }]);
});

test('a label that is no number of a rank makes no ranks', () => {
  const lines = ['1e9', '-1', 'x', ''].map(
    (rank) => `vllm:num_requests_running{engine="${rank}"} 1`,
  );
  expect(readVllmMetrics(lines.join('\n')).ranks).toHaveLength(1);
});
