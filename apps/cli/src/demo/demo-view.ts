import { formatBytes, formatCount, formatMs } from '../render/quantities.ts';
import { printable, type Paint } from '../render/terminal-text.ts';
import { textTable } from '../render/text-table.ts';
import type { FleetCounters } from './fleet-counters.ts';
import type { LoadResult } from './run-load.ts';

/** One load under one policy. */
export interface DemoRun {
  policy: string;
  counted: FleetCounters;
  result: LoadResult;
}

export interface DemoReport {
  model: string;
  /** Of each run. */
  requests: number;
  promptTokens: number;
  /** The one to compare with first. */
  runs: readonly [DemoRun, DemoRun];
}

/** Prompt tokens that no engine computed. */
export function reusedTokens({ promptTokens }: DemoReport, { counted }: DemoRun): number {
  return Math.max(0, promptTokens - counted.computedTokens);
}

/** What both runs took, side by side. */
export function demoLines(report: DemoReport, paint: Paint): string[] {
  const { runs, promptTokens } = report;
  const row = (
    name: string,
    value: (run: DemoRun) => number | undefined,
    show: (value: number) => string,
  ): string[] => {
    const [first, second] = [value(runs[0]), value(runs[1])];
    const shown = [first, second].map((one) => (one === undefined ? '' : show(one)));
    return [name, ...shown, change(first, second)];
  };
  const rows = [
    row('prompt tokens', () => promptTokens, formatCount),
    row('  computed', ({ counted }) => counted.computedTokens, formatCount),
    row('  reused, not computed', (run) => reusedTokens(report, run), formatCount),
    row('moved between workers', ({ counted }) => counted.movedTokens, formatCount),
    row('  bytes of KV', ({ counted }) => counted.movedBytes, formatBytes),
    // Without a change: that of the clock says nothing.
    row('first token after, mean', ({ result }) => mean(result.firstTokenMs), formatMs).slice(0, 3),
    row('everything after', ({ result }) => result.tookMs, formatMs).slice(0, 3),
  ];
  return [
    '',
    ...textTable(['', ...runs.map(({ policy }) => `>${policy}`), '>'], rows, paint),
    '',
    'Tokens and bytes count here, not the clock: all workers share the cores of this machine.',
    ...remarks(report).map((remark) => paint.yellow(remark)),
  ];
}

/** What a reader has to know of figures that are not what they should be. */
function remarks({ runs, requests }: DemoReport): string[] {
  return runs.flatMap(({ policy, counted, result }) => {
    const { refusals } = result;
    const others = counted.requests - requests;
    const [why = ''] = refusals;
    return [
      ...(refusals.length > 0
        ? [`${policy}: ${refusals.length} requests had no answer: ${printable(why)}`]
        : []),
      // A request that was tried twice was planned twice.
      ...(others > 0 ? [`${policy}: ${others} other requests ran meanwhile and are counted.`] : []),
    ];
  });
}

/** `−42 %`, `+5 %`, or nothing where that says nothing. */
function change(from: number | undefined, to: number | undefined): string {
  if (from === undefined || to === undefined || from === 0 || from === to) return '';
  const percent = Math.round((to / from - 1) * 100);
  return `${percent < 0 ? '−' : '+'}${Math.abs(percent)} %`;
}

function mean(values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined;
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
