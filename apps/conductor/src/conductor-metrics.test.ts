import { sampleBeat } from '@baton/cluster';
import { createCore } from '@baton/core';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { conductorMetrics, metricsRoute, timedMatch } from './conductor-metrics.ts';

test('/metrics has every number of the index, by tier and by worker', async () => {
  const core = createCore({
    instanceId: 'c',
    aroundMatch: (match) => timedMatch(metrics, match),
  });
  const intake = { waiting: 3, unqueued: 4 };
  const metrics = conductorMetrics({ index: () => core.view.index(), intake: () => intake });
  const app = Fastify();
  metricsRoute(app, metrics);
  const counters = { unresolvedBlocks: 5, eventGaps: 6 };
  const beat = sampleBeat({ workerId: 'w1' }, { counters });
  core.step({ type: 'beat', beat }, 0);
  const ops = [2, 4].map((tier) => ({
    ...{ kind: 'store' as const, tier, rank: 0 },
    keys: new Uint8Array(32).map((_, i) => i),
  }));
  const delta = { workerId: 'w1', epoch: beat.epoch, seq: 1, ops };
  core.step({ type: 'delta', delta }, 1);
  core.step({ type: 'delta', delta: { ...delta, seq: 9 } }, 1);
  core.step({ type: 'tick' }, 2);
  const request = {
    ...{ requestId: 'r', model: 'tiny', promptTokens: 64, maxOutputTokens: 1 },
    ...{ segmentKeys: new Uint8Array(16), excludeWorkers: [], traceparent: '' },
  };
  core.step({ type: 'plan', sessionId: 's', request }, 3);

  const answer = await app.inject('/metrics');
  expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  const lines = answer.body.split('\n');
  for (const line of [
    'baton_index_segments 2',
    'baton_index_replicas{baton_tier="dram"} 2',
    'baton_index_replicas{baton_tier="host"} 2',
    'baton_index_replicas{baton_tier="hbm"} 0',
    'baton_index_replica_limit 5000000',
    'baton_index_evicted_replicas_total 0',
    'baton_index_waiting_inputs 3',
    'baton_index_unqueued_inputs_total 4',
    'baton_index_match_duration_count 1',
    'baton_index_unresolved_blocks{baton_worker="w1"} 5',
    'baton_index_event_gaps_total{baton_worker="w1"} 6',
    'baton_index_gaps_total{baton_worker="w1"} 1',
    'baton_index_synced{baton_worker="w1"} 0',
    'baton_index_resyncs_total{baton_worker="w1",baton_resync_cause="gap"} 1',
  ]) {
    expect(lines).toContain(line);
  }
  // Every metric of the catalogue has a value.
  const named = lines.filter((line) => line.startsWith('# TYPE')).map((line) => line.split(' ')[2]);
  expect(named.filter((name) => !lines.some((line) => line.startsWith(name ?? '')))).toEqual([]);
  expect(new Set(named).size).toBe(named.length);
  await app.close();
});
