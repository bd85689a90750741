import { a800, dynamo, simulate, simulationMetrics, TRACE_BLOCK_TOKENS } from '@baton/sim';
import type { EngineCost, SimulationMetrics, TraceRequest } from '@baton/sim';
import { readCostFile } from './cost-file.ts';
import { blockTokensOf } from './read-trace.ts';
import type { ReplayRun, ReplaySetup } from './replay-plan.ts';

/** Points of the curve of TTFTs that the report draws. */
const CURVE_POINTS = 200;

/** What one run gave. */
export interface ReplayRow extends SimulationMetrics {
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
const HBM_BLOCKS = { a800: 5859, dynamo: 2048 } as const;

/** Runs one policy over the trace in virtual time. @throws BatonError config_invalid for the cost model */
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
      ...(setup.linkBytesPerSec !== undefined && { linkBytesPerSec: setup.linkBytesPerSec }),
      ...(setup.kvBytesPerToken !== undefined && { kvBytesPerToken: setup.kvBytesPerToken }),
      core: {
        ...run.selection,
        ...{ queue: run.queue, seed },
        slo: { ttftBaseMs: sloTtftMs ?? Infinity, ttftPerTokenMs: 0 },
        // Nobody hangs up: whoever is not served in time shows in the figures.
        ...{ maxWaitMs: 1e12, maxWaiting: 1e7, maxLivePlans: 1e7, keptPlans: 1 },
      },
    },
    requests,
  );
  const { user, system } = process.threadCpuUsage(began);
  const slos = { ttftMs: sloTtftMs ?? USUAL_TTFT_SLO_MS, tbtMs: sloTbtMs };
  const { policy, queue, pulls } = run;
  return {
    ...{ policy, queue, pulls },
    ...simulationMetrics(result, slos, blockTokens),
    ttftCurveMs: ttftCurve(result.requests.map(({ ttftMs }) => ttftMs)),
    cpuMs: Math.round((user + system) / 1000),
  };
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
