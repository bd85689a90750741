import { formatCount } from '../render/quantities.ts';
import { barChart, curveChart, escaped } from './replay-charts.ts';
import type { ReplaySection } from './replay-report.ts';
import type { ReplayRow } from './replay-run.ts';
import { figureHalves } from './replay-table.ts';
import { hasServed, NO_FIGURE } from './served-figures.ts';

/** A page that needs nothing but itself: figures, curves and how to run it again. */
export function replayPage(command: string, sections: readonly ReplaySection[]): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Baton replay</title>
<style>${style}</style>
<h1>Baton replay</h1>
<p><code>${escaped(command)}</code></p>
${sections.map((section) => sectionOf(section, sections.length > 1)).join('\n')}
</html>
`;
}

function sectionOf(section: ReplaySection, isOneOfMany: boolean): string {
  const { runs: rows } = section;
  const heading = isOneOfMany ? `<h2>${escaped(rows[0]?.workload ?? '')}</h2>\n` : '';
  return `${heading}${facts(section)}
${tables(rows)}
${charts(rows).join('\n')}`;
}

function charts(rows: readonly ReplayRow[]): string[] {
  const names = rows.map(rowName);
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  return [
    curveChart(
      'Time to first token: share of all requests that had it by then',
      rows.map((row, i) => ({ name: names[i] ?? '', timesMs: row.ttftCurveMs })),
    ),
    barChart(
      'Mean time to first token',
      rows.map((row, i) => ({
        name: names[i] ?? '',
        value: row.ttftMeanMs,
        text: hasServed(row) ? seconds(row.ttftMeanMs) : NO_FIGURE,
      })),
      'logarithmic',
    ),
    barChart(
      'Prompt tokens that were reused',
      rows.map((row, i) => ({
        name: names[i] ?? '',
        value: row.tokenHitRatio,
        text: hasServed(row) ? `${(row.tokenHitRatio * 100).toFixed(1)} %` : NO_FIGURE,
      })),
      'linear',
    ),
  ];
}

function rowName({ policy, queue, pulls }: ReplayRow): string {
  return `${policy}, ${queue}${pulls ? ', pulls' : ''}`;
}

function facts({ trace, settings }: ReplaySection): string {
  const pools = trace.pools.map(({ blocks, hitRatio }) => {
    const size = blocks === 'all' ? 'without limit' : `of ${blocks} blocks`;
    return `${(hitRatio * 100).toFixed(2)} % ${size}`;
  });
  const rows: (readonly [string, string])[] = [
    [
      'requests',
      `${trace.source}: ${formatCount(trace.requests)} in ${(trace.durationMs / 1000).toFixed(0)} s`,
    ],
    [
      'prompt and output tokens',
      `${formatCount(trace.promptTokens)} and ${formatCount(trace.outputTokens)}`,
    ],
    ['blocks found in one shared LRU cache', pools.join(', ')],
    ...settings,
  ];
  const cells = rows.map(
    ([name, value]) => `<tr><th scope="row">${escaped(name)}<td>${escaped(value)}`,
  );
  return `<table class="facts">${cells.join('')}</table>`;
}

function tables(rows: readonly ReplayRow[]): string {
  const parts = figureHalves.map((figures) => {
    const side = (title: string): string => (title.startsWith('>') ? '' : ' class="name"');
    const titles = figures.map(
      ({ title }) => `<th scope="col"${side(title)}>${escaped(title.replace('>', ''))}`,
    );
    const lines = rows.map((row) => {
      const cells = figures.map(({ title, cell }) => `<td${side(title)}>${escaped(cell(row))}`);
      return `<tr>${cells.join('')}`;
    });
    return `<div class="wide"><table><tr>${titles.join('')}${lines.join('')}</table></div>`;
  });
  return `${parts.join('\n')}\n<p class="note">${note}</p>`;
}

const note = escaped(
  'TTFT is the time to the first token of served requests. “≤ 30 s” and “in SLO” are shares of all ' +
    'requests, “tokens in” of all prompt tokens (by the first token alone); refused ones count as ' +
    'missed, and without an objective it is 30 s. TBT is the time between tokens: the mean, and the ' +
    '99th percentile of each request’s slowest tenth. Hits are prompt tokens and blocks that were not ' +
    'computed. The load spread is the busiest prefill worker over the mean of all.',
);

const style = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
code { overflow-wrap: anywhere; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .2rem .5rem; border-bottom: 1px solid #8884; white-space: nowrap; }
.name, .facts th, .facts td { text-align: left; }
.facts td { white-space: normal; }
.wide { overflow-x: auto; font-size: .85rem; }
.note { font-size: .85rem; opacity: .8; }
figure { margin: 2rem 0 0; }
figcaption { font-size: 1.1rem; font-weight: bold; }
svg.chart { width: 100%; height: auto; margin: 1rem 0 0; }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.5rem; margin: .5rem 0; padding: 0; list-style: none; font-size: .85rem; }
.legend svg { width: 30px; height: 8px; margin-right: .5rem; }
svg text { fill: currentColor; font-size: 12px; }
svg .grid { stroke: #8884; }
`;
