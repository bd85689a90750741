import { toBatonError, type Adapter, type BatonError } from '@baton/kv';
import { abortFault } from '@baton/engine-clients';
import { traceparentOf } from '@baton/telemetry';
import { isClientFault } from './fault-blame.ts';
import type { RequestHints } from './intake/request-hints.ts';
import { hasAdvanced, type RequestRun } from './legs/request-run.ts';
import { runPlan } from './legs/run-plan.ts';
import type { KeptTurn } from './planning/kept-turns.ts';
import { PlanReporter } from './planning/plan-reporter.ts';
import { requestPlan, type Plan } from './planning/request-plan.ts';

/** Plans that one request may use up. */
const MAX_PLANS = 3;

export interface PlanFacts {
  /** The base model, also with an adapter. */
  model: string;
  adapter: Adapter | undefined;
  segmentKeys: Uint8Array;
  promptTokens: number;
  hints: RequestHints;
}

/** Told about each plan before its legs start, and given back what reports to the conductor. */
export type OnPlan = (plan: Plan, reporter: PlanReporter) => void;

/**
 * Plans and runs until one plan's legs have given the whole answer. A plan that fails while the client has no more than
 * the first token is replaced by another one without the worker that failed.
 *
 * @throws BatonError when no plan is left, when the fault is the client's, or when more than a token is out.
 */
export async function servePlans(
  run: RequestRun,
  facts: PlanFacts,
  onPlan: OnPlan,
): Promise<PlanReporter> {
  let excluded: string[] = [];
  let previous: Plan | undefined;
  let failed: BatonError | undefined;
  for (let attempt = 1; ; attempt += 1) {
    const plan = await nextPlan(run, facts, attempt, excluded, previous).catch((error: unknown) => {
      if (!failed?.retryable || toBatonError(error).code !== 'no_worker') throw error;
      // An engine that was late is better than none.
      excluded = [];
      return nextPlan(run, facts, attempt, excluded, previous);
    });
    const reporter = new PlanReporter(run.deps.session, plan, () => ({
      outputTokens: run.ledger.outputTokens,
      computedTokens: run.ledger.computedTokens ?? 0,
    }));
    onPlan(plan, reporter);
    const end = await runPlan(run, plan, () => reporter.prefilled());
    if (end.kind === 'finished') return reporter;
    if (run.signal.aborted || end.error.code === 'request_aborted') {
      const fault = run.signal.aborted ? abortFault(run.signal) : end.error;
      reporter.aborted(fault);
      throw fault;
    }
    reporter.failed(end.error);
    const { code, message: reason } = end.error;
    const fields = { event: 'leg_failed', planId: plan.planId, worker: end.worker, code, reason };
    // A request that cannot be served is its client's news, not the operator's.
    if (isClientFault(end.error)) run.deps.log.info(fields, 'a leg was refused');
    else run.deps.log.warn(fields, 'a leg failed');
    if (isClientFault(end.error) || hasAdvanced(run) || attempt >= MAX_PLANS) throw end.error;
    excluded.push(end.worker);
    previous = plan;
    failed = end.error;
  }
}

function claimOf({ workerId, epoch, tokens }: KeptTurn): object {
  return { workerId, epoch, tokens };
}

async function nextPlan(
  run: RequestRun,
  facts: PlanFacts,
  attempt: number,
  excluded: readonly string[],
  previous: Plan | undefined,
): Promise<Plan> {
  const { session, config } = run.deps;
  const request = {
    requestId: attempt === 1 ? run.internalId : `${run.internalId}.${attempt}`,
    model: facts.model,
    segmentKeys: facts.segmentKeys,
    promptTokens: facts.promptTokens,
    maxOutputTokens: run.legRequest.maxOutputTokens,
    traceparent: traceparentOf(run.span),
    excludeWorkers: [...excluded],
    hints: facts.hints,
    ...(run.keptTurn !== undefined && { keptTurn: claimOf(run.keptTurn) }),
    ...(facts.adapter !== undefined && {
      adapter: { name: facts.adapter.name, revision: facts.adapter.revision },
    }),
  };
  try {
    return await requestPlan(session, request, config.timeLimits.planMs, run.signal);
  } catch (error) {
    const fault = toBatonError(error);
    const { decode } = previous ?? {};
    const stillThere =
      decode !== undefined && !decode.pairOnly && !excluded.includes(decode.workerId);
    if (fault.code !== 'conductor_unavailable' || previous === undefined || !stillThere)
      throw fault;
    // The decode worker of the failed plan can do it all; without a conductor it is the best that is known.
    return {
      ...previous,
      mode: 'aggregated',
      prefill: previous.decode,
      leaseMs: 0,
      readsTurn: false,
    };
  }
}
