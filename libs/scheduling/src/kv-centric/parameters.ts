import type { ParameterTable, ParameterValues } from '../parameters.ts';

export const kvCentricParameters = {
  aggregateBelowTokens: {
    value: 128,
    meaning: 'prompt tokens that a decode worker may lack and still run a request alone',
    source: 'own',
  },
  pulls: {
    value: 1,
    atMost: 1,
    meaning: '0: a longer prefix elsewhere is never pulled',
    source: 'own',
  },
  dramBytesPerSec: {
    value: 2e9,
    above: 0,
    meaning: 'from DRAM into the engine, until the worker reports what it measures',
    source: 'own',
  },
  ssdBytesPerSec: {
    value: 1e9,
    above: 0,
    meaning: 'from SSD into the engine, until the worker reports what it measures',
    source: 'own',
  },
  pullLatencyMs: { value: 4, meaning: 'fixed cost of a pull', source: 'own: measured over TCP' },
  handoverLatencyMs: {
    value: 8,
    meaning: 'fixed cost of a handover',
    source: 'own: measured over TCP',
  },
  linkShare: {
    value: 0.25,
    atMost: 1,
    meaning:
      'of the time that a handover keeps its link from others, hidden or not; not part of the predicted TTFT',
    source: 'own: delay of others on a link that is busy a fifth of the time',
  },
  decodeStreamMs: {
    value: 2,
    meaning: 'cost of each stream that runs at the decode worker; not part of the predicted TTFT',
    source: 'own',
  },
  tieMs: { value: 1, meaning: 'costs this close are equal', source: 'own' },
  tieShare: { value: 0.02, meaning: 'the same as a share of the least cost', source: 'own' },
} as const satisfies ParameterTable;

export type KvCentricParameters = ParameterValues<typeof kvCentricParameters>;
