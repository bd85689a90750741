import { field, list, numberIn, textIn } from '../json-fields.ts';
import type { Paint } from '../render/terminal-text.ts';

/** Where what is shown goes, and how. */
export interface IndexOutput {
  json: boolean;
  paint: Paint;
  print: (line: string) => void;
}

/** What `baton index` shows, read from the admin API; a field that is not there is 0 or empty. */
export interface IndexView {
  segments: number;
  replicas: number;
  maxReplicas: number;
  sizeBytes: number;
  evictedSegments: number;
  refusedStores: number;
  ignoredOps: number;
  strayMessages: number;
  /** Replicas by the tier's name. */
  byTier: [string, number][];
  workers: IndexedWorker[];
  publishers: IndexedPublisher[];
}

export interface IndexedWorker {
  id: string;
  synced: boolean;
  incomplete: boolean;
  waitingKeys: number;
  /** Deltas that were missing, and times that the engine's events were. */
  gaps: number;
  eventGaps: number;
  /** Snapshots that were asked for, by their cause. */
  resyncs: [string, number][];
  unresolvedBlocks: number;
  decodeFailures: number;
  tiers: IndexedTier[];
}

export interface IndexedTier {
  rank: number;
  name: string;
  isResumePoints: boolean;
  /** By the agent's account, and by the index. */
  segments: number;
  indexedSegments: number;
  isSame: boolean;
}

/** Somebody registered with the indexer API. */
export interface IndexedPublisher {
  instanceId: string;
  tenantId: string;
  model: string;
  rank: number;
  state: string;
  blocks: number;
  batches: number;
  gaps: number;
  unresolvedBlocks: number;
  decodeFailures: number;
}

/** Reads `GET /index`. */
export function readIndex(answer: unknown): IndexView {
  const stats = field(answer, 'stats');
  return {
    segments: numberIn(stats, 'segments'),
    replicas: numberIn(stats, 'replicas'),
    maxReplicas: numberIn(field(answer, 'limits'), 'maxReplicas'),
    sizeBytes: numberIn(stats, 'sizeBytes'),
    evictedSegments: numberIn(stats, 'evictedSegments'),
    refusedStores: numberIn(stats, 'refusedStores'),
    ignoredOps: numberIn(stats, 'ignoredOps'),
    strayMessages: numberIn(answer, 'strayMessages'),
    byTier: counts(field(answer, 'replicas')),
    workers: list(field(answer, 'workers')).map(readWorker),
    publishers: list(field(field(answer, 'indexer'), 'services')).map(readPublisher),
  };
}

function readWorker(worker: unknown): IndexedWorker {
  const sync = field(worker, 'sync');
  const counters = field(sync, 'counters');
  const events = field(worker, 'events');
  return {
    id: textIn(worker, 'workerId'),
    synced: field(sync, 'synced') === true,
    incomplete: field(sync, 'incomplete') === true,
    waitingKeys: numberIn(sync, 'waitingKeys'),
    gaps: numberIn(counters, 'gaps'),
    eventGaps: numberIn(events, 'eventGaps'),
    resyncs: counts(field(counters, 'resyncs')).filter(([, count]) => count > 0),
    unresolvedBlocks: numberIn(events, 'unresolvedBlocks'),
    decodeFailures: numberIn(counters, 'decodeFailures') + numberIn(events, 'eventDecodeFailures'),
    tiers: list(field(worker, 'tiers')).map((tier) => ({
      rank: numberIn(tier, 'rank'),
      name: textIn(tier, 'tier'),
      isResumePoints: field(tier, 'holding') === 'resumePoints',
      segments: numberIn(tier, 'segments'),
      indexedSegments: numberIn(tier, 'indexedSegments'),
      isSame: field(tier, 'same') === true,
    })),
  };
}

function readPublisher(service: unknown): IndexedPublisher {
  const counters = field(service, 'Counters');
  const blocks = field(service, 'Blocks');
  return {
    instanceId: textIn(service, 'InstanceID'),
    tenantId: textIn(service, 'TenantID'),
    model: textIn(service, 'ModelName'),
    rank: numberIn(service, 'DPRank'),
    state: textIn(service, 'State'),
    blocks: numberIn(blocks, 'gpu') + numberIn(blocks, 'cpu') + numberIn(blocks, 'disk'),
    batches: numberIn(counters, 'batches'),
    gaps: numberIn(counters, 'gaps'),
    unresolvedBlocks: numberIn(counters, 'unresolvedBlocks'),
    decodeFailures: numberIn(counters, 'decodeFailures'),
  };
}

function counts(value: unknown): [string, number][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.keys(value).map((name) => [name, numberIn(value, name)]);
}
