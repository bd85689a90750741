import { poolHitRatio, type EngineCost, type TraceRequest } from '@baton/sim';
import { formatBytes, formatCount, formatMs, formatRate } from '../render/quantities.ts';
import type { ReplaySetup } from './replay-plan.ts';
import type { ReplaySection, TraceSummary } from './replay-report.ts';
import { BETWEEN_BYTES_PER_SEC, LINK_BYTES_PER_SEC, usualHbmBlocks } from './replay-run.ts';

/** Everything that a replay's figures depend on, in words. */
export function settingsOf(setup: ReplaySetup, cost: EngineCost): ReplaySection['settings'] {
  const { hbmBlocks = usualHbmBlocks(setup.costModel), dramBlocks, ssdBlocks, speed } = setup;
  const { kvBytesPerToken = cost.kvBytesPerToken } = setup;
  const tiers = [`${formatCount(hbmBlocks)} blocks of HBM`];
  if (dramBlocks > 0) tiers.push(`${formatCount(dramBlocks)} of DRAM`);
  if (ssdBlocks > 0) tiers.push(`${formatCount(ssdBlocks)} of SSD`);
  const slos = [
    ...(setup.sloTtftMs === undefined ? [] : [`first token within ${formatMs(setup.sloTtftMs)}`]),
    ...(setup.sloTbtMs === undefined ? [] : [`tokens within ${formatMs(setup.sloTbtMs)}`]),
  ];
  return [
    ['arrivals', speed === 1 ? 'as they are' : `${speed} times as fast`],
    ['fleet', fleetText(setup)],
    ['engine', `${cost.name}, ${formatBytes(kvBytesPerToken)} of KV for each token`],
    ['KV cache of each worker', `${tiers.join(', ')} (512 tokens a block)`],
    ['links', linksText(setup)],
    ['objectives', slos.length === 0 ? 'none: nobody is refused' : slos.join(', ')],
    ['seed', String(setup.seed)],
  ];
}

/** @param poolBlocks sizes of LRU pools whose hit ratio is to be known beside that of one without limit */
export function traceSummary(
  { source, seed, speed }: ReplaySetup,
  requests: readonly TraceRequest[],
  poolBlocks: readonly number[],
): TraceSummary {
  const sum = (of: (request: TraceRequest) => number): number =>
    requests.reduce((total, request) => total + of(request), 0);
  return {
    source:
      source.kind === 'trace'
        ? source.file
        : `${source.name}, generated with seed ${seed} and ${source.requestsPerSec} requests/s`,
    requests: requests.length,
    durationMs: (requests.at(-1)?.atMs ?? 0) / speed,
    promptTokens: sum(({ promptTokens }) => promptTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    pools: [Infinity, ...poolBlocks].map((blocks) => ({
      blocks: blocks === Infinity ? 'all' : blocks,
      hitRatio: poolHitRatio(requests, blocks),
    })),
  };
}

export function traceLines({
  source,
  requests,
  durationMs,
  promptTokens,
  outputTokens,
  pools,
}: TraceSummary): string[] {
  const mean = (tokens: number): string => (tokens / requests).toFixed(0);
  const lines = [
    source,
    `${requests} requests in ${(durationMs / 1000).toFixed(0)} s, on average ${mean(promptTokens)} prompt and ${mean(outputTokens)} output tokens`,
  ];
  for (const { blocks, hitRatio } of pools) {
    const size = blocks === 'all' ? 'a cache without limit' : `one LRU pool of ${blocks} blocks`;
    lines.push(`blocks found again in ${size}: ${hitRatio.toFixed(4)}`);
  }
  return lines;
}

function fleetText({ fleet: { prefill = 0, decode = 0, aggregated = 0 } }: ReplaySetup): string {
  if (aggregated > 0) return `${aggregated} workers that do both`;
  return `${prefill} prefill and ${decode} decode workers`;
}

function linksText(setup: ReplaySetup): string {
  const { racks, linkBytesPerSec = LINK_BYTES_PER_SEC } = setup;
  const shown = (rate: number): string => (Number.isFinite(rate) ? formatRate(rate) : 'free');
  if (racks === 1) return shown(linkBytesPerSec);
  const between = setup.linkBetweenBytesPerSec ?? BETWEEN_BYTES_PER_SEC;
  return `${shown(linkBytesPerSec)} within each of ${racks} racks, ${shown(between)} between them`;
}
