import { BatonError, toBatonError } from '@baton/kv';
import type { JsonObject } from '@baton/engine-protocols';
import { readTokenizeAnswer } from '@baton/openai';
import type { TimeLimits } from '../config.ts';
import { isClientFault } from '../fault-blame.ts';
import type { ModelPool, PoolWorker } from '../fleet-view.ts';
import type { Engines } from '../ports.ts';
import type { AcceptedRequest } from './accept-request.ts';

/** Workers that one request asks before it gives up. */
const MAX_TRIES = 3;
/** So long a worker that failed is asked last. */
const AVOID_MS = 2_000;

/** Fields that decide what a rendered chat looks like, besides model and messages. */
const renderingFields = [
  'tools',
  'documents',
  'chat_template',
  'chat_template_kwargs',
  'add_generation_prompt',
  'continue_final_message',
  'add_special_tokens',
  'mm_processor_kwargs',
];

export interface PromptTokens {
  tokens: number[];
  /** Prompt and output together. */
  windowTokens: number;
  /** Undefined when the client sent token ids. */
  workerId: string | undefined;
}

/** Asks the engines of a pool in turn to tokenize, which for a chat renders the model's own template. */
export class PromptTokenizer {
  readonly #engines: Engines;
  readonly #limits: TimeLimits;
  readonly #nowMs: () => number;
  readonly #failedAtMs = new Map<string, number>();
  #turn = 0;

  constructor(engines: Engines, limits: TimeLimits, nowMs: () => number) {
    this.#engines = engines;
    this.#limits = limits;
    this.#nowMs = nowMs;
  }

  /** @throws BatonError; a prompt that the engine refuses is the client's fault, a failing engine is asked once. */
  async tokenize(
    request: AcceptedRequest,
    headers: Record<string, string>,
    signal: AbortSignal,
  ): Promise<PromptTokens> {
    const { pool, body } = request;
    const prompt = body['prompt'];
    if (request.api === 'completion' && Array.isArray(prompt)) {
      return { tokens: prompt, windowTokens: pool.maxModelTokens, workerId: undefined };
    }
    let fault: BatonError | undefined;
    for (const worker of this.#inTurn(pool)) {
      const limits = { firstByteMs: this.#limits.tokenizeMs, idleMs: this.#limits.tokenizeMs };
      try {
        const call = { path: '/tokenize', body: tokenizeBody(request), headers, signal, limits };
        const answer = await this.#engines.postJson({ engineUrl: worker.engineUrl, ...call });
        return this.#read(answer, pool, worker);
      } catch (error) {
        fault = toBatonError(error);
        if (signal.aborted || isClientFault(fault)) throw fault;
        this.#failedAtMs.set(worker.workerId, this.#nowMs());
      }
    }
    throw fault ?? new BatonError('no_worker');
  }

  #read(answer: unknown, pool: ModelPool, worker: PoolWorker): PromptTokens {
    const read = readTokenizeAnswer(answer);
    if (read === undefined) {
      throw new BatonError('engine_failed', `${worker.workerId} answered /tokenize with nonsense.`);
    }
    return {
      tokens: read.tokens,
      windowTokens: pool.maxModelTokens,
      workerId: worker.workerId,
    };
  }

  /** Each request begins with another worker; those that failed a moment ago come last. */
  #inTurn(pool: ModelPool): PoolWorker[] {
    const { workers } = pool;
    const nowMs = this.#nowMs();
    for (const [workerId, atMs] of this.#failedAtMs) {
      if (nowMs - atMs > AVOID_MS) this.#failedAtMs.delete(workerId);
    }
    this.#turn = (this.#turn + 1) % Math.max(1, workers.length);
    const turned = [...workers.slice(this.#turn), ...workers.slice(0, this.#turn)];
    const avoided = (worker: PoolWorker) => Number(this.#failedAtMs.has(worker.workerId));
    return turned.sort((a, b) => avoided(a) - avoided(b)).slice(0, MAX_TRIES);
  }
}

/** Adapters have the tokenizer of their model, which all of its workers have. */
function tokenizeBody({ api, body, pool: { model } }: AcceptedRequest): JsonObject {
  if (api === 'completion') {
    const special = body['add_special_tokens'];
    return {
      model,
      prompt: body['prompt'],
      ...(typeof special === 'boolean' && { add_special_tokens: special }),
    };
  }
  const rendered: JsonObject = { model, messages: body['messages'] };
  for (const field of renderingFields) {
    if (body[field] != null) rendered[field] = body[field];
  }
  return rendered;
}
