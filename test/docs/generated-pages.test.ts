import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { generatedPages } from '../../scripts/generate-docs.ts';

const root = path.join(import.meta.dirname, '../..');

test.each(generatedPages)('$path is what the code says', (page) => {
  expect(readFileSync(path.join(root, page.path), 'utf8')).toBe(page.render());
});
