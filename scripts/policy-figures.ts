import { readFileSync } from 'node:fs';

/** What one policy did with one workload, as `baton replay --json` writes it, rounded. Times in ms, shares up to 1. */
export interface PolicyRun {
  workload: string;
  policy: string;
  queue: string;
  pulls: boolean;
  requests: number;
  ttftMeanMs: number;
  ttftP50Ms: number;
  ttftP99Ms: number;
  ttftMaxMs: number;
  within30s: number;
  tokenHitRatio: number;
  bytesMoved: number;
  loadSpread: number;
}

/** The figures of docs/policies.md. */
export interface PolicyFigures {
  /** Commands whose figures these are. */
  from: string[];
  runs: PolicyRun[];
}

const names = ['workload', 'policy', 'queue'] as const;
const times = ['requests', 'ttftMeanMs', 'ttftP50Ms', 'ttftP99Ms', 'ttftMaxMs'] as const;
const shares = ['within30s', 'tokenHitRatio', 'loadSpread'] as const;

/** Runs of a file that `baton replay --json` wrote. @throws Error that names the file, the run and the field */
export function readRuns(file: string): PolicyRun[] {
  const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
  if (!Array.isArray(value)) throw new Error(`${file}: there must be a list of runs`);
  return value.map((run: unknown, i) =>
    readRun(run as Record<string, unknown>, `${file}: run ${i}`),
  );
}

/** Runs of the same policy over the same requests are replaced, others stay. */
export function mergeRuns(known: readonly PolicyRun[], fresh: readonly PolicyRun[]): PolicyRun[] {
  const all = new Map([...known, ...fresh].map((run) => [keyOf(run), run]));
  return [...all.values()];
}

/** JSON with one line for each run, so that a change can be read. */
export function figuresText({ from, runs }: PolicyFigures): string {
  const lines = (values: readonly unknown[]): string =>
    values.map((value) => `    ${JSON.stringify(value)}`).join(',\n');
  return `{\n  "from": [\n${lines(from)}\n  ],\n  "runs": [\n${lines(runs)}\n  ]\n}\n`;
}

function keyOf({ workload, policy, pulls }: PolicyRun): string {
  return JSON.stringify([workload, policy, pulls]);
}

function readRun(run: Record<string, unknown>, where: string): PolicyRun {
  const text = (name: string): string => {
    const value = run[name];
    if (typeof value === 'string') return value;
    throw new Error(`${where}: ${name} must be a text`);
  };
  const number = (name: string, step: number): number => {
    const value = run[name];
    if (typeof value === 'number' && value >= 0)
      return Number((Math.round(value / step) * step).toPrecision(9));
    throw new Error(`${where}: ${name} must be a number from 0 on`);
  };
  if (typeof run.pulls !== 'boolean') throw new Error(`${where}: pulls must be true or false`);
  return {
    ...(Object.fromEntries(names.map((name) => [name, text(name)])) as Pick<PolicyRun, 'workload'>),
    pulls: run.pulls,
    ...(Object.fromEntries(times.map((name) => [name, number(name, 1)])) as Pick<
      PolicyRun,
      'requests'
    >),
    ...Object.fromEntries(shares.map((name) => [name, number(name, 1e-4)])),
    bytesMoved: number('bytesMoved', 1e9),
  } as PolicyRun;
}
