import { Cluster, type WorkerBeat } from '@baton/cluster';
import type { TransferRecord, TransferResult } from '@baton/transfers';
import { CoreView } from './core-view.ts';
import type { Effect, PoolView } from './effects.ts';
import type { CoreInput, PlanReport } from './inputs.ts';
import { Knowledge } from './knowledge.ts';
import { defaultCoreOptions, type CoreOptions } from './options.ts';
import { PlanBook, type PlanRecord } from './plan-book.ts';
import { Planner } from './planner.ts';
import type { SettingsChange } from './settings-change.ts';
import { Dispatcher } from './dispatcher.ts';

/**
 * The conductor's core: one input in, effects out. It knows no clock but the `nowMs` that it is
 * given.
 */
export class Core {
  /** What people may look at. */
  readonly view: CoreView;
  readonly #options: CoreOptions;
  readonly #cluster: Cluster;
  readonly #knowledge: Knowledge;
  readonly #book: PlanBook;
  readonly #planner: Planner;
  readonly #dispatcher: Dispatcher;
  /** What sessions were told last. */
  #announced = '[]';
  #fleetMayDiffer = false;
  #roomMayExist = false;

  constructor(options: CoreOptions) {
    this.#options = options;
    this.#cluster = new Cluster(options);
    this.#knowledge = new Knowledge(options);
    this.#book = new PlanBook(options);
    this.#planner = new Planner(options, this.#cluster, this.#knowledge.index, this.#book);
    this.#dispatcher = new Dispatcher(options, this.#planner);
    const { waiting } = this.#dispatcher;
    this.view = new CoreView(this.#cluster, this.#knowledge, this.#book, this.#planner, waiting);
  }

  /**
   * True when something waits that was too long for one step: give it `work` inputs until it is done,
   * with everything else in between.
   */
  get hasWork(): boolean {
    return this.#knowledge.hasWork;
  }

  /**
   * When it wants a `tick` at the latest, because a worker will have room by then or somebody's time is
   * over; undefined while nothing waits.
   */
  wakeAtMs(nowMs: number): number | undefined {
    return this.#dispatcher.wakeAtMs(nowMs);
  }

  /**
   * Treats the requests of a model otherwise from now on, or without one those of all models, in what
   * they have no settings of their own. Those who wait are reordered.
   *
   * @throws BatonError config_invalid that names the setting; nothing is changed then
   */
  treat(model: string | undefined, change: SettingsChange): void {
    this.#planner.treatments.set(model, change);
    this.#dispatcher.reorder();
    this.#roomMayExist = true;
  }

  step(input: CoreInput, nowMs: number): Effect[] {
    const effects = this.#handle(input, nowMs);
    if (mayWantSnapshot.has(input.type)) effects.push(...this.#knowledge.requestSnapshots(nowMs));
    if (this.#roomMayExist) {
      this.#roomMayExist = false;
      this.#dispatcher.advance(effects, nowMs);
    }
    if (this.#fleetMayDiffer) {
      this.#fleetMayDiffer = false;
      const pools = this.pools();
      const text = JSON.stringify(pools);
      if (text !== this.#announced) effects.push({ type: 'fleetUpdate', pools });
      this.#announced = text;
    }
    return effects;
  }

  /** What a new session is told. */
  pools(): PoolView[] {
    return this.#cluster.pools().map((pool) => ({
      model: pool.model,
      tokenization: pool.tokenization,
      segmentTokens: pool.segmentTokens,
      maxModelTokens: pool.maxModelTokens,
      workers: pool.workers
        .filter((worker) => worker.state === 'ready')
        .map(({ facts: { workerId, engineUrl } }) => ({ workerId, engineUrl })),
      ready: pool.ready,
      capabilities: pool.capabilities,
      adapters: [...pool.adapters.values()],
    }));
  }

