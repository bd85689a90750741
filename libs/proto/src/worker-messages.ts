import type {
  AgentCounters,
  Capabilities,
  Epoch,
  RankLoad,
  Role,
  TierState,
  WorkerAdapters,
  WorkerBeat,
  WorkerFacts,
  WorkerState,
} from '@baton/cluster';
import type { EventCounter } from '@baton/core';
import {
  isWorkerId,
  workerIdRule,
  type Adapter,
  type KvLayout,
  type MeetingPoint,
} from '@baton/kv';
import { FieldReader, read, type Unusable, type WireNumbers } from './field-reader.ts';
import { baton } from './generated/baton.js';

/** What an engine says of itself; the rest of a worker's facts is its agent's to know. `tokenization` may be empty. */
export type EngineWorker = Omit<
  WorkerFacts,
  | 'workerId'
  | 'role'
  | 'transferAddress'
  | 'dramCapacitySegments'
  | 'hybrid'
  | 'meetingPoint'
  | 'pairOnly'
>;

/** An engine's first message to its agent. */
export interface EngineHello {
  worker: EngineWorker;
  /** Empty when the engine publishes no KV events. */
  eventsEndpoint: string;
  replayEndpoint: string;
  /** Bytes that a page of the arena must hold. */
  pageBytes: number;
}

/** Data-parallel ranks of one worker. */
export const MAX_RANKS = 1_024;
/** LoRA adapters of one worker. */
const MAX_ADAPTERS = 1_024;
/** Tiers, each with KV and resume points. */
const PLACES_OF_A_RANK = 10;

const { Role: WireRole, WorkerState: WireState } = baton.v1;

const roles: WireNumbers<Role> = {
  prefill: WireRole.ROLE_PREFILL,
  decode: WireRole.ROLE_DECODE,
  both: WireRole.ROLE_BOTH,
};

const states: WireNumbers<WorkerState> = {
  starting: WireState.WORKER_STATE_STARTING,
  ready: WireState.WORKER_STATE_READY,
  draining: WireState.WORKER_STATE_DRAINING,
  leaving: WireState.WORKER_STATE_LEAVING,
};

/** All of the contract, and all that the core reads: a name that only one of them has does not compile. */
type CounterName = Exclude<keyof baton.v1.IAgentCounters, '$unknowns'> | EventCounter;

const counterNames: Readonly<Record<CounterName, true>> = {
  pullsStarted: true,
  pullsCompleted: true,
  pullsFailed: true,
  pullsActive: true,
  segmentsIn: true,
  segmentsOut: true,
  bytesIn: true,
  bytesOut: true,
  checksumFailures: true,
  stalls: true,
  cuts: true,
  tokensReused: true,
  tokensTransferred: true,
  tokensComputed: true,
  handoversReceived: true,
  handoversFailed: true,
  pinnedPages: true,
  leases: true,
  eventGaps: true,
  eventDecodeFailures: true,
  replayedBatches: true,
  eventResets: true,
  unresolvedBlocks: true,
  eventMismatches: true,
  malformedEvents: true,
  ignoredBlocks: true,
  refusedBlocks: true,
  otherBlockSizes: true,
  engineRestarts: true,
  hybridRefusedRanks: true,
  journalFailures: true,
  engineCacheResets: true,
  engineCacheResetFailures: true,
};

const MAX_SEGMENT_TOKENS = 65_536;
const MAX_PAGE_BYTES = 2 ** 30;
const MAX_LAYERS = 65_536;
const MAX_PORT = 65_535;

/** Everything that a conductor is told of a worker. */
export function readBeat(message: baton.v1.IWorkerBeat): WorkerBeat | Unusable {
  return read(() => {
    const beat = new FieldReader(message, 'WorkerBeat');
    return {
      worker: workerFrom(beat.inner('worker')),
      epoch: epochFrom(beat.inner('epoch')),
      state: beat.word('state', states),
      reason: beat.words('reason'),
      lastDeltaSeq: beat.whole('lastDeltaSeq'),
      loads: beat.each('loads', MAX_RANKS).map(loadFrom),
      tiers: beat.each('tiers', MAX_RANKS * PLACES_OF_A_RANK).map(tierFrom),
      counters: countersFrom(beat.optional('counters')),
      leaseMs: beat.whole('leaseMs', 1),
      adapters: adaptersFrom(beat.optional('adapters')),
    };
  });
}

export function readEngineHello(message: baton.v1.IEngineHello): EngineHello | Unusable {
  return read(() => {
    const hello = new FieldReader(message, 'EngineHello');
    return {
      worker: engineFrom(hello.inner('worker'), 0),
      eventsEndpoint: hello.name('eventsEndpoint'),
      replayEndpoint: hello.name('replayEndpoint'),
      pageBytes: hello.whole('pageBytes', 1, MAX_PAGE_BYTES),
    };
  });
}

/** An engine's report of one of its ranks. */
export function readLoad(message: baton.v1.ILoad): RankLoad | Unusable {
  return read(() => loadFrom(new FieldReader(message, 'Load')));
}

/** An agent's incarnation, in any message that carries one. */
export function epochFrom(epoch: FieldReader<baton.v1.IEpoch>): Epoch {
  return { startedAtMs: epoch.whole('startedAtMs', 1), nonce: epoch.whole('nonce') };
}

/** The id that makes a worker's subjects. */
export function workerIdFrom<M extends { workerId?: string | null }>(
  message: FieldReader<M>,
): string {
  const workerId = message.name('workerId');
  return isWorkerId(workerId) ? workerId : message.refuse('workerId', `must be ${workerIdRule}`);
}

