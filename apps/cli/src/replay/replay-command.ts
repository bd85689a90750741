import type { Paint } from '../render/terminal-text.ts';
import { requireFolder, requireOther, requireWritable, writeOutput } from './output-files.ts';
import type { ReplayRun, ReplaySetup } from './replay-plan.ts';
import { replayProgress, type ProgressOutput } from './replay-progress.ts';
import { replayJson, reportFiles, writeReport, type ReplaySection } from './replay-report.ts';
import { costModel } from './replay-run.ts';
import { readSource, requireEnd } from './replay-source.ts';
import { settingsOf, traceLines, traceSummary } from './replay-summary.ts';
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

/**
 * Replays requests by each policy and prints what came of it.
 *
 * @param setups one for each source of requests
 * @throws BatonError config_invalid
 */
export async function runReplayCommand(
  setups: readonly ReplaySetup[],
  runs: readonly ReplayRun[],
  poolBlocks: readonly number[],
  output: ReplayOutput,
): Promise<void> {
  const { paint, print, columns, jsonFile, reportFolder } = output;
  const heads = setups.map((setup) => {
    const requests = readSource(setup.source, setup.seed);
    requireEnd(setup, requests);
    return {
      trace: traceSummary(setup, requests, poolBlocks),
      settings: settingsOf(setup, costModel(setup.costModel)),
      requests: setup.source.kind === 'trace' ? requests : undefined,
    };
  });
  // A run takes minutes: what would fail at its end fails now.
  requireOutputs(setups, jsonFile, reportFolder);
  for (const { trace } of heads) for (const line of traceLines(trace)) print(line);
  const began = performance.now();
  const tasks = setups.flatMap((setup, i) =>
    runs.map((run) => ({ setup, run, requests: heads[i]?.requests })),
  );
  // Generated workloads have as many requests each.
  const requests = heads[0]?.trace.requests ?? 0;
  const progress = replayProgress(tasks.length, requests, output.progress);
  const rows = await runThreads(tasks, progress.show).finally(progress.end);
  const sections = heads.map(({ trace, settings }, i): ReplaySection => {
    return { trace, settings, runs: rows.slice(i * runs.length, (i + 1) * runs.length) };
  });
  for (const section of sections) {
    print('');
    if (sections.length > 1) print(paint.bold(section.runs[0]?.workload ?? ''));
    for (const line of replayTable(section.runs, paint, columns)) print(line);
  }
  print('');
  const tookSec = (performance.now() - began) / 1000;
  print(paint.dim(`${tasks.length} × ${requests} requests, ${tookSec.toFixed(1)} s`));
  if (jsonFile !== undefined) writeOutput('--json', jsonFile, replayJson(rows));
  if (reportFolder === undefined) return;
  print(`report: ${writeReport(reportFolder, output.command, sections)}`);
}

/** @throws BatonError config_invalid that names the flag, the file and what stands in the way */
function requireOutputs(
  setups: readonly ReplaySetup[],
  jsonFile: string | undefined,
  reportFolder: string | undefined,
): void {
  const inputs = setups.flatMap(({ source, costModel: cost }) => [
    ...(source.kind === 'trace' ? [{ flag: '--trace', file: source.file }] : []),
    { flag: '--cost-model', file: cost },
  ]);
  const require = (flag: string, file: string): void => {
    requireWritable(flag, file);
    for (const input of inputs) requireOther(flag, file, input);
  };
  if (jsonFile !== undefined) require('--json', jsonFile);
  if (reportFolder === undefined) return;
  requireFolder('--report', reportFolder);
  for (const file of reportFiles(reportFolder)) require('--report', file);
}
