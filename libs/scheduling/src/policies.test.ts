import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { kvCentricDefaults } from './kv-centric/parameters.ts';
import { createPolicy, policyNames } from './policies.ts';

test.each(policyNames)('%s has a page with the four headings', (name) => {
  const file = path.join(import.meta.dirname, name, 'README.md');
  expect(existsSync(file)).toBe(true);
  const headings = [...readFileSync(file, 'utf8').matchAll(/^## (.*)$/gm)].map((match) => match[1]);
  expect(headings).toEqual(['What it does', 'Inputs', 'Parameters', 'Example']);
  expect(createPolicy(name).name).toBe(name);
});

test('the page of kv-centric states the defaults that the code has', () => {
  const page = readFileSync(path.join(import.meta.dirname, 'kv-centric/README.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `(\w+)` +\| ([\d.e]+) /gm)];
  expect(Object.fromEntries(rows.map((row) => [row[1], Number(row[2])]))).toEqual(
    kvCentricDefaults,
  );
});

test.each([
  ['fastest', {}, /unknown policy "fastest"; known: kv-centric/],
  ['kv-centric', { aggregateBelow: 1 }, /no parameter "aggregateBelow"/],
  ['kv-centric', { tieMs: 'x' }, /"tieMs".*number/],
  ['kv-centric', { tieMs: -1 }, /"tieMs"/],
  ['kv-centric', { prefillTokensPerSec: 0 }, /more than 0/],
])('%s with %o is refused by name', (name, parameters, message) => {
  expect(() => createPolicy(name, parameters)).toThrow(message);
});

test('parameters are taken', () => {
  expect(createPolicy('kv-centric', { aggregateBelowTokens: 0 }).name).toBe('kv-centric');
});