export function meetingPointFrom(
  point: FieldReader<baton.v1.IMeetingPoint> | undefined,
): MeetingPoint | undefined {
  return (
    point && {
      host: point.name('host', 1),
      port: point.whole('port', 1, MAX_PORT),
      engineIds: point.names('engineIds', MAX_RANKS),
      tensorRanks: point.whole('tensorRanks', 1),
      pipelineRanks: point.whole('pipelineRanks', 1),
    }
  );
}

/** A LoRA adapter, in any message that carries one. */
export function adapterFrom(
  adapter: FieldReader<baton.v1.IAdapter | baton.v1.IPoolAdapter>,
): Adapter {
  return { name: adapter.name('name', 1), revision: adapter.name('revision') };
}

function adaptersFrom(
  adapters: FieldReader<baton.v1.IWorkerAdapters> | undefined,
): WorkerAdapters | undefined {
  return (
    adapters && {
      held: adapters.each('held', MAX_ADAPTERS).map(adapterFrom),
      slots: adapters.whole('slots'),
      used: adapters.names('used', MAX_ADAPTERS),
    }
  );
}

function workerFrom(worker: FieldReader<baton.v1.IWorker>): WorkerFacts {
  return {
    workerId: workerIdFrom(worker),
    role: worker.word('role', roles),
    transferAddress: worker.address('transferAddress'),
    dramCapacitySegments: worker.whole('dramCapacitySegments'),
    hybrid: worker.flag('hybrid'),
    meetingPoint: meetingPointFrom(worker.optional('meetingPoint')),
    pairOnly: worker.flag('pairOnly'),
    ...engineFrom(worker, 1),
  };
}

function engineFrom(
  worker: FieldReader<baton.v1.IWorker>,
  leastTokenizationChars: number,
): EngineWorker {
  const engineUrl = worker.name('engineUrl', 1);
  if (!/^https?:\/\//.test(engineUrl)) worker.refuse('engineUrl', 'must be an http URL');
  const layout = layoutFrom(worker.inner('layout'));
  const segmentTokens = worker.whole('segmentTokens', 1, MAX_SEGMENT_TOKENS);
  if (segmentTokens % layout.blockTokens !== 0) {
    const wanted = `must be a multiple of layout.block_tokens ${layout.blockTokens}, not ${segmentTokens}`;
    worker.refuse('segmentTokens', wanted);
  }
  return {
    model: worker.name('model', 1),
    engine: worker.name('engine', 1),
    engineUrl,
    layout,
    tokenization: worker.name('tokenization', leastTokenizationChars),
    segmentTokens,
    maxModelTokens: worker.whole('maxModelTokens', 1),
    kvCapacityBlocks: worker.whole('kvCapacityBlocks', 1),
    maxSequences: worker.whole('maxSequences', 1),
    capabilities: capabilitiesFrom(worker.optional('capabilities')),
  };
}

function layoutFrom(layout: FieldReader<baton.v1.IKvLayout>): KvLayout {
  return {
    modelRevision: layout.name('modelRevision', 1),
    dtype: layout.name('dtype', 1),
    layers: layout.whole('layers', 1, MAX_LAYERS),
    ranks: layout.whole('ranks', 1),
    blockTokens: layout.whole('blockTokens', 1),
    connector: layout.name('connector', 1),
    connectorVersion: layout.name('connectorVersion', 1),
    bytesPerToken: layout.whole('bytesPerToken', 1),
    segmentBytes: layout.whole('segmentBytes', 1),
  };
}

/** What a worker can do, or all workers of a pool; a sender that says nothing can nothing of it. */
export function capabilitiesFrom(
  can: FieldReader<baton.v1.ICapabilities> | undefined,
): Capabilities {
  const flag = (name: keyof Capabilities): boolean => can?.flag(name) ?? false;
  return {
    pullPrefix: flag('pullPrefix'),
    exportPrefix: flag('exportPrefix'),
    overlapHandover: flag('overlapHandover'),
    firstTokenFromPrefill: flag('firstTokenFromPrefill'),
    takeSalt: flag('takeSalt'),
    takeTokens: flag('takeTokens'),
    release: flag('release'),
    migrate: flag('migrate'),
    callTools: flag('callTools'),
  };
}

function loadFrom(load: FieldReader<baton.v1.ILoad>): RankLoad {
  return {
    rank: load.whole('rank', 0, MAX_RANKS - 1),
    runningSequences: load.whole('runningSequences'),
    waitingSequences: load.whole('waitingSequences'),
    pendingPrefillTokens: load.whole('pendingPrefillTokens'),
    kvUsedBlocks: load.whole('kvUsedBlocks'),
    prefillTokensPerSec: load.amount('prefillTokensPerSec'),
    decodeTokensPerSec: load.amount('decodeTokensPerSec'),
    dramBytesPerSec: load.amount('dramBytesPerSec'),
    ssdBytesPerSec: load.amount('ssdBytesPerSec'),
    report: load.whole('report'),
  };
}

function tierFrom(state: FieldReader<baton.v1.ITierState>): TierState {
  return {
    tier: state.whole('tier'),
    rank: state.whole('rank', 0, MAX_RANKS - 1),
    segments: state.whole('segments'),
    capacitySegments: state.whole('capacitySegments'),
    xor: state.key('xor'),
    resumePoints: state.flag('resumePoints'),
  };
}

function countersFrom(counters: FieldReader<baton.v1.IAgentCounters> | undefined): AgentCounters {
  const names = Object.keys(counterNames) as (keyof typeof counterNames)[];
  return Object.fromEntries(names.map((name) => [name, counters?.whole(name) ?? 0]));
}
