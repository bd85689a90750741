import type { ParameterTable, ParameterValues } from '../parameters.ts';

const RAY = 'Ray Serve @06c16f2f PrefixCacheAffinityRouter';

export const prefixAffinityParameters = {
  imbalancedThreshold: {
    value: Infinity,
    meaning: 'requests by which ranks may differ before load decides',
    source: `${RAY}; 10 before ray #59390`,
  },
  matchRateThreshold: {
    value: 0.1,
    atMost: 1,
    meaning: 'share of the prompt that must match for the match to decide',
    source: RAY,
  },
  doEviction: {
    value: 0,
    atMost: 1,
    meaning: '1: ranks with too much in the tree lose what is oldest',
    source: RAY,
  },
  evictionThresholdTokens: {
    value: 400_000,
    meaning: 'what a rank may have in the tree before it loses something',
    source: `${RAY}, in characters`,
  },
  evictionTargetTokens: {
    value: 360_000,
    meaning: 'what it keeps then',
    source: `${RAY}, in characters`,
  },
  evictionIntervalMs: {
    value: 10_000,
    meaning: 'between two times that this is looked at',
    source: RAY,
  },
} as const satisfies ParameterTable;

export type PrefixAffinityParameters = ParameterValues<typeof prefixAffinityParameters>;
