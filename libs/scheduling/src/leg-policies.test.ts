import { Tier } from '@baton/kv';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { policyEntries, policyNames, type PolicyName } from './policies.ts';
import type { Leg, LegPick, LegPolicy, PlanQuery, RankView } from './policy.ts';
import { seededRandom } from './random.ts';
import { sampleFleet, sampleQuery, sampleRank, SEGMENT } from './testing/fleet-sample.ts';

const workerIds = ['w1', 'w2', 'w3', 'w4', 'w5'];

const workerArbitrary = fc.record({
  offered: fc.boolean(),
  streams: fc.nat(80),
  prefillTokens: fc.nat(20_000),
  kvBlocks: fc.nat(512),
  kvUsedBlocks: fc.option(fc.nat(512), { nil: undefined }),
  rank: fc.nat(1),
});
type Worker = typeof workerArbitrary extends fc.Arbitrary<infer T> ? T : never;

const stepArbitrary = fc.record({
  family: fc.constantFrom('a', 'b'),
  promptTokens: fc.integer({ min: 1, max: 9 * SEGMENT }),
  held: fc.array(fc.tuple(fc.constantFrom(...workerIds), fc.nat(9)), { maxLength: 4 }),
  leg: fc.constantFrom<Leg>('prefill', 'decode', 'whole'),
  sessionId: fc.constantFrom('', 's1', 's2'),
  workers: fc.array(workerArbitrary, { minLength: 5, maxLength: 5 }),
  forgotten: fc.option(fc.constantFrom(...workerIds), { nil: undefined }),
});
type Step = typeof stepArbitrary extends fc.Arbitrary<infer T> ? T : never;

function rankOf(worker: Worker, i: number): RankView {
  const { streams, prefillTokens, kvBlocks, kvUsedBlocks, rank } = worker;
  const reported = {
    rank,
    runningSequences: streams,
    waitingSequences: streams % 7,
    pendingPrefillTokens: prefillTokens,
    kvUsedBlocks: kvUsedBlocks ?? 0,
    prefillTokensPerSec: 0,
    decodeTokensPerSec: 0,
    dramBytesPerSec: 0,
    ssdBytesPerSec: 0,
  };
  return sampleRank(workerIds[i] ?? '', 'both', {
    rank,
    load: { streams, prefillTokens, kvBlocks },
    reported: kvUsedBlocks === undefined ? undefined : reported,
  });
}

function queryOf({ family, promptTokens, held, sessionId }: Step, nowMs: number): PlanQuery {
  const holders = held.map(([id, segments]): [string, Tier, number] => [id, Tier.HBM, segments]);
  return sampleQuery({ family, promptTokens, held: holders }, { sessionId, nowMs });
}

/** Runs all steps through a policy and returns what it picked, with how many ranks it could choose from. */
function run(name: PolicyName, steps: readonly Step[]): { pick: LegPick; offered: number }[] {
  const policy: LegPolicy = policyEntries[name].create({}, seededRandom(7));
  return steps.map((step, i) => {
    const all = step.workers.map(rankOf);
    const some = all.filter((_, at) => step.workers[at]?.offered);
    const ranks = some.length > 0 ? some : all;
    const query = queryOf(step, i * 60_000);
    const pick = policy.pick(query, step.leg, ranks, sampleFleet(all));
    const chosen = ranks[pick.index];
    if (chosen !== undefined) {
      policy.placed?.(query, { workerId: chosen.facts.workerId, rank: chosen.rank });
    }
    if (step.forgotten !== undefined) policy.forgetWorker?.(step.forgotten);
    return { pick, offered: ranks.length };
  });
}

/** They leave it to chance or order which ranks are compared at all. */
const notByCost: readonly PolicyName[] = ['random', 'round-robin', 'power-of-two'];

function checkPick(name: PolicyName, { index, scores }: LegPick, offered: number): void {
  expect(Number.isInteger(index)).toBe(true);
  expect(index).toBeGreaterThanOrEqual(0);
  expect(index).toBeLessThan(offered);
  expect(scores).toHaveLength(offered);
  const numbers = scores.flatMap(({ cost, terms }) => [cost, ...Object.values(terms)]);
  expect(numbers.filter((value) => !Number.isFinite(value))).toEqual([]);
  if (notByCost.includes(name)) return;
  const least = Math.min(...scores.map((score) => score.cost));
  // kv-centric takes turns among costs that are nearly equal.
  const margin = name === 'kv-centric' ? Math.max(1, Math.abs(least) * 0.02) : 0;
  expect(scores[index]?.cost).toBeLessThanOrEqual(least + margin);
}

test.each(policyNames)(
  '%s: whatever the fleet, the cheapest of those offered, a score for each, the same again',
  (name) => {
    fc.assert(
      fc.property(fc.array(stepArbitrary, { maxLength: 6 }), (steps) => {
        const picks = run(name, steps);
        for (const { pick, offered } of picks) checkPick(name, pick, offered);
        expect(run(name, steps)).toEqual(picks);
      }),
      { numRuns: 40 },
    );
  },
);
