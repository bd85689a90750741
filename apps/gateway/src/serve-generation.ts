import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import {
  adapterIdentity,
  BatonError,
  errorEntry,
  rootKey,
  segmentKeys,
  toBatonError,
} from '@baton/kv';
import type { ApiKind } from '@baton/engine-protocols';
import {
  attributes,
  failSpan,
  injectHeaders,
  spans,
  withSpan,
  type Context,
  type Span,
} from '@baton/telemetry';
import type { AnswerEars, AnswerShape } from './answer/answer.ts';
import { StreamAnswer, type ClientStream } from './answer/stream-answer.ts';
import { WholeAnswer } from './answer/whole-answer.ts';
import { acceptRequest, type AcceptedRequest } from './intake/accept-request.ts';
import { outputBudget } from './intake/output-budget.ts';
import type { PromptTokenizer, PromptTokens } from './intake/prompt-tokens.ts';
import { readHints, type RequestHints } from './intake/request-hints.ts';
import type { RequestRun, SomeAnswer } from './legs/request-run.ts';
import type { PlanReporter } from './planning/plan-reporter.ts';
import { TokenLedger } from './planning/token-ledger.ts';
import type { GatewayDeps } from './ports.ts';
import { recordFault, type RequestRecord } from './request-record.ts';
import { endRequestSpan, startRequestSpan } from './request-span.ts';
import { servePlans } from './serve-plans.ts';

export interface GenerationInput {
  api: ApiKind;
  /** As the client sent it, parsed. */
  body: unknown;
  headers: IncomingHttpHeaders;
  /** Trace that the client belongs to. */
  parent: Context;
  record: RequestRecord;
  /** Aborted when the client leaves or the gateway stops. */
  signal: AbortSignal;
  client: ClientStream;
}

/** How it ended for the client. */
export type GenerationResult =
  | { kind: 'body'; body: object }
  /** All has been sent, an error event included. */
  | { kind: 'streamed' }
  /** Nothing has been sent. */
  | { kind: 'refused'; error: BatonError };

/** One request from its body to its answer. Never rejects: faults are results, and they are recorded. */
export async function serveGeneration(
  deps: GatewayDeps,
  tokenizer: PromptTokenizer,
  input: GenerationInput,
): Promise<GenerationResult> {
  const { record } = input;
  let span: Span | undefined;
  let stream: StreamAnswer | undefined;
  try {
    const accepted = acceptRequest(input.api, input.body, deps.fleet);
    record.model = accepted.model;
    const hints = readHints(input.headers, deps.config.sloLimits);
    span = startRequestSpan(accepted, record, input.parent);
    const internalId = randomUUID();
    const prompt = await tokenized(tokenizer, accepted, internalId, span, input.signal);
    const run = startRun(deps, input, accepted, prompt, { internalId, span });
    stream = run.answer.streamed ? run.answer.stream : undefined;
    return await generate(run, accepted, prompt, hints, record);
  } catch (error) {
    const fault = publicFault(error);
    const begun = stream?.opened === true;
    recordFault(record, fault, begun ? 200 : errorEntry(fault.code).http);
    if (span !== undefined && record.outcome === 'failed') failSpan(span, fault);
    if (fault.code === 'internal_error') {
      deps.log.error({ event: 'request_fault', err: error }, 'a request met an internal fault');
    }
    if (!begun) return { kind: 'refused', error: fault };
    await stream?.fail(fault);
    return { kind: 'streamed' };
  } finally {
    if (span !== undefined) endRequestSpan(span, record);
  }
}

/** What is wrong inside Baton is for the log, not for clients. */
function publicFault(error: unknown): BatonError {
  const fault = toBatonError(error);
  return fault.code === 'internal_error'
    ? new BatonError('internal_error', undefined, { cause: error })
    : fault;
}

