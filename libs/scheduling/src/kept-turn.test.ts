import { sampleFacts } from '@baton/cluster';
import { expect, test } from 'vitest';
import { turnSegments } from './kept-turn.ts';
import { createPolicy } from './policies.ts';
import { seededRandom } from './random.ts';
import {
  chosen,
  sampleFleet,
  sampleLinks,
  sampleQuery,
  sampleRank,
  SEGMENT,
} from './testing/fleet-sample.ts';
import { kvCentric, untied } from './testing/kv-centric-sample.ts';

const layout = { ...sampleFacts().layout, connector: 'nixl' };
const capabilities = { ...sampleFacts().capabilities, pullPrefix: false, exportPrefix: false };
const facts = { layout, capabilities };
const kept = (tokens: number, workerId = 'decode-1') => ({ workerId, layout, tokens });
const prefill = (name: string, more = {}) => sampleRank(name, 'prefill', { facts, ...more });
const decode = (name: string, more = {}) => sampleRank(name, 'decode', { facts, ...more });
const query = (tokens: number, held: Record<string, number> = {}, promptTokens = 40 * SEGMENT) =>
  sampleQuery({ promptTokens, held }, { keptTurn: kept(tokens) });

test('what a rank would read is what it lacks of the turn, in whole segments', () => {
  const rank = prefill('p');
  expect(turnSegments(query(20 * SEGMENT + 5), rank, 8)).toBe(12);
  // The last token of a prompt is always computed.
  expect(turnSegments(query(40 * SEGMENT), rank, 8)).toBe(31);
  // Nothing, or so little that the engine computes it: it is told all the same.
  expect(turnSegments(query(20 * SEGMENT), rank, 20)).toBe(0);
  expect(turnSegments(query(20 * SEGMENT + 63), rank, 20)).toBe(0);
  expect(turnSegments(query(20 * SEGMENT), rank, 25)).toBe(0);
});

test.each([
  ['no turn', sampleQuery({ promptTokens: 4_000 }), prefill('p')],
  ['a decode worker', query(2_000), decode('other')],
  ['its keeper', query(2_000), prefill('decode-1')],
  [
    'another revision',
    query(2_000),
    prefill('p', { facts: { ...facts, layout: { ...layout, modelRevision: 'bb' } } }),
  ],
])('%s: nobody can be told', (_, asked, rank) => {
  expect(turnSegments(asked, rank, 0)).toBeUndefined();
});

test('prefill is cheaper by what it reads, and that is fetched', () => {
  const ranks = [prefill('p'), decode('decode-1'), decode('decode-2')];
  const links = sampleLinks({ 'decode-1>p': 1 });
  const policy = kvCentric(untied);
  const choice = chosen(
    policy.decide(query(20 * SEGMENT, { p: 8 }), sampleFleet(ranks, { links })),
  );
  expect(choice).toMatchObject({
    ...{ mode: 'disaggregated', turnSegments: 12, pulls: [] },
    prefill: { workerId: 'p', heldSegments: 8, prefillTokens: 20 * SEGMENT },
  });
  // 12 segments of 1 ms and the latency, then half a millisecond for each token.
  expect(choice.computedInMs).toBeCloseTo(8 + 12 + 20 * 32);
});

test('a rank that is busy lets the engine read meanwhile', () => {
  const ranks = [prefill('p', { queueMs: 100 }), decode('decode-1')];
  const links = sampleLinks({ 'decode-1>p': 1 });
  const found = kvCentric(untied).decide(query(20 * SEGMENT), sampleFleet(ranks, { links }));
  expect(chosen(found).computedInMs).toBeCloseTo(100 + 20 * 32);
});

test('over a slow link it is computed, and nobody is told', () => {
  const ranks = [prefill('p'), decode('decode-1')];
  const links = sampleLinks({ 'decode-1>p': 100 });
  const choice = chosen(
    kvCentric(untied).decide(query(20 * SEGMENT), sampleFleet(ranks, { links })),
  );
  expect(choice.turnSegments).toBeUndefined();
  expect(choice.prefill.prefillTokens).toBe(40 * SEGMENT);
});

test('one that has it all lets decode forget it; alone nobody reads', () => {
  const ranks = [prefill('p'), decode('decode-1')];
  const asked = query(20 * SEGMENT, { p: 20 });
  expect(chosen(kvCentric(untied).decide(asked, sampleFleet(ranks))).turnSegments).toBe(0);
  const short = query(39 * SEGMENT + 30, { 'decode-1': 39 });
  const alone = chosen(kvCentric(untied).decide(short, sampleFleet(ranks)));
  expect([alone.mode, alone.turnSegments]).toEqual(['aggregated', undefined]);
});

test('other policies have it read wherever the prompt goes', () => {
  const ranks = [prefill('p'), decode('decode-1')];
  const policy = createPolicy({ policy: 'round-robin' }, seededRandom(1));
  const choice = chosen(policy.decide(query(20 * SEGMENT), sampleFleet(ranks)));
  expect([choice.mode, choice.turnSegments]).toEqual(['disaggregated', 20]);
});
