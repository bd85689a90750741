import type { Adapter, KvLayout, MeetingPoint } from '@baton/kv';

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

/** What does not change while an agent's epoch lasts. Checked by whoever reads the message. */
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
  /** A multiple of `layout.blockTokens`. */
  segmentTokens: number;
  /** Prompt and output together. */
  maxModelTokens: number;
  /** HBM of one rank in blocks of `layout.blockTokens`. */
  kvCapacityBlocks: number;
  /** Sequences that the engine runs at once. */
  maxSequences: number;
  capabilities: Capabilities;
  dramCapacitySegments: number;
  /**
   * Nobody tells what its engine's cache holds: what it was given counts as held until newer work must have taken its
   * place.
   */
  approximate?: boolean;
  /** Sequences of its model can be resumed only where resume points have been announced. */
  hybrid?: boolean;
  /** Where decode workers meet it; undefined where its connector needs no such place. */
  meetingPoint?: MeetingPoint | undefined;
  /** It runs legs of pairs and never a whole request. */
  pairOnly?: boolean;
}

/** LoRA adapters of an engine that takes any. */
export interface WorkerAdapters {
  /** That it can serve now. The same array as long as nothing changes. */
  held: readonly Adapter[];
  /** So many have a place beside its weights at once, the others are loaded before they are used; 0 while unknown. */
  slots: number;
  /** Names of those that it has used since the last beat, the last one last. */
  used: readonly string[];
}

/** What the engine reports about one rank. */
export interface RankLoad {
  rank: number;
  runningSequences: number;
  waitingSequences: number;
  /** Prompt tokens accepted and not yet computed. */
  pendingPrefillTokens: number;
  /** Blocks that running requests hold, a shared one once; what is only cached gives way to them and is free. */
  kvUsedBlocks: number;
  /** Measured; 0 while unknown. */
  prefillTokensPerSec: number;
  /** Measured; 0 while unknown. */
  decodeTokensPerSec: number;
  /** Of KV from its DRAM into HBM: measured; 0 while unknown. */
  dramBytesPerSec: number;
  /** From its SSD. */
  ssdBytesPerSec: number;
  /** Counts what the engine has reported: a beat may tell the same report again. 0 where nobody counts. */
  report?: number;
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
  /** Absent for a worker that takes none. */
  adapters?: WorkerAdapters | undefined;
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
