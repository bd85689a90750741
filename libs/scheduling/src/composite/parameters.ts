import type { ParameterTable, ParameterValues } from '../parameters.ts';

export const compositeParameters = {
  alpha: {
    value: 1,
    meaning: 'what it is worth to hold the whole prompt',
    source: 'own',
  },
  beta: {
    value: 1,
    meaning: 'what a second in the queue costs',
    source: 'own: with alpha 1, a whole hit is worth one second',
  },
} as const satisfies ParameterTable;

export type CompositeParameters = ParameterValues<typeof compositeParameters>;
