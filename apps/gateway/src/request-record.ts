import type { BatonError } from '@baton/kv';
import type { LogEntry } from './request-log/request-log.ts';
import type { PlanReporter } from './planning/plan-reporter.ts';
import type { TokenLedger } from './planning/token-ledger.ts';
import type { Plan } from './planning/request-plan.ts';

/** What becomes of one request, for its log line, its span and its headers. */
export interface RequestRecord {
  /** The client's own when that was sane. */
  requestId: string;
  startedMs: number;
  model?: string;
  /** Id of the answer, as the client sees it. */
  answerId?: string;
  /** Of the recorded log, where there is one. */
  logEntry?: LogEntry;
  /** The plan that ran last. */
  plan?: Plan;
  reporter?: PlanReporter;
  ledger?: TokenLedger;
  ttftMs?: number;
  finishReason?: string;
  status: number;
  outcome: 'finished' | 'aborted' | 'failed';
  code?: string;
}

export function startRecord(requestId: string, nowMs: number): RequestRecord {
  return { requestId, startedMs: nowMs, status: 200, outcome: 'finished' };
}

/** Statuses of answers that nobody received are those of the registry, e.g. 499. */
export function recordFault(record: RequestRecord, error: BatonError, status: number): void {
  record.outcome = error.code === 'request_aborted' ? 'aborted' : 'failed';
  record.code = error.code;
  record.status = status;
}

const round = (milliseconds: number) => Math.round(milliseconds * 100) / 100;

/** Fields of the `request` log line; never text of the client or of a model. */
export function logFields(record: RequestRecord, nowMs: number): Record<string, unknown> {
  const { plan, ledger } = record;
  return {
    event: 'request',
    requestId: record.requestId,
    planId: plan?.planId,
    model: record.model,
    mode: plan?.mode,
    prefillWorker: plan?.prefill.workerId,
    decodeWorker: plan?.decode.workerId,
    promptTokens: ledger?.promptTokens,
    cachedTokens: ledger?.cachedTokens,
    reusedTokens: ledger?.reusedTokens,
    transferredTokens: ledger?.transferredTokens,
    computedTokens: ledger?.computedTokens,
    outputTokens: ledger?.outputTokens,
    ttftMs: record.ttftMs === undefined ? undefined : round(record.ttftMs),
    durationMs: round(nowMs - record.startedMs),
    status: record.status,
    outcome: record.outcome,
    code: record.code,
  };
}
