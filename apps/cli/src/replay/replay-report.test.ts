import { readFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { noPaint, visibleWidth } from '../render/terminal-text.ts';
import { replayPage } from './replay-page.ts';
import { replayJson, writeReport, type ReplaySection } from './replay-report.ts';
import type { ReplayRow } from './replay-run.ts';
import { replayTable } from './replay-table.ts';
import { replayRow } from './testing/replay-row.ts';
import { temporaryFolder } from './testing/trace-file.ts';

const command = 'npx baton replay --trace <a>&"b".jsonl';
const section = (...runs: ReplayRow[]): ReplaySection => ({
  trace: {
    ...{ source: '<img src=x>.jsonl', requests: 100, durationMs: 9_000 },
    ...{ promptTokens: 1_200_000, outputTokens: 5_000 },
    pools: [
      { blocks: 'all', hitRatio: 0.3664 },
      { blocks: 10_000, hitRatio: 0.2116 },
    ],
  },
  settings: [['fleet', '8 prefill and 8 decode workers']],
  runs,
});
const rows = [
  replayRow(),
  replayRow({ policy: 'least-tokens+round-robin', queue: 'immediate', pulls: false }),
];
const pageOf = (...runs: ReplayRow[]): string => replayPage(command, [section(...runs)]);

test('JSON: one object for each run, with the names that are promised and nothing that changes', () => {
  const written = JSON.parse(replayJson(rows)) as Record<string, unknown>[];
  expect(written).toHaveLength(2);
  expect(written[0]).toMatchObject({ policy: 'kv-centric', queue: 'shortest', pulls: true });
  const promised = [
    ...['policy', 'queue', 'pulls', 'ttftMeanMs', 'ttftP50Ms', 'ttftP90Ms', 'ttftP99Ms'],
    ...['within30s', 'tokensWithinSlo', 'tokenHitRatio', 'blockHitRatio', 'bytesMoved', 'rejected'],
  ];
  expect(Object.keys(written[0] ?? {})).toEqual(expect.arrayContaining(promised));
  expect(Object.keys(written[0] ?? {})).not.toContain('cpuMs');
});

test('a report is three files, CSV with a line for each run', () => {
  const folder = path.join(temporaryFolder(), 'new/report');
  const page = writeReport(folder, command, [section(...rows)]);
  expect(page).toBe(path.join(folder, 'report.html'));
  expect(readFileSync(page, 'utf8')).toBe(pageOf(...rows));
  const json = JSON.parse(readFileSync(path.join(folder, 'report.json'), 'utf8')) as object;
  expect(json).toEqual({ command, sections: [section(...rows)] });
  const lines = readFileSync(path.join(folder, 'report.csv'), 'utf8').split('\n');
  expect(lines[0]).toMatch(/^workload,policy,queue,pulls,requests,rejected,ttftMeanMs,/);
  expect(lines[1]).toMatch(/^trace.jsonl,kv-centric,shortest,true,100,3,1468,/);
  expect(lines[2]).toMatch(/^trace.jsonl,least-tokens\+round-robin,immediate,false,/);
  expect(lines.slice(3)).toEqual(['']);
});

test('a file that cannot be written is named', () => {
  const folder = temporaryFolder();
  mkdirSync(path.join(folder, 'report.csv'));
  expect(() => writeReport(folder, command, [section(...rows)])).toThrow(
    `--report ${path.join(folder, 'report.csv')} cannot be written: it is a folder.`,
  );
});

test('the page needs nothing from elsewhere, and names cannot become markup', () => {
  const page = pageOf(replayRow({ policy: `<script>"&'` }), ...rows);
  expect(page).not.toMatch(/https?:|src=["']|<link|<script|@import|url\(|<img/);
  expect(page).toContain('&lt;script&gt;&#34;&amp;&#39;');
  expect(page).toContain('&lt;img src=x&gt;.jsonl: 100 in 9 s');
  expect(page).toContain('36.64 % without limit, 21.16 % of 10000 blocks');
});

test('of several workloads each has its own figures under its name', () => {
  const ofOther = replayRow({ workload: 'no-sharing', ttftCurveMs: [5, 6] });
  const page = replayPage(command, [section(...rows), section(ofOther)]);
  expect([...page.matchAll(/<h2>([^<]*)/g)].map(([, name]) => name)).toEqual([
    'trace.jsonl',
    'no-sharing',
  ]);
  expect(page.match(/<svg class="chart"/g)).toHaveLength(6);
  expect(pageOf(...rows)).not.toContain('<h2>');
});

test('a curve ends where requests were refused, and a figure of 0 draws no bar', () => {
  const page = pageOf(
    replayRow({ ttftCurveMs: [100, 1_000, null, null] }),
    replayRow({ ttftMeanMs: 0, tokenHitRatio: 0, ttftCurveMs: [null, null] }),
  );
  const curves = [...page.matchAll(/<polyline[^>]* points="([^"]*)"/g)].map(([, points]) => points);
  expect(curves.map((points) => points?.split(' ').filter(Boolean).length)).toEqual([2, 0]);
  expect(page).not.toMatch(/NaN|Infinity|undefined/);
});

test('where nobody was served there are no figures of those who were', () => {
  const zeros = {
    ...{ ttftMeanMs: 0, ttftP50Ms: 0, ttftP90Ms: 0, ttftP99Ms: 0, ttftMaxMs: 0, tbtMeanMs: 0 },
    ...{ tbtP99Ms: 0, tokenHitRatio: 0, blockHitRatio: 0, ttftCurveMs: [null, null] },
  };
  const none = replayRow({ ...zeros, requests: 100, rejected: 100 });
  const [, line = ''] = replayTable([none], noPaint);
  expect(line.match(/–/g)).toHaveLength(9);
  expect(line).not.toMatch(/0\.0 ms/);
  const names = Object.keys(zeros).filter((name) => name !== 'ttftCurveMs');
  const nulls = Object.fromEntries(names.map((name) => [name, null]));
  expect(JSON.parse(replayJson([none]))).toMatchObject([{ ...nulls, rejected: 100 }]);
  const folder = temporaryFolder();
  const page = readFileSync(writeReport(folder, command, [section(none)]), 'utf8');
  // Nine in the tables, two behind bars.
  expect(page.match(/[>]–/g)).toHaveLength(11);
  const read = (name: string): string => readFileSync(path.join(folder, name), 'utf8');
  expect(JSON.parse(read('report.json'))).toMatchObject({ sections: [{ runs: [nulls] }] });
  expect(read('report.csv').split('\n')[1]).toMatch(
    /^trace.jsonl,kv-centric,shortest,true,100,100,,,,,,/,
  );
});

test('twenty runs: each curve has colour and dash of its own, and its name in the legend', () => {
  const many = Array.from({ length: 20 }, (_, i) => replayRow({ policy: `policy-${i}` }));
  const page = pageOf(...many);
  const strokes = [...page.matchAll(/<polyline ([^>]*) points/g)].map(([, stroke]) => stroke);
  expect(new Set(strokes).size).toBe(20);
  expect(page.match(/<li>/g)).toHaveLength(20);
});

test('one table where it fits, else two, each line with its run', () => {
  const wide = replayTable(rows, noPaint);
  expect(wide).toHaveLength(3);
  expect(wide[1]).toMatch(/^kv-centric .* 1\.47 s .* 97\.00 % .* 40\.9 TB .* 1\.0[12]$/);
  const narrow = replayTable(rows, noPaint, 130);
  expect(narrow).toHaveLength(7);
  expect(narrow[3]).toBe('');
  expect(Math.max(...narrow.map(visibleWidth))).toBeLessThanOrEqual(130);
});
