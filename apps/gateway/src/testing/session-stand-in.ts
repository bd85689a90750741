import { BatonError } from '@baton/kv';
import { baton } from '@baton/proto';
import type { PlanSession } from '../ports.ts';
import { BootstrapRooms } from './bootstrap-rooms.ts';
import { STAND_IN_BLOCK } from './vllm-handovers.ts';

const { PlanPhase, PlanMode } = baton.v1;
const finalPhases = [
  PlanPhase.PLAN_PHASE_FINISHED,
  PlanPhase.PLAN_PHASE_ABORTED,
  PlanPhase.PLAN_PHASE_FAILED,
];

export interface PlannedWorker {
  workerId: string;
  url: string;
}

/** A conductor of few words: it plans round robin over what is not excluded and books every plan until its end. */
export class SessionStandIn implements PlanSession {
  connected = true;
  prefill: PlannedWorker[] = [];
  decode: PlannedWorker[] = [];
  mode: 'disaggregated' | 'aggregated' = 'disaggregated';
  leaseMs = 30_000;
  /** What all workers say that they are. */
  engine = 'llama';
  connector = 'nixl';
  tellsMeetingPoints = true;
  /** Data-parallel ranks to ask, where workers have several. */
  ranks: { prefill: number; decode: number } | undefined;
  readonly requests: baton.v1.IPlanRequest[] = [];
  readonly reports: baton.v1.IPlanReport[] = [];
  readonly violations: string[] = [];
  /** Plans that are booked. */
  readonly booked = new Set<string>();
  /** When set, plans wait for it. */
  gate: Promise<void> | undefined;
  /** When set, it answers the next plans. */
  readonly answers: (baton.v1.IPlanReply | BatonError)[] = [];
  #count = 0;

  async plan(
    request: baton.v1.IPlanRequest,
    signal: AbortSignal,
    timeoutMs: number,
  ): Promise<baton.v1.IPlanReply> {
    if (!this.connected) throw new BatonError('conductor_unavailable');
    if (signal.aborted) throw new BatonError('request_aborted');
    this.requests.push(request);
    const { promise, resolve, reject } = Promise.withResolvers<baton.v1.IPlanReply>();
    let given = false;
    const giveUp = (code: 'request_aborted' | 'deadline_exceeded') => () => {
      given = true;
      reject(new BatonError(code));
    };
    const timer = setTimeout(giveUp('deadline_exceeded'), timeoutMs);
    signal.addEventListener('abort', giveUp('request_aborted'), { once: true });
    void (async () => {
      await this.gate;
      const reply = this.#reply(request);
      clearTimeout(timer);
      if (reply instanceof BatonError) reject(reply);
      else if (!given) resolve(reply);
      else if (reply.planId) {
        this.report({ planId: reply.planId, phase: PlanPhase.PLAN_PHASE_ABORTED });
      }
    })();
    return promise;
  }

  report(report: baton.v1.IPlanReport): void {
    const planId = report.planId ?? '';
    const phase = report.phase ?? 0;
    if (!this.booked.has(planId)) this.violations.push(`report ${phase} of ${planId}, not booked`);
    this.reports.push(report);
    if (finalPhases.includes(phase)) this.booked.delete(planId);
  }

  phasesOf(planId: string): number[] {
    return this.reports.flatMap((r) => (r.planId === planId ? [r.phase ?? 0] : []));
  }

  #reply(request: baton.v1.IPlanRequest): baton.v1.IPlanReply | BatonError {
    const requestId = request.requestId ?? '';
    const scripted = this.answers.shift();
    if (scripted instanceof BatonError) return scripted;
    if (scripted !== undefined) {
      if (scripted.planId) this.booked.add(scripted.planId);
      return { requestId, ...scripted };
    }
    const excluded = request.excludeWorkers ?? [];
    const free = (workers: PlannedWorker[]) =>
      workers.find(({ workerId }) => !excluded.includes(workerId));
    const decode = free(this.decode);
    if (decode === undefined) {
      return { requestId, refusal: { code: 'no_worker', message: '', retryAfterMs: 1_500 } };
    }
    const prefill = this.mode === 'disaggregated' ? free(this.prefill) : undefined;
    this.#count += 1;
    const planId = `plan-${this.#count}`;
    this.booked.add(planId);
    const isSglang = this.engine === 'sglang';
    const leg = ({ workerId, url }: PlannedWorker, role: 'prefill' | 'decode') => ({
      workerId,
      engineUrl: url,
      heldTokens: 1,
      engine: this.engine,
      connector: this.connector,
      blockTokens: STAND_IN_BLOCK,
      ...(this.ranks !== undefined && { rank: this.ranks[role] }),
      pairOnly: isSglang && prefill !== undefined,
      ...(isSglang &&
        this.tellsMeetingPoints && {
          meetingPoint: {
            ...BootstrapRooms.placeOf(workerId),
            ...{ engineIds: [], tensorRanks: 1, pipelineRanks: 1 },
          },
        }),
    });
    return {
      requestId,
      planId,
      mode:
        prefill === undefined ? PlanMode.PLAN_MODE_AGGREGATED : PlanMode.PLAN_MODE_DISAGGREGATED,
      prefill: prefill === undefined ? leg(decode, 'decode') : leg(prefill, 'prefill'),
      decode: leg(decode, 'decode'),
      prefixTokens: 1,
      leaseMs: this.leaseMs,
    };
  }
}
