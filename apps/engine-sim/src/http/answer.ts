import type { FastifyReply } from 'fastify';
import { DONE, encodeEvent, SSE_CONTENT_TYPE } from '@baton/openai';
import { OutputText } from '@baton/output-text';
import type { EngineFault, FinishReason, GenerationSink, KeptKv } from '../engine/generation.ts';
import type { AnswerFormat, Delta } from './answer-format.ts';
import type { EngineRun } from '../engine/engine-run.ts';
import type { Front } from './front.ts';
import type { Call } from './read-call.ts';
import { EngineError } from './engine-error.ts';

/** What goes wrong within a stream, and after how many tokens. */
type StreamFault = { kind: 'cut' | 'stall' | 'malformed_sse' | 'error_event'; afterTokens: number };

/**
 * Runs a call and writes its answer to the connection. Resolves when the answer is over or the client is gone, and never
 * rejects: what fails is in the answer.
 */
export function answer(call: Call, front: Front, reply: FastifyReply): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const written = new WrittenAnswer(call, front, reply);
  const { raw } = reply;
  const { transfer, request } = call;
  raw.once('close', () => {
    // Also comes after a whole answer: then there is nothing to abort.
    front.engine.abort(request.id);
    transfer.leave?.();
    resolve();
  });
  const submit = (fault?: EngineFault): void => {
    if (raw.destroyed) request.remote?.notNeeded();
    else if (fault !== undefined) written.failed(fault);
    else written.run = front.engine.submit(request, written);
  };
  if (raw.destroyed) {
    transfer.leave?.();
    resolve();
  }
  if (transfer.ready === undefined) submit();
  else void transfer.ready.then(submit);
  return promise;
}

class WrittenAnswer implements GenerationSink {
  run: EngineRun | undefined;
  readonly #call: Call;
  readonly #front: Front;
  readonly #raw: FastifyReply['raw'];
  readonly #format: AnswerFormat;
  readonly #text: OutputText;
  readonly #fault: StreamFault | undefined;
  readonly #whole: { text: string; tokens: number[] } = { text: '', tokens: [] };
  #outputTokens = 0;
  /** Of a stream: what was not written yet. */
  #delta: (Delta & { outputTokens: number }) | undefined;
  #stop: string | null = null;
  #isBroken = false;

  constructor(call: Call, front: Front, reply: FastifyReply) {
    this.#call = call;
    this.#front = front;
    this.#raw = reply.raw;
    this.#text = new OutputText(front.tokenizer, call.stops);
    this.#format = front.dialect.formatOf({
      call,
      createdSec: Math.floor(front.clock.wall() / 1_000),
      fingerprint: front.fingerprint,
      cachedTokens: () => {
        if (!front.settings.promptTokensDetails) return undefined;
        const { leg, prefillCachedTokens } = call.transfer;
        const { cachedTokens = 0, externalTokens = 0 } = this.run ?? {};
        // What a prefill has read from decode counts as cached, too.
        const readTokens = leg === 'prefill' ? externalTokens : 0;
        return prefillCachedTokens ?? cachedTokens + readTokens;
      },
    });
    const kinds = ['cut', 'stall', 'malformed_sse', 'error_event'] as const;
    this.#fault = call.isStream ? front.faults.take(kinds, call.transfer.leg) : undefined;
  }

  token(token: number): void {
    const { text, stop } = this.#text.push(token);
    this.#outputTokens += 1;
    if (stop !== undefined) this.#stop = stop;
    if (this.#call.isStream) {
      // Late timers make several steps one turn.
      this.#writeDelta();
      if (this.#fault?.afterTokens === this.#outputTokens - 1) return this.#break(this.#fault);
      this.#delta = {
        ...{ text, tokens: [token], finish: undefined },
        outputTokens: this.#outputTokens,
      };
      // Whether it is the last one is said within the same turn.
      queueMicrotask(() => this.#writeDelta());
    } else {
      this.#whole.text += text;
      this.#whole.tokens.push(token);
    }
    if (stop !== undefined) this.#front.engine.stopAtText(this.#call.request.id);
  }

  finished(reason: FinishReason, kept: KeptKv | undefined): void {
    const said = kept === undefined ? null : (this.#call.transfer.keep?.(kept, reason) ?? null);
    if (!(said instanceof Promise)) return this.#finish(reason, said);
    void said.then((fault) => {
      if (fault === undefined) this.#finish(reason, null);
      else this.failed(fault);
    });
  }

  #finish(reason: FinishReason, params: object | null): void {
    const rest = this.#stop === null ? this.#text.flush() : '';
    const finish = { reason, stop: this.#stop };
    if (!this.#call.isStream) {
      const output = { text: this.#whole.text + rest, tokens: this.#whole.tokens, finish };
      this.#writeJson(200, this.#format.whole(output, params));
      return;
    }
    const last = this.#delta ?? { text: '', tokens: [] };
    const outputTokens = this.#outputTokens;
    this.#delta = { ...last, text: last.text + rest, finish, outputTokens };
    this.#writeDelta();
    if (this.#isBroken) return;
    if (this.#call.includeUsage) this.#writeEvent(this.#format.usageChunk(this.#outputTokens));
    this.#raw.end(encodeEvent(DONE));
  }

  failed(fault: EngineFault): void {
    const error = new EngineError(fault.status, fault.message, null, fault.type);
    const { dialect } = this.#front;
    if (!this.#raw.headersSent) {
      return this.#writeJson(fault.status, dialect.errorBody(error, false));
    }
    this.#writeEvent(dialect.errorBody(error, true));
    this.#raw.end(encodeEvent(DONE));
  }

  /** The first token starts the stream: what fails before it has its own status. */
  #writeDelta(): void {
    const delta = this.#delta;
    if (delta === undefined) return;
    this.#delta = undefined;
    for (const chunk of this.#format.chunks(delta, delta.outputTokens)) this.#writeEvent(chunk);
  }

  #break(fault: StreamFault): void {
    if (!this.#raw.headersSent) this.#startStream();
    this.#isBroken = true;
    this.#delta = undefined;
    const { engine, dialect } = this.#front;
    if (fault.kind === 'error_event') {
      const body = dialect.errorBody(new EngineError(500, 'Internal server error'), true);
      this.#raw.end(encodeEvent(JSON.stringify(body)) + encodeEvent(DONE));
    } else if (fault.kind === 'malformed_sse') {
      this.#raw.write('data: {"id":"cmpl-\n\nevent\n\n');
      this.#raw.end(encodeEvent(DONE));
    } else if (fault.kind === 'cut') {
      // What was written before arrives, and a comment with it.
      this.#raw.write(':\n\n', () => this.#raw.destroy());
    }
    engine.abort(this.#call.request.id);
  }

  #startStream(): void {
    this.#raw.writeHead(200, { 'content-type': `${SSE_CONTENT_TYPE}; charset=utf-8` });
  }

  #writeEvent(event: object): void {
    if (this.#isBroken || this.#raw.destroyed) return;
    if (!this.#raw.headersSent) this.#startStream();
    this.#raw.write(encodeEvent(JSON.stringify(event)));
  }

  #writeJson(status: number, body: object): void {
    if (this.#raw.destroyed) return;
    const text = JSON.stringify(body);
    this.#raw
      .writeHead(status, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      })
      .end(text);
  }
}
