import { readFileSync } from 'node:fs';
import path from 'node:path';
import { optionsOf } from '@baton/config';
import { expect, test } from 'vitest';
import { generatedPages, services } from '../../scripts/generate-docs.ts';

const root = path.join(import.meta.dirname, '../..');

test.each(generatedPages)('$path is what the code says', (page) => {
  expect(readFileSync(path.join(root, page.path), 'utf8')).toBe(page.render());
});

test.each(Object.entries(services))('a URL may carry a password: %s hides it', (_name, schema) => {
  const urls = optionsOf(schema, 'BATON_').filter(({ key }) => key.endsWith('Url'));
  expect(urls.filter(({ secret }) => !secret).map(({ key }) => key)).toEqual([]);
});
