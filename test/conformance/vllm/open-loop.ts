import { setTimeout as sleep } from 'node:timers/promises';
import { complete } from '@baton/test-kit';
import { loadOf } from '../../bench/fleet/load.ts';
import { quantile } from '../../bench/statistics.ts';
import { finding, type Check } from '../check.ts';
import type { VllmLab } from './lab.ts';
import { MODEL, type RealVllm } from './real-vllm.ts';

const LOAD = { requests: 200, requestsPerSec: 3, stems: 24, stemTokens: 640, restTokens: 100 };

/** Requests with shared beginnings at times of their own: by round robin to the engines, and through Baton. */
export const openLoop: Check<VllmLab> = {
  name: 'open-loop',
  describes: 'two equals under an open-loop load: round robin against kv-centric',
  async run({ equals, prefill, decode, say }) {
    const engines = [prefill, decode];
    const direct = await measured(engines, (i) => engines[i % engines.length]?.url ?? '', 1);
    say(`round robin: ${shown(direct)}`);
    const baton = await measured(engines, () => equals.url, 1);
    say(`kv-centric: ${shown(baton)}`);
    const failed = direct.failed + baton.failed;
    return [
      finding('open loop: requests that failed', failed === 0, String(failed)),
      finding(
        'open loop: prompt tokens computed, kv-centric against round robin',
        baton.computed < direct.computed,
        `${baton.computed} against ${direct.computed}`,
      ),
      finding(
        'open loop: time to the first token, mean and p95, kv-centric against round robin',
        baton.meanMs < direct.meanMs,
        `${shown(baton)} against ${shown(direct)}`,
      ),
    ];
  },
};

interface Measured {
  computed: number;
  meanMs: number;
  p95Ms: number;
  failed: number;
}

function shown({ meanMs, p95Ms }: Measured): string {
  return `${meanMs.toFixed(0)} and ${p95Ms.toFixed(0)} ms`;
}

/** The same load each time, from empty caches. */
async function measured(
  engines: readonly RealVllm[],
  urlOf: (request: number) => string,
  seed: number,
): Promise<Measured> {
  for (const engine of engines) await engine.resetCache();
  const before = await computedTokens(engines);
  const firstMs: number[] = [];
  let failed = 0;
  const startMs = performance.now();
  const open: Promise<void>[] = [];
  for (const [i, { atMs, prompt }] of loadOf({ ...LOAD, seed }).entries()) {
    await sleep(Math.max(0, startMs + atMs - performance.now()));
    const ids = prompt.map((id) => 10 + (id % 230));
    const body = { model: MODEL, prompt: ids, max_tokens: 8, ignore_eos: true, stream: true };
    open.push(
      complete(urlOf(i), body).then(
        ({ firstTokenMs }) => void firstMs.push(firstTokenMs),
        () => void (failed += 1),
      ),
    );
  }
  await Promise.all(open);
  const meanMs = firstMs.reduce((sum, ms) => sum + ms, 0) / firstMs.length;
  const computed = (await computedTokens(engines)) - before;
  return { computed, meanMs, p95Ms: quantile(firstMs, 0.95), failed };
}

async function computedTokens(engines: readonly RealVllm[]): Promise<number> {
  const counts = await Promise.all(
    engines.map(async (engine) => {
      const metrics = await engine.metrics();
      return metrics.get('prompt_tokens_by_source_total{source="local_compute"}') ?? 0;
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}
