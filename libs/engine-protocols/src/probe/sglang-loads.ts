import { asObject, countAt } from '../json-fields.ts';
import type { RankMetrics } from './engine-metrics.ts';
import { readSamples } from './prometheus-text.ts';

/** Load of one data-parallel rank. */
export interface SglangLoad extends Pick<RankMetrics, 'running' | 'waiting'> {
  /** Of requests that run; what is only cached is none of it. */
  usedTokens: number;
}

const names = {
  running: 'sglang:num_running_reqs',
  waiting: 'sglang:num_queue_reqs',
  used: 'sglang:num_used_tokens',
} as const;
const wanted: ReadonlySet<string> = new Set(Object.values(names));

/**
 * Load of each rank by its number, from `GET /v1/loads?include=core`, or the list of `GET /get_load` that older servers
 * have (SGLang 30cb848d4, python/sglang/srt/entrypoints/v1_loads.py and managers/load_snapshot.py). Undefined for another
 * answer.
 */
export function readSglangLoads(answer: unknown): SglangLoad[] | undefined {
  const list = asObject(answer)?.['loads'] ?? answer;
  if (!Array.isArray(list) || list.length === 0) return undefined;
  const loads: { rank: number; load: SglangLoad }[] = [];
  for (const [at, entry] of list.entries()) {
    const fields = asObject(entry);
    const waiting = countAt(fields, 'num_waiting_reqs');
    if (waiting === undefined) return undefined;
    const all = countAt(fields, 'num_reqs') ?? waiting;
    const running = countAt(fields, 'num_running_reqs') ?? Math.max(0, all - waiting);
    const usedTokens = countAt(fields, 'num_used_tokens') ?? countAt(fields, 'num_tokens') ?? 0;
    loads.push({ rank: countAt(fields, 'dp_rank') ?? at, load: { running, waiting, usedTokens } });
  }
  return loads.sort((a, b) => a.rank - b.rank).map(({ load }) => load);
}

/**
 * The same from `GET /metrics`, which servers have that were started with --enable-metrics. Undefined for a page without
 * it. Of the ranks of tensor and pipeline parallelism that tell of one data-parallel rank any one will do.
 */
export function readSglangMetrics(page: string): SglangLoad[] | undefined {
  const samples = readSamples(page, wanted);
  if (!samples.has(names.running) || !samples.has(names.waiting)) return undefined;
  const byRank = new Map<number, SglangLoad>();
  const take = (name: string, field: keyof SglangLoad): void => {
    for (const { labels, value } of samples.get(name) ?? []) {
      const rank = Number(labels['dp_rank'] ?? 0);
      const load = byRank.get(rank) ?? { running: 0, waiting: 0, usedTokens: 0 };
      if (Number.isFinite(value)) load[field] = Math.max(load[field], value);
      byRank.set(rank, load);
    }
  };
  take(names.running, 'running');
  take(names.waiting, 'waiting');
  take(names.used, 'usedTokens');
  return [...byRank].sort(([a], [b]) => a - b).map(([, load]) => load);
}
