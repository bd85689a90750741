import type { WorkerBeat, WorkerFacts } from '../worker.ts';

/** A worker with plausible facts, for tests and simulations. */
export function sampleFacts(changes: Partial<WorkerFacts> = {}): WorkerFacts {
  return {
    workerId: 'w1',
    role: 'both',
    model: 'tiny',
    engine: 'llama',
    engineUrl: 'http://127.0.0.1:1',
    transferAddress: '127.0.0.1:2',
    layout: {
      modelRevision: 'aa',
      dtype: 'f16',
      layers: 2,
      ranks: 1,
      blockTokens: 64,
      connector: 'baton',
      connectorVersion: '1',
      bytesPerToken: 1024,
      segmentBytes: 65_536,
    },
    tokenization: 'tok',
    segmentTokens: 64,
    maxModelTokens: 8192,
    kvCapacityBlocks: 512,
    maxSequences: 16,
    capabilities: {
      pullPrefix: true,
      exportPrefix: true,
      overlapHandover: true,
      firstTokenFromPrefill: true,
      takeSalt: false,
      takeTokens: true,
      release: true,
      migrate: false,
      callTools: false,
    },
    dramCapacitySegments: 1024,
    ...changes,
  };
}

/** A beat of {@link sampleFacts} with nothing held and nothing at work. */
export function sampleBeat(
  facts: Partial<WorkerFacts> = {},
  changes: Partial<Omit<WorkerBeat, 'worker'>> = {},
): WorkerBeat {
  return {
    worker: sampleFacts(facts),
    epoch: { startedAtMs: 1, nonce: 0 },
    state: 'ready',
    reason: '',
    lastDeltaSeq: 0,
    loads: [],
    tiers: [],
    counters: {},
    leaseMs: 3000,
    ...changes,
  };
}
