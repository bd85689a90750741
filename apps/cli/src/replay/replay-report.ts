import path from 'node:path';
import { requireFolder, writeOutput } from './output-files.ts';
import { replayPage } from './replay-page.ts';
import type { ReplayRow } from './replay-run.ts';
import { knownFigures } from './served-figures.ts';

/** All runs over the same requests. */
export interface ReplaySection {
  trace: TraceSummary;
  settings: readonly (readonly [string, string])[];
  runs: readonly ReplayRow[];
}

export interface TraceSummary {
  /** The trace's file, or the workload and how it was made. */
  source: string;
  requests: number;
  durationMs: number;
  promptTokens: number;
  outputTokens: number;
  /** Block hit ratio of one LRU pool, by its size in blocks; `all` for one that forgets nothing. */
  pools: readonly { blocks: number | 'all'; hitRatio: number }[];
}

const FLAG = '--report';
const names = { json: 'report.json', csv: 'report.csv', html: 'report.html' } as const;

/** What {@link writeReport} will write. */
export function reportFiles(folder: string): string[] {
  return Object.values(names).map((name) => path.join(folder, name));
}

/**
 * Writes report.html, report.json and report.csv, and gives the page's path.
 *
 * @param command line with which it can be run again
 * @throws BatonError config_invalid that names the file which cannot be written
 */
export function writeReport(
  folder: string,
  command: string,
  sections: readonly ReplaySection[],
): string {
  requireFolder(FLAG, folder);
  const write = (name: string, text: string): string => {
    const file = path.join(folder, name);
    writeOutput(FLAG, file, text);
    return file;
  };
  const known = sections.map((section) => ({ ...section, runs: section.runs.map(knownFigures) }));
  write(names.json, `${JSON.stringify({ command, sections: known }, null, 2)}\n`);
  write(names.csv, replayCsv(sections.flatMap(({ runs }) => runs)));
  return write(names.html, replayPage(command, sections));
}

/** The rows as one JSON array, without the curves and what differs from one time to the next. */
export function replayJson(rows: readonly ReplayRow[]): string {
  return `${JSON.stringify(rows.map(figures), null, 2)}\n`;
}

function replayCsv(rows: readonly ReplayRow[]): string {
  const [first] = rows;
  if (first === undefined) return '';
  const columns = Object.keys(figures(first));
  const lines = rows.map((row) => {
    const values = new Map(Object.entries(figures(row)));
    return columns.map((name) => String(values.get(name) ?? '')).join(',');
  });
  return `${[columns.join(','), ...lines].join('\n')}\n`;
}

function figures(row: ReplayRow): object {
  const { ttftCurveMs, cpuMs, ...rest } = row;
  void ttftCurveMs;
  void cpuMs;
  return knownFigures(rest);
}
