import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { policyEntries, policyNames } from '@baton/scheduling';
import { expect, test } from 'vitest';
import { policiesPage } from '../../scripts/policies-page.ts';

const root = path.join(import.meta.dirname, '../..');
const files = [...policiesPage(root)];

test.each(files)('%s is made from the committed figures', (file, text) => {
  expect(readFileSync(path.join(root, file), 'utf8')).toBe(text);
});

test('each policy has its row and its plot, and nobody else has one', () => {
  const plots = readdirSync(path.join(root, 'docs/figures')).filter((file) =>
    file.endsWith('.svg'),
  );
  expect(plots.sort()).toEqual(policyNames.map((name) => `${name}.svg`).sort());
  const page = readFileSync(path.join(root, 'docs/policies.md'), 'utf8');
  for (const name of policyNames)
    expect(page).toContain(`![${name}](figures/${name}.svg)\n\n| workload`);
});

test.each(policyNames)('the row of %s has its parameters with their defaults', (name) => {
  const page = readFileSync(path.join(root, 'docs/policies.md'), 'utf8');
  const row = page.split('\n').find((line) => line.startsWith(`| [\`${name}\`](../libs`));
  const stated = row?.split('|').at(-2)?.trim();
  const parameters = Object.entries(policyEntries[name].parameters).map(
    ([parameter, { value }]) => `\`${parameter}\` ${value === Infinity ? '∞' : value}`,
  );
  expect(stated).toBe(parameters.join(', ') || 'none');
});
