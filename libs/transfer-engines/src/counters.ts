import type { TransferCounters } from './transfer-engine.ts';

export function noTransfers(): TransferCounters {
  return {
    pullsStarted: 0,
    pullsCompleted: 0,
    pullsFailed: 0,
    pullsActive: 0,
    segmentsIn: 0,
    segmentsOut: 0,
    bytesIn: 0,
    bytesOut: 0,
    checksumFailures: 0,
    stalls: 0,
    cuts: 0,
  };
}
