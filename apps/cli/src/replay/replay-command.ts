import { poolHitRatio, type EngineCost, type TraceRequest } from '@baton/sim';
import { formatBytes, formatCount, formatMs, formatRate } from '../render/quantities.ts';
import type { Paint } from '../render/terminal-text.ts';
import { requireFolder, requireWritable, writeOutput } from './output-files.ts';
import { readTrace } from './read-trace.ts';
import type { ReplayRun, ReplaySetup } from './replay-plan.ts';
import { replayProgress, type ProgressOutput } from './replay-progress.ts';
import { replayJson, writeReport, type ReplaySummary, type TraceSummary } from './replay-report.ts';
import { costModel, usualHbmBlocks } from './replay-run.ts';
import { replayTable } from './replay-table.ts';
import { runThreads } from './run-threads.ts';

export interface ReplayOutput {
  paint: Paint;
  print: (line: string) => void;
  progress: ProgressOutput;
  /** Of the terminal; undefined where there is none. */
  columns: number | undefined;
  /** Files to write; undefined for none. */
  jsonFile: string | undefined;
  reportFolder: string | undefined;
  /** The command line, for the report. */
  command: string;
}

/** Replays a trace by each policy and prints what came of it. @throws BatonError config_invalid */
export async function runReplayCommand(
  setup: ReplaySetup,
  runs: readonly ReplayRun[],
  poolBlocks: readonly number[],
  output: ReplayOutput,
): Promise<void> {
  const { paint, print, columns, jsonFile, reportFolder } = output;
  const requests = readTrace(setup.traceFile);
  const cost = costModel(setup.costModel);
  // A run takes minutes: what would fail at its end fails now.
  if (jsonFile !== undefined) requireWritable('--json', jsonFile);
  if (reportFolder !== undefined) requireFolder('--report', reportFolder);
  const trace = traceSummary(setup, requests, poolBlocks);
  for (const line of traceLines(trace)) print(line);
  const began = performance.now();
  const progress = replayProgress(runs.length, requests.length, output.progress);
  const rows = await runThreads(setup, runs, progress.show).finally(progress.end);
  print('');
  for (const line of replayTable(rows, paint, columns)) print(line);
  print('');
  const tookSec = (performance.now() - began) / 1000;
  print(paint.dim(`${runs.length} × ${requests.length} requests, ${tookSec.toFixed(1)} s`));
  if (jsonFile !== undefined) writeOutput('--json', jsonFile, replayJson(rows));
  if (reportFolder === undefined) return;
  const settings = settingsOf(setup, cost);
  const page = writeReport(reportFolder, { command: output.command, trace, settings }, rows);
  print(`report: ${page}`);
}

function settingsOf(setup: ReplaySetup, cost: EngineCost): ReplaySummary['settings'] {
  const { hbmBlocks = usualHbmBlocks(setup.costModel), dramBlocks, ssdBlocks, speed } = setup;
  const { linkBytesPerSec = 100e9, kvBytesPerToken = cost.kvBytesPerToken } = setup;
  const tiers = [`${formatCount(hbmBlocks)} blocks of HBM`];
  if (dramBlocks > 0) tiers.push(`${formatCount(dramBlocks)} of DRAM`);
  if (ssdBlocks > 0) tiers.push(`${formatCount(ssdBlocks)} of SSD`);
  const slos = [
    ...(setup.sloTtftMs === undefined ? [] : [`first token within ${formatMs(setup.sloTtftMs)}`]),
    ...(setup.sloTbtMs === undefined ? [] : [`tokens within ${formatMs(setup.sloTbtMs)}`]),
  ];
  return [
    ['arrivals', speed === 1 ? 'as in the trace' : `${speed} times as fast as the trace`],
    ['fleet', fleetText(setup)],
    ['engine', `${cost.name}, ${formatBytes(kvBytesPerToken)} of KV for each token`],
    ['KV cache of each worker', `${tiers.join(', ')} (512 tokens a block)`],
    ['links', Number.isFinite(linkBytesPerSec) ? formatRate(linkBytesPerSec) : 'free'],
    ['objectives', slos.length === 0 ? 'none: nobody is refused' : slos.join(', ')],
    ['seed', String(setup.seed)],
  ];
}

function traceSummary(
  { traceFile, speed }: ReplaySetup,
  requests: readonly TraceRequest[],
  poolBlocks: readonly number[],
): TraceSummary {
  const sum = (of: (request: TraceRequest) => number): number =>
    requests.reduce((total, request) => total + of(request), 0);
  return {
    file: traceFile,
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

function traceLines({
  requests,
  durationMs,
  promptTokens,
  outputTokens,
  pools,
}: TraceSummary): string[] {
  const mean = (tokens: number): string => (tokens / requests).toFixed(0);
  const lines = [
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
