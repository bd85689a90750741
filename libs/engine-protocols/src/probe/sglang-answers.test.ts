import { expect, test } from 'vitest';
import { readSglangServer } from './sglang-answers.ts';

const events = { publisher: 'zmq', endpoint: 'tcp://*:6557', replay_endpoint: 'tcp://*:6558' };
const info = {
  ...{ version: '0.5.16', model_path: '/models/tiny', served_model_name: 'tiny', page_size: 64 },
  ...{ context_length: 4_096, kv_cache_dtype: 'fp8_e4m3', max_total_num_tokens: 100_000 },
  ...{ tp_size: 4, pp_size: 2, dp_size: 2, disable_radix_cache: false, max_running_requests: 7 },
  internal_states: [{ effective_max_running_requests_per_dp: 48 }],
  kv_events_config: JSON.stringify({ ...events, topic: 'kv' }),
  disaggregation_mode: 'prefill',
  disaggregation_transfer_backend: 'nixl',
  disaggregation_bootstrap_port: 9_000,
  something: { else: [1] },
};

test('what a server says of how it was started', () => {
  expect(readSglangServer(info)).toEqual({
    ...{ version: '0.5.16', modelPath: '/models/tiny', kvDtype: 'fp8_e4m3', contextTokens: 4_096 },
    ...{ pageTokens: 64, kvTokens: 100_000, maxSequences: 96, dataParallelRanks: 2 },
    ...{ tensorRanks: 4, pipelineRanks: 2, side: 'prefill', transferBackend: 'nixl' },
    ...{ bootstrapPort: 9_000, cachesPrefixes: true, adapterSlots: undefined },
    events: { endpoint: 'tcp://*:6557', replayEndpoint: 'tcp://*:6558', topic: 'kv' },
  });
});

test('what is not said has SGLang’s default, or is not known', () => {
  const { version, model_path, page_size } = info;
  expect(readSglangServer({ version, model_path, page_size, disaggregation_mode: 'null' })).toEqual(
    {
      ...{ version: '0.5.16', modelPath: '/models/tiny', kvDtype: 'auto', contextTokens: 0 },
      ...{ pageTokens: 64, kvTokens: 0, maxSequences: undefined, dataParallelRanks: 1 },
      ...{ tensorRanks: 1, pipelineRanks: 1, side: undefined, transferBackend: '' },
      ...{ bootstrapPort: 8_998, cachesPrefixes: true, events: undefined },
      adapterSlots: undefined,
    },
  );
  const states = { internal_states: [] };
  expect(readSglangServer({ ...info, ...states })?.maxSequences).toBe(7);
  for (const port of [0, 70_000, '1']) {
    const other = readSglangServer({ ...info, disaggregation_bootstrap_port: port });
    expect(other?.bootstrapPort).toBe(8_998);
  }
});

test('a decode server keeps prefixes only when it is told to', () => {
  const decode = { ...info, disaggregation_mode: 'decode' };
  expect(readSglangServer(decode)?.cachesPrefixes).toBe(false);
  const told = { ...decode, disaggregation_decode_enable_radix_cache: true };
  expect(readSglangServer(told)?.cachesPrefixes).toBe(true);
  expect(readSglangServer({ ...told, disable_radix_cache: true })?.cachesPrefixes).toBe(false);
});

test.each([
  [null, undefined],
  ['not JSON', undefined],
  [JSON.stringify({ publisher: 'null' }), undefined],
  [events, { endpoint: 'tcp://*:6557', replayEndpoint: 'tcp://*:6558', topic: '' }],
  ['{"publisher":"zmq"}', { endpoint: 'tcp://*:5557', replayEndpoint: '', topic: '' }],
])('events from %j', (config, expected) => {
  expect(readSglangServer({ ...info, kv_events_config: config })?.events).toEqual(expected);
});

test.each([null, [], 'x', {}, { ...info, page_size: 0 }, { ...info, version: 7 }])(
  '%j is no SGLang server',
  (answer) => expect(readSglangServer(answer)).toBeUndefined(),
);
