import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Finding } from './check.ts';

const page = path.resolve(import.meta.dirname, '../../docs/engines.md');

/** Findings as a table of Markdown. */
export function resultTable(findings: readonly Finding[]): string {
  const rows = findings.map(
    ({ what, seen, holds }) => `| ${what} | ${seen} | ${holds ? 'yes' : '**no**'} |`,
  );
  return ['| what | seen | as it has to be |', '| --- | --- | --- |', ...rows].join('\n');
}

/** Puts the findings between the marks of this suite in docs/engines.md. */
export function writeResults(suite: string, version: string, findings: readonly Finding[]): void {
  const [begin, end] = [`<!-- conformance ${suite} -->`, `<!-- end of conformance ${suite} -->`];
  const text = readFileSync(page, 'utf8');
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${page} has no ${begin} … ${end}`);
  const when = new Date().toISOString().slice(0, 10);
  const lead = `${version}, ${when}, on the CPU of a machine with two cores:`;
  const section = [begin, '', lead, '', resultTable(findings), '', ''].join('\n');
  writeFileSync(page, text.slice(0, from) + section + text.slice(to));
}
