import { sameAdapter, type Adapter } from '@baton/kv';
import { canServe, poolAdapters, type PoolAdapter } from './pool-adapters.ts';
import {
  commonCapabilities,
  compareEpochs,
  type Capabilities,
  type Epoch,
  type RankLoad,
  type WorkerBeat,
  type WorkerFacts,
  type WorkerState,
  type AgentCounters,
  type TierState,
  type WorkerAdapters,
} from './worker.ts';

export interface ClusterLimits {
  maxWorkers: number;
  /** Bounds of the lease that a beat may ask for, ms. */
  minLeaseMs: number;
  maxLeaseMs: number;
}

/** A worker as the conductor knows it now; the same object as long as it only reports its load. */
export interface WorkerRecord {
  facts: WorkerFacts;
  epoch: Epoch;
  state: WorkerState;
  /** Why it is not ready, or why nothing is planned on it. */
  reason: string;
  /** False when its tokenization or segment size is not that of its model's pool. */
  fitsPool: boolean;
  loads: readonly RankLoad[];
  tiers: readonly TierState[];
  counters: AgentCounters;
  /** Undefined for one that takes none. */
  adapters: WorkerAdapters | undefined;
  leaseMs: number;
  leaseUntilMs: number;
  joinedAtMs: number;
  lastBeatAtMs: number;
}

export type BeatOutcome =
  /** First beat of a worker, or of a newer incarnation (`replaced`). */
  | { kind: 'joined'; replaced: boolean }
  /** `changed` when state, role, adapters or anything else that gateways see is another. */
  | { kind: 'renewed'; changed: boolean }
  /** The agent says goodbye; `known` when the worker was there. */
  | { kind: 'left'; known: boolean }
  /** Of an incarnation that is over; `replaced` when a newer one has been heard. */
  | { kind: 'stale'; replaced: boolean }
  | { kind: 'refused'; reason: string };

export interface Pool {
  model: string;
  tokenization: string;
  segmentTokens: number;
  maxModelTokens: number;
  workers: readonly WorkerRecord[];
  /** True when one request can be served from start to end. */
  ready: boolean;
  /** What every one of the workers can do. */
  capabilities: Capabilities;
  /** By name. */
  adapters: ReadonlyMap<string, PoolAdapter>;
}

/** Late messages of an incarnation come in this time after its end, or never. */
const GONE_MS = 60_000;

/** Workers, their incarnations and leases. */
export class Cluster {
  readonly #limits: ClusterLimits;
  readonly #workers = new Map<string, WorkerRecord>();
  /** As asked for since the last change of what pools say. */
  readonly #pools = new Map<string, Pool | undefined>();
  /** Tokenization and segment size that count, by model. */
  readonly #deciding = new Map<string, string>();
  /** Adapters that are about to be unloaded, by worker. */
  readonly #leaving = new Map<string, readonly Adapter[]>();
  /** Last incarnation of workers that are gone, oldest first; `final` after a goodbye. */
  readonly #gone = new Map<string, { epoch: Epoch; final: boolean; atMs: number }>();

  constructor(limits: ClusterLimits) {
    this.#limits = limits;
  }

  beat(beat: WorkerBeat, nowMs: number): BeatOutcome {
    const { workerId } = beat.worker;
    const known = this.#workers.get(workerId);
    const stale = this.#staleness(workerId, beat.epoch, nowMs);
    if (stale !== undefined) return { kind: 'stale', replaced: stale === 'replaced' };
    if (beat.state === 'leaving') {
      this.remove(workerId, beat.epoch, true, nowMs);
      return { kind: 'left', known: known !== undefined };
    }
    if (known === undefined && this.#workers.size >= this.#limits.maxWorkers) {
      return { kind: 'refused', reason: `more than ${this.#limits.maxWorkers} workers` };
    }
    const joined = known === undefined || compareEpochs(known.epoch, beat.epoch) !== 0;
    const record = this.#record(beat, known, nowMs);
    this.#gone.delete(workerId);
    const changed =
      joined ||
      known.facts !== record.facts ||
      known.state !== record.state ||
      !sameHeld(known.adapters, record.adapters);
    if (!changed) {
      Object.assign(known, record);
      return { kind: 'renewed', changed };
    }
    this.#workers.set(workerId, record);
    this.#judgePools(beat.worker.model);
    const left = known?.facts.model ?? beat.worker.model;
    if (left !== beat.worker.model) this.#judgePools(left);
    this.#pools.clear();
    if (joined) return { kind: 'joined', replaced: known !== undefined };
    return { kind: 'renewed', changed };
  }

