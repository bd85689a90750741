import type { RequestRecord } from './request-record.ts';
import type { SimulationResult, WorkerResult } from './simulation-result.ts';

export interface Slos {
  ttftMs?: number | undefined;
  /** Of a request's tail TBT. */
  tbtMs?: number | undefined;
}

/** Figures of a simulation. Times are those of served requests; shares are of all, refused ones count as missed. */
export interface SimulationMetrics {
  requests: number;
  rejected: number;
  ttftMeanMs: number;
  ttftP50Ms: number;
  ttftP90Ms: number;
  ttftP99Ms: number;
  ttftMaxMs: number;
  /** Share of requests with their first token within 30 s. */
  within30s: number;
  /** Of each request's mean. */
  tbtMeanMs: number;
  /** Of each request's tail TBT. */
  tbtP99Ms: number;
  /** Share of prompt tokens whose request met the TTFT SLO. */
  tokensWithinSlo: number;
  /** Share of requests that met both SLOs. */
  requestsWithinSlo: number;
  /** Prompt tokens that were computed for requests which then missed an SLO. */
  wastedTokens: number;
  /** Prompt tokens of served requests that were not computed for them. */
  tokenHitRatio: number;
  /** The same for blocks, unfinished ones included. */
  blockHitRatio: number;
  bytesMoved: number;
  /** Busy time of the busiest worker that computes prompts, over their mean. */
  loadSpread: number;
}

const WITHIN_MS = 30_000;

/** @param blockTokens tokens of a block of the simulation */
export function simulationMetrics(
  { requests, workers }: SimulationResult,
  { ttftMs = Infinity, tbtMs = Infinity }: Slos,
  blockTokens: number,
): SimulationMetrics {
  const served = requests.filter(({ refused }) => refused === undefined);
  const ttfts = served.map((record) => record.ttftMs ?? Infinity).sort((a, b) => a - b);
  const tails = defined(served.map(({ tailTbtMs }) => tailTbtMs)).sort((a, b) => a - b);
  const inTime = served.filter((record) => (record.ttftMs ?? Infinity) <= ttftMs);
  const smooth = inTime.filter((record) => (record.tailTbtMs ?? 0) <= tbtMs);
  const prompt = ({ promptTokens }: RequestRecord): number => promptTokens;
  const reusedTokens = (record: RequestRecord): number =>
    record.promptTokens - record.computedTokens;
  const blocks = (record: RequestRecord): number => Math.ceil(record.promptTokens / blockTokens);
  return {
    requests: requests.length,
    rejected: requests.length - served.length,
    ttftMeanMs: mean(ttfts),
    ttftP50Ms: quantile(ttfts, 0.5),
    ttftP90Ms: quantile(ttfts, 0.9),
    ttftP99Ms: quantile(ttfts, 0.99),
    ttftMaxMs: ttfts.at(-1) ?? 0,
    within30s: ratio(ttfts.filter((time) => time <= WITHIN_MS).length, requests.length),
    tbtMeanMs: mean(defined(served.map(({ meanTbtMs }) => meanTbtMs))),
    tbtP99Ms: quantile(tails, 0.99),
    tokensWithinSlo: ratio(sum(inTime, prompt), sum(requests, prompt)),
    requestsWithinSlo: ratio(smooth.length, requests.length),
    wastedTokens:
      sum(requests, ({ computedTokens }) => computedTokens) -
      sum(smooth, ({ computedTokens }) => computedTokens),
    tokenHitRatio: ratio(sum(served, reusedTokens), sum(served, prompt)),
    blockHitRatio: ratio(
      sum(served, ({ reusedBlocks }) => reusedBlocks),
      sum(served, blocks),
    ),
    bytesMoved: sum(requests, ({ movedBytes }) => movedBytes),
    loadSpread: loadSpread(workers),
  };
}

/** Of sorted values: the smallest one that at least this share does not exceed; 0 when there are none. */
function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

function loadSpread(workers: readonly WorkerResult[]): number {
  const busy = workers.filter(({ role }) => role !== 'decode').map(({ busyMs }) => busyMs);
  return ratio(Math.max(0, ...busy), mean(busy));
}

function sum(records: readonly RequestRecord[], of: (record: RequestRecord) => number): number {
  return records.reduce((total, record) => total + of(record), 0);
}

function mean(values: readonly number[]): number {
  return ratio(
    values.reduce((total, value) => total + value, 0),
    values.length,
  );
}

/** 0 where there is nothing. */
function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

function defined(values: readonly (number | undefined)[]): number[] {
  return values.filter((value) => value !== undefined);
}
