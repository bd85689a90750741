import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createPolicy, policyEntries, policyNames } from './policies.ts';
import { seededRandom } from './random.ts';

const create = (selection: Parameters<typeof createPolicy>[0]): ReturnType<typeof createPolicy> =>
  createPolicy(selection, seededRandom(1));
const page = (name: string): string =>
  readFileSync(path.join(import.meta.dirname, name, 'README.md'), 'utf8');

test.each(policyNames)('%s has a page with the four headings', (name) => {
  expect(existsSync(path.join(import.meta.dirname, name, 'README.md'))).toBe(true);
  const headings = [...page(name).matchAll(/^## (.*)$/gm)].map((match) => match[1]);
  expect(headings).toEqual(['What it does', 'Inputs', 'Parameters', 'Example']);
  expect(create({ policy: name }).name).toBe(name);
});

test.each(policyNames)(
  'the page of %s states each parameter, its default and its source',
  (name) => {
    const rows = [...page(name).matchAll(/^\| `(\w+)` +\| (\S+) +\| (.*?) +\| (.*?) +\|$/gm)];
    const stated = rows.map(([, parameter, value, meaning, source]) => [
      parameter,
      { value: value === '∞' ? Infinity : Number(value), meaning, source },
    ]);
    const table = Object.entries(policyEntries[name].parameters).map(
      ([parameter, { value, meaning, source }]) => [parameter, { value, meaning, source }],
    );
    expect(Object.fromEntries(stated)).toEqual(Object.fromEntries(table));
  },
);

test.each([
  [{ policy: 'fastest' }, /unknown policy "fastest"; known: kv-centric, /],
  [{ policy: 'kv-centric', decodePolicy: 'best' }, /unknown policy "best"/],
  [{ policy: 'kv-centric', policyParameters: { nobody: {} } }, /unknown policy "nobody"/],
  [{ policy: 'kv-centric', policyParameters: { 'kv-centric': { tie: 1 } } }, /no parameter "tie"/],
  [{ policy: 'kv-centric', policyParameters: { 'kv-centric': { tieMs: 'x' } } }, /"tieMs".*number/],
  [
    { policy: 'kv-centric', policyParameters: { 'kv-centric': { tieMs: -1 } } },
    /"tieMs".*at least/,
  ],
  [
    { policy: 'kv-centric', policyParameters: { 'kv-centric': { dramBytesPerSec: 0 } } },
    /more than 0/,
  ],
  [{ policy: 'round-robin', policyParameters: { 'round-robin': { x: 1 } } }, /it has none/],
])('%o is refused by name', (selection, message) => {
  expect(() => create(selection)).toThrow(message);
});

test('one policy for each leg', () => {
  expect(create({ policy: 'kv-centric', decodePolicy: 'round-robin' }).name).toBe(
    'kv-centric+round-robin',
  );
  expect(create({ policy: 'round-robin', prefillPolicy: 'longest-prefix' }).name).toBe(
    'longest-prefix+round-robin',
  );
});
