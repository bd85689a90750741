import { field, list } from '../json-fields.ts';
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
    segments: numberOf(stats, 'segments'),
    replicas: numberOf(stats, 'replicas'),
    maxReplicas: numberOf(field(answer, 'limits'), 'maxReplicas'),
    sizeBytes: numberOf(stats, 'sizeBytes'),
    evictedSegments: numberOf(stats, 'evictedSegments'),
    refusedStores: numberOf(stats, 'refusedStores'),
    ignoredOps: numberOf(stats, 'ignoredOps'),
    strayMessages: numberOf(answer, 'strayMessages'),
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
    id: textOf(worker, 'workerId'),
    synced: field(sync, 'synced') === true,
    incomplete: field(sync, 'incomplete') === true,
    waitingKeys: numberOf(sync, 'waitingKeys'),
    gaps: numberOf(counters, 'gaps'),
    eventGaps: numberOf(events, 'eventGaps'),
    resyncs: counts(field(counters, 'resyncs')).filter(([, count]) => count > 0),
    unresolvedBlocks: numberOf(events, 'unresolvedBlocks'),
    decodeFailures: numberOf(counters, 'decodeFailures') + numberOf(events, 'eventDecodeFailures'),
    tiers: list(field(worker, 'tiers')).map((tier) => ({
      rank: numberOf(tier, 'rank'),
      name: textOf(tier, 'tier'),
      isResumePoints: field(tier, 'holding') === 'resumePoints',
      segments: numberOf(tier, 'segments'),
      indexedSegments: numberOf(tier, 'indexedSegments'),
      isSame: field(tier, 'same') === true,
    })),
  };
}

function readPublisher(service: unknown): IndexedPublisher {
  const counters = field(service, 'Counters');
  const blocks = field(service, 'Blocks');
  return {
    instanceId: textOf(service, 'InstanceID'),
    tenantId: textOf(service, 'TenantID'),
    model: textOf(service, 'ModelName'),
    rank: numberOf(service, 'DPRank'),
    state: textOf(service, 'State'),
    blocks: numberOf(blocks, 'gpu') + numberOf(blocks, 'cpu') + numberOf(blocks, 'disk'),
    batches: numberOf(counters, 'batches'),
    gaps: numberOf(counters, 'gaps'),
    unresolvedBlocks: numberOf(counters, 'unresolvedBlocks'),
    decodeFailures: numberOf(counters, 'decodeFailures'),
  };
}

function counts(value: unknown): [string, number][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.keys(value).map((name) => [name, numberOf(value, name)]);
}

function numberOf(value: unknown, key: string): number {
  const found = field(value, key);
  return typeof found === 'number' ? found : 0;
}

function textOf(value: unknown, key: string): string {
  const found = field(value, key);
  return typeof found === 'string' ? found : '';
}
