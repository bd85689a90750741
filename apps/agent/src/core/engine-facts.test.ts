import type { EngineHello, EngineWorker } from '@baton/proto';
import { expect, test } from 'vitest';
import { arenaPageCount, engineFacts } from './engine-facts.ts';

const MIB = 1024 * 1024;

const worker: EngineWorker = {
  model: 'm',
  engine: 'fake',
  engineUrl: 'http://here',
  layout: {
    modelRevision: 'r',
    dtype: 'f16',
    layers: 2,
    ranks: 1,
    blockTokens: 64,
    connector: 'fake',
    connectorVersion: '1',
    bytesPerToken: 100,
    segmentBytes: 6400,
  },
  tokenization: 't',
  segmentTokens: 64,
  maxModelTokens: 8192,
  kvCapacityBlocks: 256,
  maxSequences: 8,
  capabilities: {
    pullPrefix: true,
    exportPrefix: true,
    overlapHandover: true,
    firstTokenFromPrefill: true,
    takeSalt: true,
    takeTokens: true,
    release: false,
    migrate: false,
    callTools: false,
  },
};

function hello(changes: Partial<EngineWorker> = {}, pageBytes = 10_000): EngineHello {
  return { worker: { ...worker, ...changes }, eventsEndpoint: '', replayEndpoint: '', pageBytes };
}

test('pages are aligned, and what makes segments usable elsewhere is the identity', () => {
  const facts = engineFacts(hello());
  const other = engineFacts(hello({ layout: { ...worker.layout, connectorVersion: '2' } }));
  const moved = engineFacts(hello({ engineUrl: 'http://elsewhere' }));
  expect(facts.pageBytes).toBe(12_288);
  expect(other.identity).not.toBe(facts.identity);
  expect(other.layoutDigest).not.toBe(facts.layoutDigest);
  expect(moved.identity).toBe(facts.identity);
});

test('an arena holds whole pages; one that is too small says what would do', () => {
  const facts = engineFacts(hello({}, MIB));
  expect(arenaPageCount(facts, 9.5 * MIB)).toBe(9);
  expect(() => arenaPageCount(facts, 8 * MIB - 1)).toThrow(`--dram-bytes at least ${8 * MIB}`);
});
