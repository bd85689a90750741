import { baton } from '../generated/baton.js';

/** One good message of each kind, every field set. */

const { Role, Tier, WorkerState, KvOpKind, PlanMode, PlanPhase, TransferReason, TransferStatus } =
  baton.v1;

const keys = (count: number): Uint8Array => new Uint8Array(16 * count).fill(7);
const epoch = { startedAtMs: 1_764_000_000_000, nonce: 2 ** 52 };
const capabilities = {
  pullPrefix: true,
  exportPrefix: true,
  overlapHandover: true,
  firstTokenFromPrefill: true,
  takeSalt: true,
  takeTokens: true,
  release: true,
  migrate: true,
  callTools: true,
};

const meetingPoint = {
  host: '10.0.0.1',
  port: 8998,
  engineIds: ['engine-0', 'engine-1'],
  tensorRanks: 2,
  pipelineRanks: 1,
};

export const engineSample = {
  model: 'tiny',
  engine: 'llama',
  engineUrl: 'http://127.0.0.1:1',
  layout: {
    modelRevision: 'aa',
    dtype: 'f16',
    layers: 2,
    ranks: 1,
    blockTokens: 16,
    connector: 'llama',
    connectorVersion: '1',
    bytesPerToken: 1024,
    segmentBytes: 65_536,
  },
  tokenization: 'tok',
  segmentTokens: 64,
  maxModelTokens: 8192,
  kvCapacityBlocks: 512,
  maxSequences: 16,
  capabilities,
};

export const helloSample = {
  worker: engineSample,
  eventsEndpoint: 'tcp://127.0.0.1:2',
  replayEndpoint: 'tcp://127.0.0.1:3',
  pageBytes: 70_000,
};

export const loadSample = {
  rank: 1,
  runningSequences: 2,
  waitingSequences: 3,
  pendingPrefillTokens: 4,
  kvUsedBlocks: 5,
  prefillTokensPerSec: 6.5,
  decodeTokensPerSec: 7.5,
  dramBytesPerSec: 8.5,
  ssdBytesPerSec: 9.5,
  report: 12,
};

export const beatSample = {
  worker: {
    ...engineSample,
    workerId: 'w1',
    role: Role.ROLE_DECODE,
    transferAddress: '[::1]:5000',
    dramCapacitySegments: 100,
    hybrid: true,
    meetingPoint,
    pairOnly: true,
  },
  epoch,
  state: WorkerState.WORKER_STATE_READY,
  reason: 'because',
  lastDeltaSeq: 2 ** 40,
  loads: [loadSample],
  tiers: [
    {
      tier: Tier.TIER_DRAM,
      rank: 1,
      segments: 3,
      capacitySegments: 100,
      xor: keys(1),
      resumePoints: true,
    },
  ],
  counters: {
    pullsStarted: 1,
    pullsCompleted: 2,
    pullsFailed: 3,
    pullsActive: 4,
    segmentsIn: 5,
    segmentsOut: 6,
    bytesIn: 2 ** 45,
    bytesOut: 8,
    checksumFailures: 9,
    stalls: 10,
    cuts: 11,
    tokensReused: 12,
    tokensTransferred: 13,
    tokensComputed: 14,
    handoversReceived: 15,
    handoversFailed: 16,
    pinnedPages: 17,
    leases: 18,
    eventGaps: 19,
    eventDecodeFailures: 20,
    replayedBatches: 21,
    eventResets: 22,
    unresolvedBlocks: 23,
    eventMismatches: 24,
    malformedEvents: 25,
    ignoredBlocks: 26,
    refusedBlocks: 27,
    otherBlockSizes: 28,
    engineRestarts: 29,
    hybridRefusedRanks: 30,
    engineCacheResets: 31,
    engineCacheResetFailures: 32,
    journalFailures: 33,
  },
  leaseMs: 3000,
  adapters: { held: [{ name: 'sql', revision: '/adapters/sql' }], slots: 2, used: ['sql'] },
};

const ops = [
  {
    kind: KvOpKind.KV_OP_KIND_STORE,
    tier: Tier.TIER_HBM,
    rank: 2,
    keys: keys(2),
    resumePoints: true,
  },
  {
    kind: KvOpKind.KV_OP_KIND_CLEAR,
    tier: Tier.TIER_SSD,
    rank: 0,
    keys: keys(0),
    resumePoints: false,
  },
];

export const deltaSample = { workerId: 'w1', epoch, seq: 4, ops };

export const chunkSample = {
  workerId: 'w1',
  epoch,
  snapshotId: 5,
  index: 1,
  count: 2,
  seq: 4,
  ops,
};

export const planRequestSample = {
  requestId: 'r1',
  model: 'tiny',
  segmentKeys: keys(3),
  promptTokens: 200,
  maxOutputTokens: 32,
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  excludeWorkers: ['w2'],
  maxWaitMs: 500,
  adapter: { name: 'sql', revision: '/adapters/sql' },
  hints: { sessionId: 's1', tenant: 't1', priority: 2, ttftSloMs: 900, tbtSloMs: 50 },
  keptTurn: { workerId: 'w3', epoch, tokens: 180 },
};

export const planReportSample = {
  planId: 'c-1',
  phase: PlanPhase.PLAN_PHASE_FAILED,
  outputTokens: 1,
  computedTokens: 2,
  ttftMs: 3.5,
  code: 'engine_failed',
};

const leg = {
  workerId: 'w1',
  engineUrl: 'http://127.0.0.1:1',
  heldTokens: 64,
  engine: 'llama',
  connector: 'baton',
  blockTokens: 16,
  meetingPoint,
  pairOnly: true,
  epoch,
  rank: 3,
};

export const planReplySample = {
  requestId: 'r1',
  planId: 'c-1',
  mode: PlanMode.PLAN_MODE_DISAGGREGATED,
  prefill: leg,
  decode: { ...structuredClone(leg), workerId: 'w2' },
  prefixTokens: 64,
  readsTurn: true,
  leaseMs: 5000,
};

export const refusalSample = {
  requestId: 'r1',
  refusal: { code: 'no_capacity', message: 'full', retryAfterMs: 1000 },
};

export const fleetSample = {
  models: [
    {
      model: 'tiny',
      tokenization: 'tok',
      segmentTokens: 64,
      maxModelTokens: 8192,
      workers: [{ workerId: 'w1', engineUrl: 'http://127.0.0.1:1' }],
      ready: true,
      capabilities,
      adapters: [{ name: 'sql', revision: '/adapters/sql', ready: true }],
    },
  ],
};

export const orderSample = {
  transferId: 'c-1-handover',
  planId: 'c-1',
  reason: TransferReason.TRANSFER_REASON_HANDOVER,
  sourceWorker: 'w1',
  sourceAddress: '127.0.0.1:5000',
  keys: keys(2),
  withTail: true,
  timeoutMs: 1000,
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
};

export const resultSample = {
  transferId: 'c-1-handover',
  workerId: 'w2',
  status: TransferStatus.TRANSFER_STATUS_PARTIAL,
  segments: 2,
  bytes: 2 ** 33,
  durationMs: 4.5,
  bytesPerSec: 1e9,
  backend: 'tcp',
  code: 'transfer_cut',
};
