import { expect, test } from 'vitest';
import type { AdapterDemand } from '../policy.ts';
import {
  chosen,
  sampleFleet as fleet,
  sampleQuery,
  sampleRank as rank,
  SEGMENT,
} from '../testing/fleet-sample.ts';
import { kvCentric } from '../testing/kv-centric-sample.ts';
import { createPolicy, policyNames } from '../policies.ts';
import { seededRandom } from '../random.ts';

/** An adapter that these workers have, and what loading it there takes. */
function adapter(loadMs: Readonly<Record<string, number>>): AdapterDemand {
  return {
    obstacle: (workerId) => (workerId in loadMs ? undefined : 'adapter_missing'),
    loadMs: ({ workerId }) => loadMs[workerId] ?? Infinity,
  };
}
const query = (demand: AdapterDemand, held = {}) =>
  sampleQuery({ promptTokens: 10 * SEGMENT, held }, { adapter: demand });

test('a load is weighed against what else the first token waits for', () => {
  const both = [rank('cold', 'both'), rank('warm', 'both', { queueMs: 150 })];
  const decide = (loadMs: number) =>
    kvCentric().decide(query(adapter({ cold: loadMs, warm: 0 })), fleet(both));
  const slow = decide(400);
  expect(chosen(slow).prefill).toMatchObject({ workerId: 'warm', adapterMs: 0 });
  if (slow.kind !== 'chosen') throw new Error('nobody was chosen');
  const cold = slow.explanation.candidates.find(
    ({ prefillWorker, mode }) => prefillWorker === 'cold' && mode === 'aggregated',
  );
  expect(cold).toMatchObject({ terms: { adapterMs: 400 }, lostBy: { term: 'adapterMs' } });
  const quick = chosen(decide(50));
  expect(quick).toMatchObject({ prefill: { workerId: 'cold', adapterMs: 50 } });
  expect(quick.predictedTtftMs).toBe(50 + quick.prefill.prefillMs);
});

test('both sides of a pair load it, and without an adapter nobody speaks of one', () => {
  const pair = [rank('p', 'prefill'), rank('d', 'decode')];
  const plain = chosen(kvCentric().decide(sampleQuery({ promptTokens: 640 }), fleet(pair)));
  const choice = chosen(kvCentric().decide(query(adapter({ p: 30, d: 40 })), fleet(pair)));
  expect(choice.mode).toBe('disaggregated');
  expect(choice.computedInMs).toBe(plain.computedInMs + 30);
  expect(choice.predictedTtftMs).toBe(plain.predictedTtftMs + 70);
  const decision = kvCentric().decide(sampleQuery({ promptTokens: 640 }), fleet(pair));
  expect(decision.explanation.candidates[0]?.terms).not.toHaveProperty('adapterMs');
});

test.each(policyNames)('%s plans on no worker that lacks the adapter', (name) => {
  const ranks = ['a', 'b', 'c'].map((workerId) => rank(workerId, 'both'));
  const held = { a: 9, c: 9 };
  for (let turn = 0; turn < 6; turn += 1) {
    const policy = createPolicy({ policy: name }, seededRandom(turn));
    const decision = policy.decide(query(adapter({ b: 500 }), held), fleet(ranks));
    expect(chosen(decision)).toMatchObject({
      prefill: { workerId: 'b', adapterMs: 500 },
      decode: { workerId: 'b' },
    });
    expect(decision.explanation.ineligible).toContainEqual({
      ...{ workerId: 'a', reason: 'adapter_missing' },
    });
    const nobody = policy.decide(query(adapter({})), fleet(ranks));
    expect(nobody).toMatchObject({ kind: 'none', code: 'no_worker' });
    expect(policy.estimateMs(query(adapter({})), fleet(ranks))).toBe(Infinity);
  }
});
