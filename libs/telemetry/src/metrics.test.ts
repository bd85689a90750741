import { expect, test } from 'vitest';
import { createMetrics } from './metrics.ts';

test('a scrape says what the process says of itself now, with the names of the catalogue', async () => {
  let replicas = 5;
  let asked = 0;
  const metrics = createMetrics({
    process: 'conductor',
    observe: (report) => {
      asked += 1;
      report('indexReplicas', replicas, { tier: 'hbm' });
      report('indexReplicas', 1, { tier: 'dram' });
      report('indexGaps', 7, { worker: 'a"b\n' });
      report('indexResyncs', 2, { worker: 'w1', resyncCause: 'gap' });
    },
  });
  metrics.record('indexMatchDuration', 0.5);
  expect(asked).toBe(0);
  const first = await metrics.scrape();
  expect(first).toContain('# HELP baton_index_replicas Replicas of segments in each tier.\n');
  expect(first).toMatch(/^baton_index_replicas\{baton_tier="hbm"\} 5$/m);
  expect(first).toMatch(/^baton_index_replicas\{baton_tier="dram"\} 1$/m);
  expect(first).toMatch(/^baton_index_gaps_total\{baton_worker="a\\"b\\n"\} 7$/m);
  expect(first).toMatch(
    /^baton_index_resyncs_total\{baton_worker="w1",baton_resync_cause="gap"\} 2$/m,
  );
  expect(first).toMatch(/^baton_index_match_duration_count 1$/m);
  replicas = 6;
  metrics.record('indexMatchDuration', 3e-5);
  const second = await metrics.scrape();
  expect(second).toMatch(/^baton_index_replicas\{baton_tier="hbm"\} 6$/m);
  expect(second).toMatch(/^baton_index_match_duration_bucket\{le="0.00005"\} 1$/m);
  expect(second).toMatch(/^baton_index_match_duration_bucket\{le="0.00002"\} 0$/m);
  expect(second).toMatch(/^baton_index_match_duration_bucket\{le="\+Inf"\} 2$/m);
});

test('a worker that is gone is no longer in it, and a thousand workers fit', async () => {
  let workers = Array.from({ length: 1024 }, (_, i) => `w${i}`);
  const causes = ['joined', 'gap', 'mismatch', 'overflow', 'failed', 'evicted'];
  const metrics = createMetrics({
    process: 'conductor',
    observe: (report) => {
      for (const worker of workers) {
        for (const resyncCause of causes) report('indexResyncs', 1, { worker, resyncCause });
      }
    },
  });
  const lines = async (): Promise<string[]> =>
    (await metrics.scrape()).split('\n').filter((line) => /^baton_index_resyncs/.test(line));
  expect(await lines()).toHaveLength(6 * 1024);
  workers = ['w1'];
  expect(await lines()).toHaveLength(6);
});
