import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { Scenario } from './testing/scenario.ts';

const folder = path.join(import.meta.dirname, '../scenarios');
const files = readdirSync(folder).filter((file) => file.endsWith('.txt'));

test.each(files)('%s', (file) => {
  const full = path.join(folder, file);
  const text = readFileSync(full, 'utf8');
  const replayed = Scenario.replay(text);
  if (process.env.UPDATE_SCENARIOS === '1') writeFileSync(full, replayed);
  else expect(replayed).toBe(text);
});

test('a scenario that says something else is noticed', () => {
  const text = '@0 beat a role=decode\n  -> joined b';
  expect(Scenario.replay(text)).toBe('@0 beat a role=decode\n  -> joined a\n  -> fleet tiny: a');
  expect(() => Scenario.replay('@0 dance')).toThrow(/unknown verb dance/);
});
