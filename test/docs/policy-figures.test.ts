import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { figuresText, mergeRuns, readRuns, type PolicyRun } from '../../scripts/policy-figures.ts';
import { policyPlot, shownTime } from '../../scripts/policy-plot.ts';

const run = {
  ...{ workload: 'w', policy: 'random', queue: 'immediate', pulls: false, requests: 10 },
  ...{ ttftMeanMs: 1_234.56, ttftP50Ms: 200, ttftP99Ms: 20_000, ttftMaxMs: 30_000.4 },
  ...{ within30s: 0.987654, tokenHitRatio: 0.3, loadSpread: 1.05, bytesMoved: 1.26e12 + 7 },
  ...{ rejected: 3 },
};

function fileOf(value: unknown): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'figures-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'figures.json');
  writeFileSync(file, JSON.stringify(value));
  return file;
}

test('figures are rounded, and what the page does not show is left out', () => {
  const [read] = readRuns(fileOf([run]));
  expect(read).toMatchObject({ ttftMeanMs: 1_235, ttftMaxMs: 30_000, within30s: 0.9877 });
  expect(read?.bytesMoved).toBe(1.26e12);
  expect(read).not.toHaveProperty('rejected');
});

test.each([
  [{}, 'there must be a list of runs'],
  [[run, { ...run, ttftP50Ms: '1' }], 'run 1: ttftP50Ms must be a number from 0 on'],
  [[{ ...run, policy: 1 }], 'run 0: policy must be a text'],
  [[{ ...run, pulls: 'on' }], 'run 0: pulls must be true or false'],
])('what is wrong is named: %j', (value, message) => {
  expect(() => readRuns(fileOf(value))).toThrow(message);
});

test('a run takes the place of the same run before', () => {
  const [first] = readRuns(fileOf([run])) as [PolicyRun];
  const other = { ...first, workload: 'v' };
  const merged = mergeRuns([first, other], [{ ...first, ttftMeanMs: 9 }]);
  expect(merged.map(({ workload, ttftMeanMs }) => [workload, ttftMeanMs])).toEqual([
    ['w', 9],
    ['v', 1_235],
  ]);
  expect(JSON.parse(figuresText({ from: ['x'], runs: merged }))).toEqual({
    from: ['x'],
    runs: merged,
  });
});

test('a plot: median to 99th percentile, the mean, and that of the default policy', () => {
  const [read] = readRuns(fileOf([run])) as [PolicyRun];
  const plot = policyPlot('random', [{ title: 'W', run: read, referenceMs: 1_000 }], 100_000);
  const at = (pattern: RegExp): number => Number(pattern.exec(plot)?.[1]);
  const median = at(/class="range" d="M([\d.]+)/);
  const p99 = at(/class="range" d="M[\d.]+ [\d.]+H([\d.]+)/);
  const mean = at(/cx="([\d.]+)"/);
  const reference = at(/class="reference" d="M([\d.]+)/);
  expect([median, reference, mean, p99]).toEqual(
    [median, reference, mean, p99].sort((a, b) => a - b),
  );
  // A decade of time is a third of the axis: from 100 ms to 100 s.
  expect(p99 - median).toBeCloseTo(((720 - 170 - 90) / 3) * 2, 0);
  expect(plot).toContain('>1.24 s<');
  expect([999, 1_000, 100_000].map(shownTime)).toEqual(['999 ms', '1.00 s', '100 s']);
});
