import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import os from 'node:os';

/** One figure. `ratio` is value / baseline, both measured in this run. */
export interface Figure {
  name: string;
  value: number;
  unit: string;
  baseline?: number;
  ratio?: number;
}

export interface SuiteOptions {
  signal: AbortSignal;
  /** A trace file in Mooncake's format, for what replays one. */
  trace?: string | undefined;
  /** Of which engine, where there is a choice. */
  engine?: string | undefined;
  /** Measure other systems beside ours, where they are installed. */
  peers: boolean;
}

export interface Suite {
  name: string;
  /** What is measured and against what, one sentence. */
  describes: string;
  /** Rejects when `signal` is aborted, after it has ended what it started. */
  run(say: (line: string) => void, options: SuiteOptions): Promise<Figure[]>;
}

interface Report {
  suite: string;
  commit: string;
  machine: { cpu: string; cores: number; memoryGiB: number; platform: string };
  node: string;
  results: Figure[];
}

export function report(suite: string, results: Figure[]): Report {
  return {
    suite,
    commit: commit(),
    machine: {
      cpu: os.cpus()[0]?.model ?? 'unknown',
      cores: os.availableParallelism(),
      memoryGiB: Math.round(os.totalmem() / 2 ** 30),
      platform: `${process.platform}-${process.arch}`,
    },
    node: process.version,
    results,
  };
}

function commit(): string {
  try {
    const head = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
    const changed = execFileSync('git', ['status', '--porcelain'], { encoding: 'utf8' }) !== '';
    return changed ? `${head}+changes` : head;
  } catch {
    return 'unknown';
  }
}

export function table(result: Report): string {
  const rows = result.results.map((figure) => [
    figure.name,
    `${round(figure.value)} ${figure.unit}`,
    figure.baseline === undefined ? '' : `${round(figure.baseline)} ${figure.unit}`,
    figure.ratio === undefined ? '' : String(round(figure.ratio)),
  ]);
  const lines = [['figure', 'value', 'baseline', 'ratio'], ...rows];
  const widths = [0, 1, 2, 3].map((i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)));
  const machine = result.machine;
  return [
    `${result.suite} at ${result.commit}, ${machine.cores} × ${machine.cpu}, Node ${result.node}`,
    ...lines.map((line) => line.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ')),
  ].join('\n');
}

export function writeJson(file: string, result: Report): void {
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`);
}

function round(value: number): number {
  return Number(value.toPrecision(4));
}
