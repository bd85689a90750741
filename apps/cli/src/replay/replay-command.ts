import { writeFileSync } from 'node:fs';
import { BatonError } from '@baton/kv';
import { poolHitRatio, type TraceRequest } from '@baton/sim';
import type { Paint } from '../render/terminal-text.ts';
import { readTrace } from './read-trace.ts';
import type { ReplayRun, ReplaySetup } from './replay-plan.ts';
import { replayJson, writeReport, type ReplaySummary, type TraceSummary } from './replay-report.ts';
import { costModel } from './replay-run.ts';
import { replayTable } from './replay-table.ts';
import { runThreads } from './run-threads.ts';

export interface ReplayOutput {
  paint: Paint;
  print: (line: string) => void;
  /** Rewritten in place; empty at the end. Undefined where nobody looks. */
  showProgress: ((text: string) => void) | undefined;
  /** Files to write; undefined for none. */
  jsonFile: string | undefined;
  reportFolder: string | undefined;
  /** The command line, for the report. */
  command: string;
}

const BAR_CELLS = 30;

/** Replays a trace by each policy and prints what came of it. @throws BatonError config_invalid */
export async function runReplayCommand(
  setup: ReplaySetup,
  runs: readonly ReplayRun[],
  poolBlocks: readonly number[],
  output: ReplayOutput,
): Promise<void> {
  const { paint, print, showProgress } = output;
  const requests = readTrace(setup.traceFile);
  const cost = costModel(setup.costModel);
  const trace = traceSummary(setup, requests, poolBlocks);
  for (const line of traceLines(trace)) print(line);
  const total = requests.length * runs.length;
  const began = performance.now();
  const rows = await runThreads(setup, runs, (settled) => {
    const share = settled / total;
    const filled = Math.round(share * BAR_CELLS);
    const bar = '█'.repeat(filled) + '░'.repeat(BAR_CELLS - filled);
    const what = runs.length === 1 ? '1 run' : `${runs.length} runs`;
    showProgress?.(`${bar} ${Math.floor(share * 100)} %  ${what}`);
  });
  showProgress?.('');
  print('');
  for (const line of replayTable(rows, paint)) print(line);
  print('');
  const tookSec = (performance.now() - began) / 1000;
  print(paint.dim(`${runs.length} × ${requests.length} requests, ${tookSec.toFixed(1)} s`));
  if (output.jsonFile !== undefined) write(output.jsonFile, replayJson(rows));
  if (output.reportFolder === undefined) return;
  const settings: ReplaySummary['settings'] = [
    ['engine', cost.name],
    ['fleet', fleetText(setup)],
    ['arrivals', `${setup.speed} times as fast as the trace`],
  ];
  const page = writeReport(output.reportFolder, { command: output.command, trace, settings }, rows);
  print(`report: ${page}`);
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new BatonError('config_invalid', `--json ${file} cannot be written (${code}).`, {
      cause: error,
    });
  }
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