function tokenized(
  tokenizer: PromptTokenizer,
  accepted: AcceptedRequest,
  internalId: string,
  parent: Span,
  signal: AbortSignal,
): Promise<PromptTokens> {
  return withSpan(spans.tokenize, { kind: 'client', parent }, async (span) => {
    const headers = injectHeaders({ 'x-request-id': internalId }, span);
    const prompt = await tokenizer.tokenize(accepted, headers, signal);
    span.setAttribute(attributes.inputTokens, prompt.tokens.length);
    if (prompt.workerId !== undefined) span.setAttribute(attributes.worker, prompt.workerId);
    return prompt;
  });
}

function startRun(
  deps: GatewayDeps,
  { record, signal, client }: GenerationInput,
  accepted: AcceptedRequest,
  prompt: PromptTokens,
  own: { internalId: string; span: Span },
): RequestRun {
  const { api, model, body, pool, adapter } = accepted;
  const { tokenization, segmentTokens } = pool;
  const salt = body['cache_salt'];
  const root = rootKey({
    tokenization,
    ...(adapter !== undefined && { adapter: adapterIdentity(adapter) }),
    ...(typeof salt === 'string' && { salt }),
  });
  const maxOutputTokens = outputBudget(accepted, prompt, deps.config.defaultOutputTokens);
  const ledger = new TokenLedger(prompt.tokens.length);
  record.ledger = ledger;
  record.answerId = `${api === 'chat' ? 'chatcmpl' : 'cmpl'}-${own.internalId.replaceAll('-', '')}`;
  const shape: AnswerShape = {
    api,
    envelope: { id: record.answerId, created: Math.floor(Date.now() / 1_000), model },
    wantsUsage: accepted.wantsUsage,
    wantsTokenIds: accepted.wantsTokenIds,
  };
  const ears: AnswerEars = {
    readAccounting: (answer) => run.protocol?.readAccounting(answer, run.answering),
    legEnded: (accounting, usage, last) => ledger.addLeg(accounting, usage, last),
    finishReason: (reason) => (record.finishReason = reason),
    tokens: (chunks) => {
      ledger.relayed(chunks);
      record.ttftMs ??= performance.now() - record.startedMs;
      record.reporter?.firstToken(record.ttftMs);
    },
  };
  const answer: SomeAnswer = accepted.stream
    ? { streamed: true, stream: new StreamAnswer(shape, ears, client) }
    : { streamed: false, whole: new WholeAnswer(shape, ears) };
  const promptTokens = pool.capabilities.takeTokens ? prompt.tokens : undefined;
  const legRequest = {
    ...{ api, body, promptTokens, maxOutputTokens },
    adapter: adapter && { name: adapter.name, model: pool.model },
  };
  const run: RequestRun = {
    ...{ deps, legRequest, ...own, signal, ledger, answer },
    ...{ place: { model, root, segmentTokens }, keptTurn: undefined },
    ...{ protocol: undefined, answering: 'aggregated', sampled: undefined },
  };
  return run;
}

async function generate(
  run: RequestRun,
  accepted: AcceptedRequest,
  prompt: PromptTokens,
  hints: RequestHints,
  record: RequestRecord,
): Promise<GenerationResult> {
  const { pool, adapter } = accepted;
  const { model, root, segmentTokens } = run.place;
  const keys = segmentKeys(root, prompt.tokens, segmentTokens);
  run.keptTurn = run.deps.turns.find(model, keys, prompt.tokens);
  record.logEntry?.served(
    { model, tokens: prompt.tokens, segmentTokens, rootKey: root, segmentKeys: keys },
    () => run.ledger.outputTokens,
  );
  const facts = {
    ...{ model: pool.model, adapter, segmentKeys: keys, hints },
    promptTokens: prompt.tokens.length,
  };
  const reporter = await servePlans(run, facts, (plan, planReporter) => {
    record.plan = plan;
    record.reporter = planReporter;
  });
  return finish(run, reporter);
}

async function finish(run: RequestRun, reporter: PlanReporter): Promise<GenerationResult> {
  const usage = run.ledger.usage();
  if (!run.answer.streamed) {
    reporter.finished();
    return { kind: 'body', body: run.answer.whole.finish(usage) };
  }
  const flushed = run.answer.stream.finish(usage);
  reporter.finished();
  await flushed;
  return { kind: 'streamed' };
}
