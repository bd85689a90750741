import type { baton } from '@baton/proto';
import { expect, test } from 'vitest';
import { arenaPageCount, readEngineHello } from './engine-facts.ts';

const MIB = 1024 * 1024;

function hello(changes: baton.v1.IEngineHello = {}, worker: baton.v1.IWorker = {}) {
  return {
    worker: {
      model: 'm',
      tokenization: 't',
      segmentTokens: 64,
      layout: { modelRevision: 'r', connectorVersion: '1' },
      ...worker,
    },
    pageBytes: 10_000,
    ...changes,
  };
}

test('pages are aligned, and what makes segments usable elsewhere is the identity', () => {
  const facts = readEngineHello(hello());
  const other = readEngineHello(hello({}, { layout: { connectorVersion: '2' } }));
  const moved = readEngineHello(hello({}, { engineUrl: 'http://elsewhere' }));
  if (typeof facts === 'string' || typeof other === 'string' || typeof moved === 'string') {
    throw new Error('refused');
  }
  expect(facts.pageBytes).toBe(12_288);
  expect(other.identity).not.toBe(facts.identity);
  expect(other.layoutDigest).not.toBe(facts.layoutDigest);
  expect(moved.identity).toBe(facts.identity);
});

test.each<[string, baton.v1.IEngineHello, string]>([
  ['no worker', { pageBytes: 1 }, 'layout'],
  ['no layout', hello({}, { layout: null }), 'layout'],
  ['no page size', hello({ pageBytes: 0 }), 'page_bytes'],
  ['a page size beyond reason', hello({ pageBytes: 2 ** 31 }), 'page_bytes'],
  ['no segment size', hello({}, { segmentTokens: 0 }), 'segment_tokens'],
  ['no tokenization', hello({}, { tokenization: '' }), 'tokenization'],
])('a hello with %s is refused by name', (_, message, field) => {
  expect(readEngineHello(message)).toContain(field);
});

test('an arena holds whole pages; one that is too small says what would do', () => {
  const facts = readEngineHello(hello({ pageBytes: MIB }));
  if (typeof facts === 'string') throw new Error(facts);
  expect(arenaPageCount(facts, 9.5 * MIB)).toBe(9);
  expect(() => arenaPageCount(facts, 8 * MIB - 1)).toThrow(`--dram-bytes at least ${8 * MIB}`);
});
