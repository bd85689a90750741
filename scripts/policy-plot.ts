import type { PolicyRun } from './policy-figures.ts';

const WIDTH = 720;
const LEFT = 170;
const RIGHT = 90;
const ROW = 22;
const TOP = 8;
const BOTTOM = 24;
const LEAST_MS = 100;

/** One line of a plot: a workload, and how the policy and the one to compare with did. */
export interface PlotLine {
  title: string;
  run: PolicyRun;
  /** Mean time to the first token of the default policy, ms. */
  referenceMs: number;
}

/**
 * An SVG that can be read on light and on dark: for each workload the time to the first token from the median to the
 * 99th percentile, a dot at the mean and a mark at the mean of the default policy, on a logarithmic axis.
 *
 * @param mostMs end of the axis, the same for all plots of a page
 */
export function policyPlot(policy: string, lines: readonly PlotLine[], mostMs: number): string {
  const height = TOP + lines.length * ROW + BOTTOM;
  const decades = Math.ceil(Math.log10(mostMs / LEAST_MS));
  const x = (ms: number): number => {
    const share = Math.log10(Math.max(LEAST_MS, ms) / LEAST_MS) / decades;
    return LEFT + share * (WIDTH - LEFT - RIGHT);
  };
  const grid = Array.from({ length: decades + 1 }, (_, i) => {
    const ms = LEAST_MS * 10 ** i;
    const label = ms < 1_000 ? `${ms} ms` : `${ms / 1_000} s`;
    const at = x(ms).toFixed(1);
    return (
      `<path class="grid" d="M${at} ${TOP}V${height - BOTTOM}"/>` +
      `<text x="${at}" y="${height - 8}" text-anchor="middle">${label}</text>`
    );
  });
  const rows = lines.map(({ title, run, referenceMs }, i) => {
    const y = TOP + i * ROW + ROW / 2;
    const [from, to, mean] = [run.ttftP50Ms, run.ttftP99Ms, run.ttftMeanMs].map((ms) =>
      x(ms).toFixed(1),
    );
    const reference = x(referenceMs).toFixed(1);
    return (
      `<text x="${LEFT - 10}" y="${y + 4}" text-anchor="end">${title}</text>` +
      `<path class="range" d="M${from} ${y}H${to}"/><circle class="mean" cx="${mean}" cy="${y}" r="5"/>` +
      `<path class="reference" d="M${reference} ${y - 8}v16"/>` +
      `<text x="${WIDTH - RIGHT + 10}" y="${y + 4}">${shownTime(run.ttftMeanMs)}</text>`
    );
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">
<title>${policy}: time to first token by workload</title>
<style>${style}</style>
${[...grid, ...rows].join('\n')}
</svg>
`;
}

/** As in tables. */
export function shownTime(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  return ms < 100_000 ? `${(ms / 1_000).toFixed(2)} s` : `${Math.round(ms / 1_000)} s`;
}

const style = `
text { font: 12px system-ui, sans-serif; fill: #57606a; }
.grid { stroke: #8884; }
.range { stroke: #4477aa; stroke-width: 4; stroke-opacity: .5; }
.mean { fill: #4477aa; }
.reference { stroke: #ee6677; stroke-width: 2.5; }
@media (prefers-color-scheme: dark) { text { fill: #adbac7; } .range { stroke: #66aadd; } .mean { fill: #66aadd; } }
`;
