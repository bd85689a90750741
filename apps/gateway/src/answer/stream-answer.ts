import type { JsonObject } from '@baton/engine-protocols';
import type { BatonError } from '@baton/kv';
import { DONE, encodeEvent, errorBody, type Usage } from '@baton/openai';
import {
  asObject,
  enveloped,
  onlyChoice,
  readUsage,
  type AnswerEars,
  type AnswerShape,
} from './answer.ts';
import { ChunkRewriter } from './chunk-rewriter.ts';
import { textOf } from './whole-answer.ts';

/** The client's side of a streamed answer. */
export interface ClientStream {
  /** Sends the status and headers first, when nothing was sent yet. The promise is there when the client is slow. */
  write(text: string): Promise<void> | undefined;
  /** Resolves when the client has it all or is gone. */
  end(text: string): Promise<void>;
}

/** An answer that goes out chunk by chunk; its status is sent with the first token, not earlier. */
export class StreamAnswer {
  readonly #shape: AnswerShape;
  readonly #ears: AnswerEars;
  readonly #client: ClientStream;
  #rewriter: ChunkRewriter | undefined;
  /** Events with no more than a role, which leave with the first content. */
  #held = '';
  #opened = false;
  #chars = 0;
  #advanced = false;

  constructor(shape: AnswerShape, ears: AnswerEars, client: ClientStream) {
    this.#shape = shape;
    this.#ears = ears;
    this.#client = client;
  }

  /** True once the client has more than the first token of a prefill leg. */
  get advanced(): boolean {
    return this.#advanced;
  }

  /** True once something has been sent, so that an error can only be an event. */
  get opened(): boolean {
    return this.#opened;
  }

  /** The answer of a prefill leg; `last` when no other leg follows. */
  prefilled(answer: JsonObject, last: boolean): Promise<void> | undefined {
    const choice = onlyChoice(answer);
    const text = textOf(choice);
    const reason = choice['finish_reason'];
    const events =
      this.#shape.api === 'chat'
        ? this.#chatEvents(answer, choice, last)
        : encodeEvent(JSON.stringify(this.#completionChunk(answer, choice, last)));
    this.#chars = text.length;
    this.#opened = true;
    const drained = this.#client.write(events);
    if (last && typeof reason === 'string') this.#ears.finishReason(reason);
    this.#ears.legEnded(this.#ears.readAccounting(answer), readUsage(answer), last);
    this.#ears.tokens(0);
    return drained;
  }

  /** Before the first events of a leg that goes on to the end. */
  startLeg(): void {
    this.#held = '';
    this.#rewriter = new ChunkRewriter(this.#shape, this.#ears, {
      opened: this.#opened,
      chars: this.#chars,
    });
  }

  /** Data of events that arrived together; they leave together. */
  events(all: readonly string[]): Promise<void> | undefined {
    const rewriter = this.#rewriter;
    if (rewriter === undefined) return undefined;
    let text = this.#held;
    for (const data of all) {
      const chunk = rewriter.rewrite(data);
      if (chunk !== undefined) text += encodeEvent(chunk);
    }
    if (!rewriter.hasContent || text === '') {
      this.#held = text;
      return undefined;
    }
    this.#held = '';
    this.#opened = true;
    this.#advanced = true;
    const drained = this.#client.write(text);
    this.#ears.tokens(all.length);
    return drained;
  }

  /** @throws BatonError engine_failed when the leg did not end as an answer does. */
  endLeg(): void {
    this.#rewriter?.end();
  }

  finish(usage: Usage): Promise<void> {
    const { envelope, api, wantsUsage } = this.#shape;
    const object = api === 'chat' ? 'chat.completion.chunk' : 'text_completion';
    const { id, created, model } = envelope;
    const last = wantsUsage
      ? encodeEvent(JSON.stringify({ id, object, created, model, choices: [], usage }))
      : '';
    return this.#client.end(last + encodeEvent(DONE));
  }

  /** Ends a stream that has begun: the error as an event, then the end that clients wait for. */
  fail(error: BatonError): Promise<void> {
    const event = encodeEvent(JSON.stringify(errorBody(error)));
    return this.#client.end(event + encodeEvent(DONE));
  }

  #chatEvents(answer: JsonObject, choice: JsonObject, last: boolean): string {
    const { message, ...rest } = choice;
    const { role, ...fields } = asObject(message) ?? {};
    const opening = this.#chunk(answer, 'chat.completion.chunk', {
      index: 0,
      delta: { role: role ?? 'assistant', content: '' },
      logprobs: null,
      finish_reason: null,
    });
    if (!this.#shape.wantsTokenIds) delete opening['prompt_token_ids'];
    const text = encodeEvent(JSON.stringify(opening));
    const delta = Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null));
    const toSay = choice['logprobs'] != null || this.#shape.wantsTokenIds || last;
    if (!toSay && !Object.values(delta).some((value) => value !== '')) return text;
    const chunk = this.#chunk(answer, 'chat.completion.chunk', {
      ...rest,
      delta: withToolIndexes(delta),
      finish_reason: last ? choice['finish_reason'] : null,
    });
    delete chunk['prompt_token_ids'];
    return text + encodeEvent(JSON.stringify(chunk));
  }

  #completionChunk(answer: JsonObject, choice: JsonObject, last: boolean): JsonObject {
    return this.#chunk(answer, 'text_completion', {
      ...choice,
      finish_reason: last ? choice['finish_reason'] : null,
    });
  }

  #chunk(answer: JsonObject, object: string, choice: JsonObject): JsonObject {
    const chunk = enveloped(answer, object, this.#shape.envelope);
    for (const field of Object.keys(chunk)) if (chunk[field] == null) delete chunk[field];
    if (!this.#shape.wantsTokenIds) {
      delete choice['token_ids'];
      delete choice['prompt_token_ids'];
    }
    chunk['choices'] = [choice];
    if (this.#shape.wantsUsage) chunk['usage'] = null;
    return chunk;
  }
}

/** Parts of a tool call are told apart by an index in chunks, by their place in a whole answer. */
function withToolIndexes(delta: JsonObject): JsonObject {
  const calls = delta['tool_calls'];
  if (!Array.isArray(calls)) return delta;
  return { ...delta, tool_calls: calls.map((call: object, index) => ({ index, ...call })) };
}
