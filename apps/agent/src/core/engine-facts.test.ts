import type { baton } from '@baton/proto';
import { expect, test } from 'vitest';
import { readEngineHello } from './engine-facts.ts';

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
  const facts = readEngineHello(hello(), MIB);
  const other = readEngineHello(hello({}, { layout: { connectorVersion: '2' } }), MIB);
  const moved = readEngineHello(hello({}, { engineUrl: 'http://elsewhere' }), MIB);
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
  ['pages too large for the arena', hello({ pageBytes: MIB }), `${8 * MIB}`],
])('a hello with %s is refused by name', (_, message, field) => {
  expect(readEngineHello(message, MIB)).toContain(field);
});