  #handle(input: CoreInput, nowMs: number): Effect[] {
    switch (input.type) {
      case 'beat':
        return this.#beat(input.beat, nowMs);
      case 'delta':
        this.#knowledge.delta(input.delta, nowMs);
        this.#planner.progress(input.delta.workerId, nowMs);
        return [];
      case 'snapshotChunk':
        this.#knowledge.chunk(input.chunk, nowMs);
        return [];
      case 'snapshotFailed':
        this.#knowledge.snapshotFailed(input.workerId, input.snapshotId, input.reason, nowMs);
        return [];
      case 'unreadable':
        this.#knowledge.unreadable(input.workerId);
        return [];
      case 'work':
        this.#knowledge.work(nowMs);
        return [];
      case 'plan':
        return this.#dispatcher.arrive(input.sessionId, input.request, nowMs);
      case 'report':
        return this.#report(input.sessionId, input.report, nowMs);
      case 'sessionClosed':
        return this.#sessionClosed(input.sessionId, nowMs);
      case 'transferred':
        return this.#transferred(input.result, nowMs);
      case 'transferRefused':
        return this.#ended(this.#planner.ledger.refused(input.transferId, input.code), nowMs);
      case 'adapterLeaving':
        this.#cluster.setLeaving(input.workerId, input.adapter, input.isLeaving);
        this.#fleetMayDiffer = true;
        return [];
      case 'bus':
        this.#bus(input.connected, nowMs);
        return [];
      case 'paused':
        this.#cluster.extendLeases(input.durationMs);
        this.#book.extendLeases(input.durationMs);
        return [];
      case 'tick':
        return this.#tick(nowMs);
    }
  }

  #beat(beat: WorkerBeat, nowMs: number): Effect[] {
    const { workerId } = beat.worker;
    const outcome = this.#cluster.beat(beat, nowMs);
    if (outcome.kind === 'stale') {
      this.#knowledge.staleBeat(workerId);
      if (!outcome.replaced) return [];
      const reason = 'a newer agent has come under this id; if both are to work, one needs another';
      return [{ type: 'workerRefused', workerId, reason }];
    }
    if (outcome.kind === 'refused') {
      return [{ type: 'workerRefused', workerId, reason: outcome.reason }];
    }
    if (outcome.kind === 'left') {
      if (!outcome.known) return [];
      this.#forgetWorker(workerId, nowMs);
      return [{ type: 'workerLost', workerId, reason: 'left' }];
    }
    if (outcome.kind === 'joined') {
      if (outcome.replaced) this.#forgetWorker(workerId, nowMs);
      this.#knowledge.joined(beat, nowMs);
    } else this.#knowledge.renewed(beat, nowMs);
    this.#reconcile(beat);
    if (beat.adapters !== undefined) this.#planner.adapters.heard(workerId, beat.adapters);
    this.#roomMayExist = true;
    this.#fleetMayDiffer ||= outcome.kind === 'joined' || outcome.changed;
    if (outcome.kind === 'renewed') return [];
    return [{ type: 'workerJoined', workerId, replaced: outcome.replaced }];
  }

  #reconcile({ worker: { workerId }, loads }: WorkerBeat): void {
    for (const load of loads) {
      const reported = {
        prefillTokens: load.pendingPrefillTokens,
        kvBlocks: load.kvUsedBlocks,
        streams: load.runningSequences + load.waitingSequences,
      };
      this.#book.bookings.reconcile(workerId, load.rank, reported, load.report);
    }
  }

  #report(sessionId: string, report: PlanReport, nowMs: number): Effect[] {
    if (!this.#book.isOf(sessionId, report.planId)) {
      this.#book.totals.unknownReports += 1;
      return [];
    }
    if (report.phase === 'prefilled') this.#planner.prefillDone(report.planId, nowMs);
    if (report.phase === 'first_token') this.#planner.started(report.planId, nowMs);
    if (report.phase !== 'progress') this.#dispatcher.waiting.recall(nowMs, report.planId);
    const ended = this.#book.report(report, nowMs);
    if (report.phase !== 'progress') this.#roomMayExist = true;
    if (ended === undefined) return [];
    this.#planner.ended(ended, nowMs);
    // After a regular end there is nothing to take back, unless a transfer still waits for what
    // will not come, or left something behind.
    const isDone = ended.transfers.every((transfer) => transfer.status === 'done');
    return ended.state === 'finished' && isDone ? [] : cancels(ended);
  }

  #sessionClosed(sessionId: string, nowMs: number): Effect[] {
    this.#dispatcher.waiting.dropSession(sessionId);
    this.#roomMayExist = true;
    return this.#abort(this.#book.ofSession(sessionId), 'session closed', nowMs);
  }

  #abort(plans: readonly PlanRecord[], reason: string, nowMs: number): Effect[] {
    if (plans.length > 0) this.#roomMayExist = true;
    return plans.flatMap((plan) => {
      this.#book.end(plan, 'aborted', reason, nowMs);
      this.#planner.ended(plan, nowMs);
      this.#dispatcher.waiting.recall(nowMs, plan.planId);
      return cancels(plan);
    });
  }

  #transferred(result: TransferResult, nowMs: number): Effect[] {
    const record = this.#planner.ledger.finished(result);
    if (record === undefined) return [];
    const { sourceWorker, destinationWorker, bytes, bytesPerSec } = record;
    this.#planner.links.observe(sourceWorker, destinationWorker, bytes, bytesPerSec);
    return this.#ended(record, nowMs);
  }

  /** A transfer has come to its end, whatever that is. */
  #ended(record: TransferRecord | undefined, nowMs: number): Effect[] {
    const others = this.#book.find(record?.planId ?? '')?.transfers ?? [];
    const isLast = !others.some(
      ({ reason, status }) => reason === 'prefix' && status === 'ordered',
    );
    if (record?.reason === 'prefix' && isLast) this.#planner.work.fetched(record.planId, nowMs);
    return givenUp(record);
  }

  /**
   * While nothing can arrive, silence says nothing about a worker; afterwards each has a whole
   * lease again.
   */
  #bus(connected: boolean, nowMs: number): void {
    if (connected && !this.#planner.transfersPossible) this.#cluster.renewAll(nowMs);
    this.#planner.transfersPossible = connected;
  }

  #tick(nowMs: number): Effect[] {
    const effects: Effect[] = [];
    if (this.#planner.transfersPossible) {
      for (const workerId of this.#cluster.expire(nowMs)) {
        this.#forgetWorker(workerId, nowMs);
        effects.push({ type: 'workerLost', workerId, reason: 'lease' });
      }
    }
    this.#knowledge.tick(nowMs);
    this.#planner.ledger.expire(nowMs);
    effects.push(...this.#abort(this.#book.overdue(nowMs), 'lease ended', nowMs));
    this.#dispatcher.expire(effects, nowMs);
    this.#roomMayExist = true;
    return effects;
  }

  #forgetWorker(workerId: string, nowMs: number): void {
    this.#knowledge.forget(workerId);
    this.#book.bookings.releaseWorker(workerId);
    for (const { planId } of this.#planner.work.givenToWorker(workerId)) {
      this.#dispatcher.waiting.recall(nowMs, planId);
    }
    this.#planner.forgetWorker(workerId, nowMs);
    this.#fleetMayDiffer = true;
    this.#roomMayExist = true;
  }
}

/** @throws BatonError config_invalid when the policy or one of its parameters is not known. */
export function createCore(options: Partial<CoreOptions> & { instanceId: string }): Core {
  return new Core({ ...defaultCoreOptions, ...options });
}

/** After these a snapshot may have become possible; what deltas show waits for a beat or a tick. */
const mayWantSnapshot: ReadonlySet<CoreInput['type']> = new Set([
  'beat',
  'tick',
  'work',
  'snapshotChunk',
  'snapshotFailed',
]);

/** A handover that nobody fetches any more: its source need not keep it until the request ends. */
function givenUp(record: TransferRecord | undefined): Effect[] {
  if (record === undefined || record.reason !== 'handover' || record.status === 'done') return [];
  const { sourceWorker: workerId, planId } = record;
  return [{ type: 'cancelPlan', workerId, planId, reason: 'handover given up' }];
}

/** Tells both workers of a plan to give back what they hold for it. */
function cancels(plan: PlanRecord): Effect[] {
  const { choice, planId, endReason: reason } = plan;
  if (choice === undefined) return [];
  const workers = new Set([choice.prefill.workerId, choice.decode.workerId]);
  return [...workers].map((workerId) => ({ type: 'cancelPlan', workerId, planId, reason }));
}
