import type { ParameterTable, ParameterValues } from '../parameters.ts';

export const mooncakeArgminParameters = {
  balancingThreshold: {
    value: 2,
    meaning: 'how many times as long as its own the best prefix must be for a rank to pull it',
    source: 'own: Mooncake (arXiv 2407.00079v3, Algorithm 1) tunes it by hand and gives no value',
  },
} as const satisfies ParameterTable;

export type MooncakeArgminParameters = ParameterValues<typeof mooncakeArgminParameters>;
