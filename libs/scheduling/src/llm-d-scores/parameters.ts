import type { ParameterTable, ParameterValues } from '../parameters.ts';

const ROUTER = 'llm-d-router @ebab687 sim-pd-epp-config';
const INDEX = 'llm-d-kv-cache @7be76e1';

export const llmDScoresParameters = {
  prefixWeight: {
    value: 2,
    meaning: 'weight of the share of the prompt that is cached',
    source: `${ROUTER} prefix-cache-scorer`,
  },
  queueWeight: {
    value: 1,
    meaning: 'weight of the requests that wait in the engine',
    source: `${ROUTER} queue-scorer`,
  },
  kvUsageWeight: {
    value: 0,
    meaning: 'weight of the free KV cache',
    source: `${ROUTER}: it has no kv-cache-utilization-scorer`,
  },
  hbmTierWeight: {
    value: 1,
    meaning: 'what a segment in HBM counts',
    source: `${INDEX} gpu`,
  },
  dramTierWeight: {
    value: 0.8,
    meaning: 'what a segment in DRAM counts',
    source: `${INDEX} cpu`,
  },
  otherTierWeight: {
    value: 1,
    meaning: 'what a segment in any other tier counts',
    source: `${INDEX}: a tier that is not listed`,
  },
} as const satisfies ParameterTable;

export type LlmDScoresParameters = ParameterValues<typeof llmDScoresParameters>;
