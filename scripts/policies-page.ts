// Figures and plots of docs/policies.md: `npm run policies-page -- FILE…` takes files of `baton replay --json`, without
// any it writes the page again from the figures that there are. test/docs compares them.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { markdownTable } from '@baton/config';
import { policyNames } from '@baton/scheduling';
import {
  figuresText,
  mergeRuns,
  readRuns,
  type PolicyFigures,
  type PolicyRun,
} from './policy-figures.ts';
import { policyPlot, shownTime } from './policy-plot.ts';

const PAGE = 'docs/policies.md';
const FOLDER = 'docs/figures';
const FIGURES = `${FOLDER}/policies.json`;
const DEFAULT_POLICY = 'kv-centric';

/** In the order of the page, with the name of each there. */
const workloadTitles: Readonly<Record<string, string>> = {
  'conversation_trace.jsonl': 'conversation trace',
  'shared-system-prompts': 'shared system prompts',
  'multi-turn-chat': 'multi-turn chat',
  'rag-documents': 'RAG documents',
  'no-sharing': 'no sharing',
};

/** Files by their path from the repository's root. @param root of the repository */
export function policiesPage(root: string): Map<string, string> {
  const figures = JSON.parse(readFileSync(path.join(root, FIGURES), 'utf8')) as PolicyFigures;
  let page = readFileSync(path.join(root, PAGE), 'utf8');
  page = filled(page, 'all', overview(figures.runs));
  page = filled(page, 'best', bestOfEach(figures.runs));
  const mostMs = Math.max(...figures.runs.map(({ ttftP99Ms }) => ttftP99Ms));
  const files = new Map([[FIGURES, figuresText(figures)]]);
  for (const policy of policyNames) {
    const runs = ofPolicy(figures.runs, policy);
    if (runs.length === 0) throw new Error(`${FIGURES} has no run of ${policy}`);
    const plot = `${FOLDER}/${policy}.svg`;
    page = filled(page, policy, [`![${policy}](figures/${policy}.svg)`, '', ...rowsOf(runs)]);
    const lines = runs.filter(isUsual).map((run) => ({
      title: titleOf(run),
      run,
      referenceMs: meanOf(figures.runs, run.workload, DEFAULT_POLICY) ?? run.ttftMeanMs,
    }));
    files.set(plot, policyPlot(policy, lines, mostMs));
  }
  return files.set(PAGE, page);
}

/** Puts lines between the two comments of a name. @throws Error when the page has no such place */
function filled(page: string, name: string, lines: readonly string[]): string {
  const [begin, end] = [`<!-- figures: ${name} -->`, `<!-- end: ${name} -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${PAGE} has no place for the figures of ${name}`);
  return `${page.slice(0, from)}${begin}\n\n${lines.join('\n')}\n\n${page.slice(to)}`;
}

/** Mean time to the first token of every policy with every workload; the least of each in bold. */
function overview(runs: readonly PolicyRun[]): string[] {
  const workloads = Object.keys(workloadTitles);
  const usual = runs.filter(isUsual);
  const least = new Map(
    workloads.map((workload) => {
      const own = usual.filter((run) => run.workload === workload);
      return [workload, Math.min(...own.map(({ ttftMeanMs }) => ttftMeanMs))];
    }),
  );
  const rows = policyNames.map((policy) => [
    `[\`${policy}\`](#${policy})`,
    ...workloads.map((workload) => {
      const ms = meanOf(usual, workload, policy);
      if (ms === undefined) return '–';
      return ms === least.get(workload) ? `**${shownTime(ms)}**` : shownTime(ms);
    }),
  ]);
  return markdownTable([['policy', ...Object.values(workloadTitles)], ...rows]);
}

/** Who has the least of what with each workload, beside the default policy. */
function bestOfEach(runs: readonly PolicyRun[]): string[] {
  const measures: [string, (run: PolicyRun) => number, (value: number) => string][] = [
    ['least mean', ({ ttftMeanMs }) => ttftMeanMs, shownTime],
    ['least P99', ({ ttftP99Ms }) => ttftP99Ms, shownTime],
    ['least longest', ({ ttftMaxMs }) => ttftMaxMs, shownTime],
    ['least moved', ({ bytesMoved }) => bytesMoved, shownBytes],
  ];
  const rows = Object.entries(workloadTitles).map(([workload, title]) => {
    const own = runs.filter((run) => run.workload === workload && isUsual(run));
    const reference = own.find(({ policy }) => policy === DEFAULT_POLICY);
    const cells = measures.map(([, of, shown]) => {
      const [best] = own.toSorted((a, b) => of(a) - of(b));
      if (best === undefined || reference === undefined) return '–';
      const mine = best === reference ? '' : ` (${shown(of(reference))})`;
      return `\`${best.policy}\` ${shown(of(best))}${mine}`;
    });
    return [title, ...cells];
  });
  return markdownTable([['workload', ...measures.map(([name]) => name)], ...rows]);
}

function shownBytes(bytes: number): string {
  return `${(bytes / 1e12).toFixed(2)} TB`;
}

function rowsOf(runs: readonly PolicyRun[]): string[] {
  const share = (value: number): string => `${(value * 100).toFixed(1)} %`;
  const rows = runs.map((run) => [
    isUsual(run) ? titleOf(run) : `${titleOf(run)}, without pulls`,
    shownTime(run.ttftMeanMs),
    shownTime(run.ttftP50Ms),
    shownTime(run.ttftP99Ms),
    share(run.within30s),
    share(run.tokenHitRatio),
    shownBytes(run.bytesMoved),
    run.loadSpread.toFixed(2),
  ]);
  const head = [
    'workload',
    'TTFT mean',
    'P50',
    'P99',
    '≤ 30 s',
    'token hits',
    'moved',
    'load spread',
  ];
  return markdownTable([head, ...rows]);
}

function ofPolicy(runs: readonly PolicyRun[], policy: string): PolicyRun[] {
  const order = Object.keys(workloadTitles);
  return runs
    .filter((run) => run.policy === policy && order.includes(run.workload))
    .sort(
      (a, b) =>
        order.indexOf(a.workload) - order.indexOf(b.workload) || Number(b.pulls) - Number(a.pulls),
    );
}

/** The one run of a policy that pulls is the other one where it may not. */
function isUsual({ policy, pulls }: PolicyRun): boolean {
  return policy !== DEFAULT_POLICY || pulls;
}

/** Undefined where that was not measured. */
function meanOf(runs: readonly PolicyRun[], workload: string, policy: string): number | undefined {
  const found = runs.find(
    (run) => run.workload === workload && run.policy === policy && isUsual(run),
  );
  return found?.ttftMeanMs;
}

function titleOf({ workload }: PolicyRun): string {
  return workloadTitles[workload] ?? workload;
}

if (process.argv[1] === import.meta.filename) {
  const root = path.join(import.meta.dirname, '..');
  const file = path.join(root, FIGURES);
  const figures = JSON.parse(readFileSync(file, 'utf8')) as PolicyFigures;
  const runs = process.argv
    .slice(2)
    .reduce((all, name) => mergeRuns(all, readRuns(name)), figures.runs);
  writeFileSync(file, figuresText({ ...figures, runs }));
  for (const [name, text] of policiesPage(root)) writeFileSync(path.join(root, name), text);
}
