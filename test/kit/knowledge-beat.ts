import { baton } from '@baton/proto';

/** Long: on a busy machine a test may keep its agents from beating for a while. */
const LEASE_MS = 60_000;

/** What a beat says besides what is held: a worker as a conductor takes it. */
export function knowledgeBeat(workerId: string, hybrid = false): baton.v1.IWorkerBeat {
  return {
    worker: {
      ...{ workerId, role: baton.v1.Role.ROLE_BOTH, model: 'tiny', engine: 'llama' },
      ...{ engineUrl: `http://${workerId}.invalid`, transferAddress: `${workerId}:1` },
      layout: {
        ...{ modelRevision: 'a', dtype: 'f16', layers: 2, ranks: 1, blockTokens: 64 },
        ...{ connector: 'llama', connectorVersion: '1', bytesPerToken: 64, segmentBytes: 4096 },
      },
      ...{ tokenization: 'tok', segmentTokens: 64, maxModelTokens: 8192 },
      ...{ kvCapacityBlocks: 256, maxSequences: 8 },
      capabilities: { overlapHandover: true },
      hybrid,
    },
    state: baton.v1.WorkerState.WORKER_STATE_READY,
    leaseMs: LEASE_MS,
  };
}
