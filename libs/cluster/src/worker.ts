import { isWorkerId, workerIdRule, type KvLayout } from '@baton/kv';

export type Role = 'prefill' | 'decode' | 'both';

export type WorkerState = 'starting' | 'ready' | 'draining' | 'leaving';

/** An agent's incarnation. */
export interface Epoch {
  startedAtMs: number;
  nonce: number;
}

/** What a worker can do; the planner obeys it. */
export interface Capabilities {
  pullPrefix: boolean;
  exportPrefix: boolean;
  overlapHandover: boolean;
  firstTokenFromPrefill: boolean;
  takeSalt: boolean;
  takeTokens: boolean;
  release: boolean;
  migrate: boolean;
  callTools: boolean;
}

/** What all of them can do. */
export function commonCapabilities([first, ...others]: readonly [
  Capabilities,
  ...Capabilities[],
]): Capabilities {
  const common = { ...first };
  for (const name of Object.keys(common) as (keyof Capabilities)[]) {
    common[name] &&= others.every((other) => other[name]);
  }
  return common;
}

/** What does not change while an agent's epoch lasts. */
export interface WorkerFacts {
  workerId: string;
  role: Role;
  /** The name that clients use. */
  model: string;
  engine: string;
  engineUrl: string;
  /** host:port where other agents pull from. */
  transferAddress: string;
  layout: KvLayout;
  tokenization: string;
  segmentTokens: number;
  /** Prompt and output together. */
  maxModelTokens: number;
  /** HBM of one rank in blocks of `layout.blockTokens`. */
  kvCapacityBlocks: number;
  /** Sequences that the engine runs at once. */
  maxSequences: number;
  capabilities: Capabilities;
  dramCapacitySegments: number;
  /** Sequences of its model can be resumed only where resume points have been announced. */
  hybrid?: boolean;
}

/** What the engine reports about one rank. */
export interface RankLoad {
  rank: number;
  runningSequences: number;
  waitingSequences: number;
  /** Prompt tokens accepted and not yet computed. */
  pendingPrefillTokens: number;
  kvUsedBlocks: number;
  /** Measured; 0 while unknown. */
  prefillTokensPerSec: number;
  /** Measured; 0 while unknown. */
  decodeTokensPerSec: number;
}

/**
 * What one tier of one rank holds, by the agent's own account. `tier` may be a number that is not
 * known.
 */
export interface TierState {
  tier: number;
  rank: number;
  segments: number;
  capacitySegments: number;
  xor: Uint8Array;
  /** Whether it is the account of resume points instead of KV. */
  resumePoints?: boolean;
}

/** Counters of an agent since its epoch began, by name. */
export type AgentCounters = Readonly<Record<string, number>>;

/**
 * The message that renews a worker's lease and says everything that a restarted conductor needs.
 */
export interface WorkerBeat {
  worker: WorkerFacts;
  epoch: Epoch;
  state: WorkerState;
  reason: string;
  lastDeltaSeq: number;
  loads: readonly RankLoad[];
  tiers: readonly TierState[];
  counters: AgentCounters;
  leaseMs: number;
}

/** Negative when `a` is the older incarnation, 0 when both are the same. */
export function compareEpochs(a: Epoch, b: Epoch): number {
  return a.startedAtMs - b.startedAtMs || a.nonce - b.nonce;
}

/** May run the prefill leg. */
export function canPrefill(facts: WorkerFacts): boolean {
  return facts.role !== 'decode';
}

/** May run the decode leg or a whole request. */
export function canDecode(facts: WorkerFacts): boolean {
  return facts.role !== 'prefill';
}

const MAX_SEGMENT_TOKENS = 65_536;

/** Why these facts cannot be planned with, naming the field; undefined when they can. */
export function factsProblem(facts: WorkerFacts): string | undefined {
  if (!isWorkerId(facts.workerId)) return `workerId must be ${workerIdRule}`;
  if (facts.model === '') return 'model must not be empty';
  if (facts.tokenization === '') return 'tokenization must not be empty';
  if (!/^https?:\/\//.test(facts.engineUrl)) return 'engineUrl must be an http URL';
  const positive: [string, number][] = [
    ['segmentTokens', facts.segmentTokens],
    ['maxModelTokens', facts.maxModelTokens],
    ['maxSequences', facts.maxSequences],
    ['kvCapacityBlocks', facts.kvCapacityBlocks],
    ['layout.blockTokens', facts.layout.blockTokens],
    ['layout.bytesPerToken', facts.layout.bytesPerToken],
    ['layout.segmentBytes', facts.layout.segmentBytes],
  ];
  for (const [name, value] of positive) {
    if (!Number.isSafeInteger(value) || value < 1) return `${name} must be a positive integer`;
  }
  if (facts.segmentTokens > MAX_SEGMENT_TOKENS) {
    return `segmentTokens must be at most ${MAX_SEGMENT_TOKENS}`;
  }
  if (facts.segmentTokens % facts.layout.blockTokens !== 0) {
    return `segmentTokens ${facts.segmentTokens} is no multiple of layout.blockTokens ${facts.layout.blockTokens}`;
  }
  return undefined;
}
