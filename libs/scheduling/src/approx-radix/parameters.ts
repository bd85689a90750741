import type { ParameterTable, ParameterValues } from '../parameters.ts';

const SMG = 'SGLang gateway (SMG) @73da68ca cache_aware';

export const approxRadixParameters = {
  cacheThreshold: {
    value: 0.3,
    atMost: 1,
    meaning: 'share of the prompt that must match, and a bit more, for the match to decide',
    source: `${SMG}, command line`,
  },
  balanceAbsThreshold: {
    value: 64,
    meaning: 'requests by which the most and the least loaded rank may differ',
    source: `${SMG}, command line`,
  },
  balanceRelThreshold: {
    value: 1.5,
    meaning: 'the same as a multiple of the least; both must be passed',
    source: `${SMG}, command line`,
  },
  overloadKvUsage: {
    value: 1,
    meaning: 'reported KV usage of any rank above which load decides; 1: off',
    source: `${SMG}, command line`,
  },
  balanceKvUsage: {
    value: 1,
    meaning: 'spread of the reported KV usages above which load decides; 1: off',
    source: `${SMG}, command line`,
  },
  evictionIntervalMs: {
    value: 120_000,
    meaning: 'between two times that trees are cut to their limit',
    source: `${SMG}, command line`,
  },
  maxTreeTokens: {
    value: 67_108_864,
    meaning: 'limit of each rank in the tree',
    source: `${SMG}, command line`,
  },
} as const satisfies ParameterTable;

export type ApproxRadixParameters = ParameterValues<typeof approxRadixParameters>;
