import type { ParameterTable, ParameterValues } from '../parameters.ts';

const DYNAMO = 'Dynamo 1.6.1';

export const dynamoCostParameters = {
  overlapCredit: {
    value: 1,
    meaning: 'prefill blocks that a block held in HBM saves; 0 for the decode leg',
    source: `${DYNAMO} --router-kv-overlap-score-credit`,
  },
  overlapCreditDecay: {
    value: 0,
    meaning: 'how much that credit shrinks where more prefill waits than at the least loaded rank',
    source: `${DYNAMO} --router-kv-overlap-score-credit-decay`,
  },
  hostCredit: {
    value: 0.75,
    meaning: 'the same for a block in DRAM',
    source: `${DYNAMO} --router-host-cache-hit-weight`,
  },
  diskCredit: {
    value: 0.25,
    meaning: 'the same for a block on SSD',
    source: `${DYNAMO} --router-disk-cache-hit-weight`,
  },
  prefillLoadScale: {
    value: 1,
    meaning: 'weight of a prefill block beside a decode block',
    source: `${DYNAMO} --router-prefill-load-scale`,
  },
  decodeRequestWeight: {
    value: 0,
    meaning: 'blocks that each request at work counts as',
    source: `${DYNAMO} --router-decode-active-request-weight`,
  },
  temperature: {
    value: 0,
    meaning: '0: the least cost; more: by chance, the cheaper the likelier',
    source: `${DYNAMO} --router-temperature`,
  },
} as const satisfies ParameterTable;

export type DynamoCostParameters = ParameterValues<typeof dynamoCostParameters>;
