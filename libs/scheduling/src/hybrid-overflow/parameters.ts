import type { ParameterTable, ParameterValues } from '../parameters.ts';

export const hybridOverflowParameters = {
  baseTokens: {
    value: 2_048,
    meaning: 'tokens that the owner may have to do more than the least loaded rank',
    source: 'own',
  },
  perPromptToken: {
    value: 1,
    meaning: 'further ones for each prompt token',
    source: 'own: to stay saves at most the whole prompt',
  },
} as const satisfies ParameterTable;

export type HybridOverflowParameters = ParameterValues<typeof hybridOverflowParameters>;
