import type { JsonObject } from '@baton/engine-protocols';
import type { Usage } from '@baton/openai';
import {
  asObject,
  enveloped,
  malformed,
  onlyChoice,
  readUsage,
  requireEnd,
  type AnswerEars,
  type AnswerShape,
} from './answer.ts';
import { mergeLogprobs } from './logprobs.ts';

/** An answer that goes out as one JSON body once its last leg has ended. */
export class WholeAnswer {
  readonly #shape: AnswerShape;
  readonly #ears: AnswerEars;
  #first: JsonObject | undefined;
  #second: JsonObject | undefined;

  constructor(shape: AnswerShape, ears: AnswerEars) {
    this.#shape = shape;
    this.#ears = ears;
  }

  /** The answer of a prefill leg; `last` when no other leg follows. */
  prefilled(answer: JsonObject, last: boolean): void {
    const choice = onlyChoice(answer);
    this.#first = answer;
    if (last) this.#reason(choice);
    this.#ears.legEnded(this.#ears.readAccounting(answer), readUsage(answer), last);
    this.#ears.tokens(0);
  }

  /** The answer of the leg that goes on to the end. */
  whole(answer: JsonObject): void {
    this.#reason(onlyChoice(answer));
    this.#second = answer;
    this.#ears.legEnded(this.#ears.readAccounting(answer), readUsage(answer), true);
    this.#ears.tokens(0);
  }

  /** The body for the client, once the last leg has ended. */
  finish(usage: Usage): JsonObject {
    const { api, envelope } = this.#shape;
    const object = api === 'chat' ? 'chat.completion' : 'text_completion';
    const first = this.#first;
    const second = this.#second ?? first;
    if (second === undefined) throw malformed('there is none');
    const body = enveloped(second, object, envelope);
    const choice =
      first === undefined || first === second
        ? { ...onlyChoice(second) }
        : this.#merge(onlyChoice(first), onlyChoice(second));
    if (this.#shape.wantsTokenIds) {
      body['prompt_token_ids'] ??= first?.['prompt_token_ids'];
    } else {
      delete body['prompt_token_ids'];
      delete choice['token_ids'];
      delete choice['prompt_token_ids'];
    }
    return { ...body, choices: [choice], usage };
  }

  #reason(choice: JsonObject): void {
    const reason = choice['finish_reason'];
    if (typeof reason !== 'string') throw malformed('it has no finish_reason');
    this.#ears.finishReason(requireEnd(reason));
  }

  #merge(first: JsonObject, second: JsonObject): JsonObject {
    const { api } = this.#shape;
    const before = textOf(first);
    const merged: JsonObject = {
      ...second,
      logprobs: mergeLogprobs(api, first['logprobs'], second['logprobs'], before.length),
    };
    if (api === 'chat') {
      const message = asObject(second['message']);
      merged['message'] = { ...message, content: joined(before, message?.['content']) };
    } else {
      merged['text'] = joined(before, second['text']);
      merged['prompt_token_ids'] = first['prompt_token_ids'] ?? second['prompt_token_ids'];
    }
    const ids = [first['token_ids'], second['token_ids']];
    if (ids.every(Array.isArray)) merged['token_ids'] = ids.flat();
    return merged;
  }
}

/** Text of a choice of either API. */
export function textOf(choice: JsonObject): string {
  const text = choice['text'] ?? asObject(choice['message'])?.['content'];
  return typeof text === 'string' ? text : '';
}

function joined(before: string, after: unknown): unknown {
  return typeof after === 'string' ? before + after : before === '' ? (after ?? null) : before;
}
