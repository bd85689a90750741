import { field, list, numberIn, textIn } from '../json-fields.ts';

/** What `top` and `status` show of the fleet, read from the conductor's admin HTTP. */
export interface FleetView {
  workers: WorkerView[];
  /** Under way first, then the latest that ended, newest first. */
  transfers: TransferView[];
  livePlans: number;
  /** By all transfers of agents since the conductor started, and what engines without agents say that they read. */
  movedBytes: number;
}

export interface WorkerView {
  id: string;
  role: string;
  model: string;
  /** As the conductor says, or `gone` for one that it has lost. */
  state: string;
  reason: string;
  running: number;
  waiting: number;
  pendingPrefillTokens: number;
  kvUsedBlocks: number;
  kvCapacityBlocks: number;
  prefillTokensPerSec: number;
  decodeTokensPerSec: number;
  tiers: TierView[];
  bytesIn: number;
  bytesOut: number;
  pullsActive: number;
  pullsFailed: number;
}

export interface TierView {
  name: string;
  segments: number;
  capacitySegments: number;
}

export interface TransferView {
  transferId: string;
  reason: string;
  sourceWorker: string;
  destinationWorker: string;
  /** `ordered` while it is under way. */
  status: string;
  orderedSegments: number;
  segments: number;
  bytes: number;
  durationMs: number;
  bytesPerSec: number;
  code: string;
}

const maxEndedTransfers = 32;

/** Reads `/workers` and `/plans`; a field that is not there is 0 or empty, since a view must not fail. */
export function readFleet(workersAnswer: unknown, plansAnswer: unknown): FleetView {
  const workers = list(field(workersAnswer, 'workers')).map(readWorker);
  const plans = list(field(plansAnswer, 'plans'));
  const byId = new Map<string, TransferView>();
  for (const holder of [...plans, ...list(field(workersAnswer, 'workers'))]) {
    for (const entry of list(field(holder, 'transfers'))) {
      const transfer = readTransfer(entry);
      // A plan that has ended knows better than a worker that was asked a moment earlier.
      if (!byId.has(transfer.transferId)) byId.set(transfer.transferId, transfer);
    }
  }
  const transfers = [...byId.values()];
  const active = transfers.filter(isUnderWay);
  const ended = transfers.filter((transfer) => !isUnderWay(transfer)).slice(0, maxEndedTransfers);
  const live = plans.filter((plan) => ['planned', 'streaming'].includes(textIn(plan, 'state')));
  const byAgents = numberIn(field(plansAnswer, 'transfers'), 'bytes');
  const byEngines = list(field(workersAnswer, 'workers'))
    .filter(hasNoAgent)
    .reduce<number>((sum, worker) => sum + numberIn(field(worker, 'counters'), 'bytesIn'), 0);
  const movedBytes = byAgents + byEngines;
  return { workers, transfers: [...active, ...ended], livePlans: live.length, movedBytes };
}

/** Its transfers are its connector's and in no plan. */
function hasNoAgent(worker: unknown): boolean {
  return field(worker, 'transferAddress') === '';
}

export function isUnderWay({ status }: TransferView): boolean {
  return status === 'ordered';
}

function readWorker(entry: unknown): WorkerView {
  const loads = list(field(entry, 'loads'));
  const total = (name: string): number =>
    loads.reduce<number>((sum, load) => sum + numberIn(load, name), 0);
  const counters = field(entry, 'counters');
  return {
    id: textIn(entry, 'workerId'),
    role: textIn(entry, 'role'),
    model: textIn(entry, 'model'),
    state: textIn(entry, 'state'),
    reason: textIn(entry, 'reason'),
    running: total('runningSequences'),
    waiting: total('waitingSequences'),
    pendingPrefillTokens: total('pendingPrefillTokens'),
    kvUsedBlocks: total('kvUsedBlocks'),
    kvCapacityBlocks: numberIn(entry, 'kvCapacityBlocks') * Math.max(1, loads.length),
    prefillTokensPerSec: total('prefillTokensPerSec'),
    decodeTokensPerSec: total('decodeTokensPerSec'),
    tiers: readTiers(list(field(entry, 'tiers'))),
    bytesIn: numberIn(counters, 'bytesIn'),
    bytesOut: numberIn(counters, 'bytesOut'),
    pullsActive: numberIn(counters, 'pullsActive'),
    pullsFailed: numberIn(counters, 'pullsFailed'),
  };
}

/** One entry a tier: its ranks together, what they hold of KV. */
function readTiers(entries: readonly unknown[]): TierView[] {
  const tiers = new Map<string, TierView>();
  for (const entry of entries) {
    if (textIn(entry, 'holding') === 'resumePoints') continue;
    const name = textIn(entry, 'tier');
    const sum = tiers.get(name) ?? { name, segments: 0, capacitySegments: 0 };
    sum.segments += numberIn(entry, 'segments');
    sum.capacitySegments += numberIn(entry, 'capacitySegments');
    tiers.set(name, sum);
  }
  return [...tiers.values()];
}

function readTransfer(entry: unknown): TransferView {
  return {
    transferId: textIn(entry, 'transferId'),
    reason: textIn(entry, 'reason'),
    sourceWorker: textIn(entry, 'sourceWorker'),
    destinationWorker: textIn(entry, 'destinationWorker'),
    status: textIn(entry, 'status'),
    orderedSegments: numberIn(entry, 'orderedSegments'),
    segments: numberIn(entry, 'segments'),
    bytes: numberIn(entry, 'bytes'),
    durationMs: numberIn(entry, 'durationMs'),
    bytesPerSec: numberIn(entry, 'bytesPerSec'),
    code: textIn(entry, 'code'),
  };
}

/** Adds workers that were there before, or should be there, and are not: as gone. */
export function withGone(
  fleet: FleetView,
  known: readonly Pick<WorkerView, 'id' | 'role'>[],
): FleetView {
  const present = new Set(fleet.workers.map(({ id }) => id));
  const gone = known
    .filter(({ id }) => !present.has(id))
    .map(({ id, role }) => ({ ...readWorker({}), id, role, state: 'gone' }));
  const order = new Map(known.map(({ id }, i) => [id, i]));
  const place = (worker: WorkerView): number => order.get(worker.id) ?? known.length;
  const workers = [...fleet.workers, ...gone].sort((a, b) => place(a) - place(b));
  return { ...fleet, workers };
}