  /** Removes workers whose lease has ended and returns their ids. */
  expire(nowMs: number): string[] {
    const lost = [...this.#workers.values()].filter((worker) => worker.leaseUntilMs <= nowMs);
    for (const worker of lost) this.remove(worker.facts.workerId, worker.epoch, false, nowMs);
    return lost.map((worker) => worker.facts.workerId);
  }

  /** Gives every worker a whole lease from now on: for a time in which no beat could arrive. */
  renewAll(nowMs: number): void {
    for (const worker of this.#workers.values()) worker.leaseUntilMs = nowMs + worker.leaseMs;
  }

  /** So much time does not count. */
  extendLeases(durationMs: number): void {
    for (const worker of this.#workers.values()) worker.leaseUntilMs += durationMs;
  }

  /**
   * An adapter is about to be unloaded: as if the worker had it no more, until its beats do not list it, or until it
   * stays after all, which its next beat shows. Nothing happens for a worker that is not known.
   */
  setLeaving(workerId: string, adapter: Adapter, isLeaving: boolean): void {
    const known = this.#workers.get(workerId);
    if (known === undefined) return;
    const others = (this.#leaving.get(workerId) ?? []).filter((one) => !sameAdapter(one, adapter));
    const leaving = isLeaving ? [...others, adapter] : others;
    this.#leaving.set(workerId, leaving);
    this.#workers.set(workerId, { ...known, adapters: without(known.adapters, leaving) });
    this.#pools.clear();
  }

  remove(workerId: string, epoch: Epoch, final: boolean, nowMs: number): void {
    const known = this.#workers.get(workerId);
    this.#workers.delete(workerId);
    this.#leaving.delete(workerId);
    this.#pools.clear();
    this.#gone.delete(workerId);
    this.#gone.set(workerId, { epoch, final, atMs: nowMs });
    for (const oldest of this.#gone.keys()) {
      if (this.#gone.size <= this.#limits.maxWorkers) break;
      this.#gone.delete(oldest);
    }
    if (known !== undefined) this.#judgePools(known.facts.model);
  }

  get(workerId: string): WorkerRecord | undefined {
    return this.#workers.get(workerId);
  }

  /** All workers by id. */
  workers(): WorkerRecord[] {
    return [...this.#workers.values()].sort((a, b) =>
      a.facts.workerId < b.facts.workerId ? -1 : 1,
    );
  }

  /** One pool for each model, by name. */
  pools(): Pool[] {
    const models = new Set([...this.#workers.values()].map((worker) => worker.facts.model));
    return [...models].sort().flatMap((model) => this.pool(model) ?? []);
  }

  /**
   * The workers of a model that fit together; undefined when nobody serves it. The same object as long
   * as workers only report their load.
   */
  pool(model: string): Pool | undefined {
    if (!this.#pools.has(model)) this.#pools.set(model, this.#newPool(model));
    return this.#pools.get(model);
  }

  #newPool(model: string): Pool | undefined {
    const workers = this.workers().filter((w) => w.facts.model === model && w.fitsPool);
    const [first, ...others] = workers;
    if (first === undefined) return undefined;
    const { tokenization, segmentTokens } = first.facts;
    const maxModelTokens = Math.min(...workers.map((worker) => worker.facts.maxModelTokens));
    const ready = canServe(workers);
    const adapters = poolAdapters(workers);
    const capabilities = commonCapabilities([
      first.facts.capabilities,
      ...others.map((worker) => worker.facts.capabilities),
    ]);
    const sizes = { segmentTokens, maxModelTokens };
    return { model, tokenization, ...sizes, workers, ready, capabilities, adapters };
  }

  /** One that is gone long enough is nobody's: an agent's clock may have been set back since. */
  #staleness(workerId: string, epoch: Epoch, nowMs: number): 'replaced' | 'gone' | undefined {
    const known = this.#workers.get(workerId);
    const ended = this.#gone.get(workerId);
    const gone = ended !== undefined && nowMs - ended.atMs < GONE_MS ? ended : undefined;
    const last = known?.epoch ?? gone?.epoch;
    if (last === undefined) return undefined;
    const order = compareEpochs(epoch, last);
    if (order < 0) return 'replaced';
    return order === 0 && known === undefined && gone?.final === true ? 'gone' : undefined;
  }

  #record(beat: WorkerBeat, known: WorkerRecord | undefined, nowMs: number): WorkerRecord {
    const renewed = known !== undefined && compareEpochs(known.epoch, beat.epoch) === 0;
    const { minLeaseMs, maxLeaseMs } = this.#limits;
    const leaseMs = Math.min(Math.max(beat.leaseMs, minLeaseMs), maxLeaseMs);
    return {
      // One object as long as nothing changes: others compare by it.
      facts: renewed && sameFacts(known.facts, beat.worker) ? known.facts : beat.worker,
      epoch: beat.epoch,
      state: beat.state,
      reason: renewed && !known.fitsPool ? known.reason : beat.reason,
      fitsPool: known?.fitsPool ?? true,
      loads: beat.loads,
      tiers: beat.tiers,
      counters: beat.counters,
      adapters: this.#staying(beat),
      leaseMs,
      leaseUntilMs: nowMs + leaseMs,
      joinedAtMs: renewed ? known.joinedAtMs : nowMs,
      lastBeatAtMs: nowMs,
    };
  }

  /** Its adapters but for those that are about to be unloaded; those that it has no more are forgotten. */
  #staying({ worker: { workerId }, adapters }: WorkerBeat): WorkerAdapters | undefined {
    const told = this.#leaving.get(workerId);
    if (told === undefined) return adapters;
    const leaving = told.filter((one) => adapters?.held.some((held) => sameAdapter(held, one)));
    if (leaving.length === 0) this.#leaving.delete(workerId);
    else this.#leaving.set(workerId, leaving);
    return without(adapters, leaving);
  }

  /**
   * The worker that joined first decides a pool's tokenization and segment size; others that differ stay out. It decides
   * while it is ready, or another one like it: what cannot serve keeps nobody out who can.
   */
  #judgePools(model: string): void {
    const workers = this.workers().filter((worker) => worker.facts.model === model);
    const byAge = workers.sort((a, b) => a.joinedAtMs - b.joinedAtMs);
    const ready = byAge.filter(({ state }) => state === 'ready');
    const deciding = this.#deciding.get(model);
    const first =
      ready.find((worker) => kindOf(worker) === deciding) ??
      ready[0] ??
      byAge.find((worker) => kindOf(worker) === deciding) ??
      byAge[0];
    if (first === undefined) {
      this.#deciding.delete(model);
      return;
    }
    const kind = kindOf(first);
    this.#deciding.set(model, kind);
    for (const worker of workers) {
      worker.fitsPool = kindOf(worker) === kind;
      if (worker.fitsPool) continue;
      worker.reason = `tokenization or segment size is not that of ${first.facts.workerId}`;
    }
  }
}

/** Workers of one kind have the same keys. */
function kindOf({ facts }: WorkerRecord): string {
  return `${facts.segmentTokens} ${facts.tokenization}`;
}

function sameFacts(a: WorkerFacts, b: WorkerFacts): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

function without(
  adapters: WorkerAdapters | undefined,
  leaving: readonly Adapter[],
): WorkerAdapters | undefined {
  const stays = (held: Adapter): boolean => !leaving.some((one) => sameAdapter(one, held));
  return adapters && { ...adapters, held: adapters.held.filter(stays) };
}

function sameHeld(a: WorkerAdapters | undefined, b: WorkerAdapters | undefined): boolean {
  return a?.held === b?.held || JSON.stringify(a?.held) === JSON.stringify(b?.held);
}
