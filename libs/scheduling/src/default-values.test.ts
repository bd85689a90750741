import { expect, test } from 'vitest';
import { policyEntries, policyNames, type PolicyName } from './policies.ts';

const SMG = 'SGLang gateway (SMG) @73da68ca';
const RAY = 'Ray Serve @06c16f2f PrefixCacheAffinityRouter';
const DYNAMO = 'Dynamo 1.6.1';
const ROUTER = 'llm-d-router @ebab687 sim-pd-epp-config';
const INDEX = 'llm-d-kv-cache @7be76e1';
const MOONCAKE = 'Mooncake (arXiv 2407.00079v3, Algorithm 1)';

/**
 * Every default of every policy that is compared with ours, and where it comes from. A default that
 * changes has to be changed here, too, with the version of the peer in which it did.
 */
const defaults: readonly [PolicyName, string, number, string][] = [
  ['prefix-hash', 'prefixTokens', 256, `${SMG} prefix_hash`],
  ['prefix-hash', 'loadFactor', 1.25, `${SMG} prefix_hash`],
  ['prefix-hash', 'virtualNodes', 150, `${SMG} hash ring`],
  ['session', 'virtualNodes', 150, `${SMG} hash ring`],
  ['session', 'idleMs', 4 * 3_600_000, `${SMG} manual: 4 h`],
  ['session', 'maxSessions', 100_000, 'own'],
  ['approx-radix', 'cacheThreshold', 0.3, `${SMG} cache_aware, command line`],
  ['approx-radix', 'balanceAbsThreshold', 64, `${SMG} cache_aware, command line`],
  ['approx-radix', 'balanceRelThreshold', 1.5, `${SMG} cache_aware, command line`],
  ['approx-radix', 'overloadKvUsage', 1, `${SMG} cache_aware, command line`],
  ['approx-radix', 'balanceKvUsage', 1, `${SMG} cache_aware, command line`],
  ['approx-radix', 'evictionIntervalMs', 120_000, `${SMG} cache_aware, command line`],
  ['approx-radix', 'maxTreeTokens', 67_108_864, `${SMG} cache_aware, command line`],
  ['prefix-affinity-p2c', 'imbalancedThreshold', Infinity, `${RAY}; 10 before ray #59390`],
  ['prefix-affinity-p2c', 'matchRateThreshold', 0.1, RAY],
  ['prefix-affinity-p2c', 'doEviction', 0, RAY],
  ['prefix-affinity-p2c', 'evictionThresholdTokens', 400_000, `${RAY}, in characters`],
  ['prefix-affinity-p2c', 'evictionTargetTokens', 360_000, `${RAY}, in characters`],
  ['prefix-affinity-p2c', 'evictionIntervalMs', 10_000, RAY],
  ['composite', 'alpha', 1, 'own'],
  ['composite', 'beta', 1, 'own: with alpha 1, a whole hit is worth one second'],
  ['hybrid-overflow', 'baseTokens', 2_048, 'own'],
  ['hybrid-overflow', 'perPromptToken', 1, 'own: to stay saves at most the whole prompt'],
  ['dynamo-cost', 'overlapCredit', 1, `${DYNAMO} --router-kv-overlap-score-credit`],
  ['dynamo-cost', 'overlapCreditDecay', 0, `${DYNAMO} --router-kv-overlap-score-credit-decay`],
  ['dynamo-cost', 'hostCredit', 0.75, `${DYNAMO} --router-host-cache-hit-weight`],
  ['dynamo-cost', 'diskCredit', 0.25, `${DYNAMO} --router-disk-cache-hit-weight`],
  ['dynamo-cost', 'prefillLoadScale', 1, `${DYNAMO} --router-prefill-load-scale`],
  ['dynamo-cost', 'decodeRequestWeight', 0, `${DYNAMO} --router-decode-active-request-weight`],
  ['dynamo-cost', 'temperature', 0, `${DYNAMO} --router-temperature`],
  ['llm-d-scores', 'prefixWeight', 2, `${ROUTER} prefix-cache-scorer`],
  ['llm-d-scores', 'queueWeight', 1, `${ROUTER} queue-scorer`],
  ['llm-d-scores', 'kvUsageWeight', 0, `${ROUTER}: it has no kv-cache-utilization-scorer`],
  ['llm-d-scores', 'hbmTierWeight', 1, `${INDEX} gpu`],
  ['llm-d-scores', 'dramTierWeight', 0.8, `${INDEX} cpu`],
  ['llm-d-scores', 'otherTierWeight', 1, `${INDEX}: a tier that is not listed`],
  [
    'mooncake-argmin',
    'balancingThreshold',
    2,
    `own: ${MOONCAKE} tunes it by hand and gives no value`,
  ],
];

test.each(defaults)('%s: %s is %d by default', (policy, name, value, source) => {
  expect(policyEntries[policy].parameters[name]).toMatchObject({ value, source });
});

test('the table has every parameter of every policy but our own', () => {
  const known = policyNames
    .filter((policy) => policy !== 'kv-centric')
    .flatMap((policy) =>
      Object.keys(policyEntries[policy].parameters).map((name) => `${policy} ${name}`),
    );
  expect(defaults.map(([policy, name]) => `${policy} ${name}`).sort()).toEqual(known.sort());
});
