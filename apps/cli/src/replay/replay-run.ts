import {
  a800,
  dynamo,
  nobodyHangsUp,
  rackLinks,
  simulate,
  simulationMetrics,
  TRACE_BLOCK_TOKENS,
} from '@baton/sim';
import type { EngineCost, SimulationMetrics, SimulationOptions, TraceRequest } from '@baton/sim';
import { readCostFile } from './cost-file.ts';
import { blockTokensOf } from './read-trace.ts';
import type { ReplayRun, ReplaySetup } from './replay-plan.ts';
import { sourceName } from './replay-source.ts';

/** Points of the curve of TTFTs that the report draws. */
const CURVE_POINTS = 200;

/** What one run gave. */
export interface ReplayRow extends SimulationMetrics {
  /** Name of the trace's file, or of the generated workload. */
  workload: string;
  policy: string;
  queue: string;
  pulls: boolean;
  /** TTFT at equal steps of the share of all requests, ms; refused ones are at the end, as null. */
  ttftCurveMs: (number | null)[];
  /** Of its thread. */
  cpuMs: number;
}

/** Of Mooncake's papers; counted by where nothing else is promised. */
const USUAL_TTFT_SLO_MS = 30_000;
/** Of a link where nothing is said, and of one between racks. */
export const LINK_BYTES_PER_SEC = 100e9;
export const BETWEEN_BYTES_PER_SEC = 10e9;
const HBM_BLOCKS = { a800: 5859, dynamo: 2048 } as const;

/** Runs one policy over the requests in virtual time. @throws BatonError config_invalid for the cost model */
export function runReplay(
  setup: ReplaySetup,
  run: ReplayRun,
  requests: readonly [TraceRequest, ...TraceRequest[]],
  onProgress: (done: number) => void,
): ReplayRow {
  const cost = costModel(setup.costModel);
  const { fleet, speed, seed, sloTtftMs, sloTbtMs } = setup;
  const blockTokens = blockTokensOf(requests[0]);
  const room = roomOf(setup, blockTokens);
  const began = process.threadCpuUsage();
  const result = simulate(
    {
      ...{ fleet, cost, ...room, blockTokens, speed, seed, onProgress },
      linkBytesPerSec: linkRate(setup),
      ...(setup.kvBytesPerToken !== undefined && { kvBytesPerToken: setup.kvBytesPerToken }),
      core: {
        ...run.selection,
        ...{ queue: run.queue, seed },
        slo: {
          ttftBaseMs: sloTtftMs ?? Infinity,
          ttftPerTokenMs: 0,
          tbtMs: sloTbtMs ?? Infinity,
        },
        ...nobodyHangsUp,
        ...(setup.racks > 1 && { linkBytesPerSec: expectedLink(setup) }),
      },
    },
    requests,
  );
  const { user, system } = process.threadCpuUsage(began);
  const slos = { ttftMs: sloTtftMs ?? USUAL_TTFT_SLO_MS, tbtMs: sloTbtMs };
  const { policy, queue, pulls } = run;
  return {
    workload: sourceName(setup.source),
    ...{ policy, queue, pulls },
    ...simulationMetrics(result, slos, blockTokens),
    ttftCurveMs: ttftCurve(result.requests.map(({ ttftMs }) => ttftMs)),
    cpuMs: Math.round((user + system) / 1000),
  };
}

/** One rate for all, or that of each pair. Pairs are found out by the conductor as it moves KV. */
function linkRate(setup: ReplaySetup): NonNullable<SimulationOptions['linkBytesPerSec']> {
  const { fleet, racks, linkBytesPerSec: within = LINK_BYTES_PER_SEC } = setup;
  if (racks === 1) return within;
  const between = setup.linkBetweenBytesPerSec ?? BETWEEN_BYTES_PER_SEC;
  return rackLinks(fleet, racks, { withinBytesPerSec: within, betweenBytesPerSec: between });
}

/** Of links that differ the conductor is told what the fast ones carry, as a number. */
function expectedLink({ linkBytesPerSec = LINK_BYTES_PER_SEC }: ReplaySetup): number {
  return Math.min(linkBytesPerSec, Number.MAX_SAFE_INTEGER);
}

/** Blocks of HBM where none are given. */
export function usualHbmBlocks(costModelName: string): number {
  return costModelName === 'dynamo' ? HBM_BLOCKS.dynamo : HBM_BLOCKS.a800;
}

/** The flags count in blocks of Mooncake's size, the trace may have others. */
function roomOf(
  { hbmBlocks, dramBlocks, ssdBlocks, costModel: name }: ReplaySetup,
  blockTokens: number,
): { hbmBlocks: number; dramBlocks: number; ssdBlocks: number } {
  const inTrace = (blocks: number): number =>
    Math.floor((blocks * TRACE_BLOCK_TOKENS) / blockTokens);
  return {
    hbmBlocks: Math.max(1, inTrace(hbmBlocks ?? usualHbmBlocks(name))),
    dramBlocks: inTrace(dramBlocks),
    ssdBlocks: inTrace(ssdBlocks),
  };
}

export function costModel(name: string): EngineCost {
  if (name === 'a800') return a800();
  return name === 'dynamo' ? dynamo : readCostFile(name);
}

function ttftCurve(ttfts: readonly (number | undefined)[]): (number | null)[] {
  const sorted = ttfts.map((time) => time ?? Infinity).sort((a, b) => a - b);
  return Array.from({ length: CURVE_POINTS + 1 }, (_, i) => {
    const at = Math.round((i / CURVE_POINTS) * (sorted.length - 1));
    const time = sorted[at] ?? Infinity;
    return Number.isFinite(time) ? Math.round(time * 10) / 10 : null;
  });
}
