import { expect, test } from 'vitest';
import { poolHitRatio } from '../report/pool-hit-ratio.ts';
import type { TraceRequest } from '../trace/trace-line.ts';
import { PromptBlocks } from './prompt-blocks.ts';
import { workloads, type WorkloadName } from './workloads.ts';

const names = Object.keys(workloads) as WorkloadName[];
const make = (name: WorkloadName, seed = 3): TraceRequest[] =>
  workloads[name]({ requests: 2_000, requestsPerSec: 5, seed });

test.each(names)(
  '%s: as many requests as asked for, in order, with a block for each 512 tokens',
  (name) => {
    const requests = make(name);
    expect(requests).toHaveLength(2_000);
    let beforeMs = 0;
    for (const { atMs, promptTokens, outputTokens, blocks } of requests) {
      expect(atMs).toBeGreaterThanOrEqual(beforeMs);
      beforeMs = atMs;
      expect(Math.min(promptTokens, outputTokens)).toBeGreaterThan(0);
      expect(blocks).toHaveLength(Math.ceil(promptTokens / 512));
    }
  },
);

test.each(names)('%s: equal seeds, equal requests', (name) => {
  expect(make(name)).toEqual(make(name));
  expect(make(name)).not.toEqual(make(name, 4));
});

test('arrivals come at the rate that was asked for', () => {
  const last = make('no-sharing').at(-1);
  expect((last?.atMs ?? 0) / 2_000).toBeGreaterThan(190);
  expect((last?.atMs ?? 0) / 2_000).toBeLessThan(210);
});

test.each<[WorkloadName, number, number]>([
  ['shared-system-prompts', 0.6, 0.95],
  ['multi-turn-chat', 0.6, 0.95],
  ['rag-documents', 0.2, 0.6],
  ['no-sharing', 0, 0],
])('%s: from %d to %d of the blocks have been there before', (name, least, most) => {
  const ratio = poolHitRatio(make(name), Infinity);
  expect(ratio).toBeGreaterThanOrEqual(least);
  expect(ratio).toBeLessThanOrEqual(most);
});

test('blocks have the same number exactly as far as prompts are equal', () => {
  const blocks = new PromptBlocks();
  const system = { id: 's', tokens: 700 };
  const a = blocks.blocksOf([system, { id: 'a', tokens: 600 }]);
  const b = blocks.blocksOf([system, { id: 'b', tokens: 600 }]);
  expect(a).toHaveLength(3);
  expect(b[0]).toBe(a[0]);
  expect(b[1]).not.toBe(a[1]);
  // The same text after another prefix is another block.
  expect(b[2]).not.toBe(a[2]);
  // One that goes on has all whole blocks of the shorter one, and another last one.
  const longer = blocks.blocksOf([system, { id: 'a', tokens: 600 }, { id: 'more', tokens: 5 }]);
  expect(longer.slice(0, 2)).toEqual(a.slice(0, 2));
  expect(longer[2]).not.toBe(a[2]);
  expect(blocks.blocksOf([{ id: 'x', tokens: 1_024 }])).toHaveLength(2);
});
