import type { ParameterTable, ParameterValues } from '../parameters.ts';

const SMG = 'SGLang gateway (SMG) @73da68ca';

export const prefixHashParameters = {
  prefixTokens: {
    value: 256,
    atLeast: 1,
    meaning: 'leading prompt tokens by which a request is placed, rounded to whole segments',
    source: `${SMG} prefix_hash`,
  },
  loadFactor: {
    value: 1.25,
    atLeast: 1,
    meaning: 'requests that the owner may have, as a multiple of the average',
    source: `${SMG} prefix_hash`,
  },
  virtualNodes: {
    value: 150,
    atLeast: 1,
    meaning: 'places of each rank on the ring',
    source: `${SMG} hash ring`,
  },
} as const satisfies ParameterTable;

export type PrefixHashParameters = ParameterValues<typeof prefixHashParameters>;
