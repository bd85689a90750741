import { expect, test } from 'vitest';
import { readSglangLoads, readSglangMetrics } from './sglang-loads.ts';

test('load of each rank, in the form of today and in that of before', () => {
  const loads = [
    { dp_rank: 1, num_running_reqs: 2, num_waiting_reqs: 0, num_used_tokens: 100 },
    { dp_rank: 0, num_running_reqs: 3, num_waiting_reqs: 1, num_used_tokens: 500 },
  ];
  expect(readSglangLoads({ timestamp: 'now', loads })).toEqual([
    { running: 3, waiting: 1, usedTokens: 500 },
    { running: 2, waiting: 0, usedTokens: 100 },
  ]);
  const old = [{ num_reqs: 4, num_waiting_reqs: 1, num_tokens: 70 }];
  expect(readSglangLoads(old)).toEqual([{ running: 3, waiting: 1, usedTokens: 70 }]);
  for (const nonsense of [null, {}, [], { loads: [] }, [{ num_reqs: 1 }], { loads: [7] }]) {
    expect(readSglangLoads(nonsense)).toBeUndefined();
  }
});

test('load of each rank from its page of metrics', () => {
  const page = [
    '# TYPE sglang:num_running_reqs gauge',
    'sglang:num_running_reqs{dp_rank="1",tp_rank="1",model_name="m"} 4.0',
    'sglang:num_running_reqs{dp_rank="0",tp_rank="0",model_name="m"} 2.0',
    'sglang:num_running_reqs{dp_rank="0",tp_rank="1",model_name="m"} 2.0',
    'sglang:num_running_reqs_offline_batch{dp_rank="0"} 9.0',
    'sglang:num_queue_reqs{dp_rank="0",tp_rank="0",model_name="m"} 1.0',
    'sglang:num_used_tokens{dp_rank="1",tp_rank="1",model_name="m"} 640.0',
  ].join('\n');
  expect(readSglangMetrics(page)).toEqual([
    { running: 2, waiting: 1, usedTokens: 0 },
    { running: 4, waiting: 0, usedTokens: 640 },
  ]);
  const single = 'sglang:num_running_reqs{tp_rank="0"} 3\nsglang:num_queue_reqs{tp_rank="0"} 0\n';
  expect(readSglangMetrics(single)).toEqual([{ running: 3, waiting: 0, usedTokens: 0 }]);
  for (const other of ['', 'vllm:num_requests_running 1', 'sglang:num_running_reqs 1']) {
    expect(readSglangMetrics(other)).toBeUndefined();
  }
});
