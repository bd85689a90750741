import type { JsonObject, PromptAccounting } from '@baton/engine-protocols';
import type { Usage } from '@baton/openai';
import {
  asObject,
  enveloped,
  malformed,
  readUsage,
  requireEnd,
  type AnswerEars,
  type AnswerShape,
} from './answer.ts';
import { offsetShift, shiftOffsets } from './logprobs.ts';

/** What is already out when a leg begins. */
export interface LegStart {
  /** The client has the role and, where it asked for them, the prompt's token ids. */
  opened: boolean;
  /** Characters of text that earlier legs sent. */
  chars: number;
}

/** Any of these in a chunk means that there is more to do with it than to change its envelope. */
const special = [
  '"finish_reason":"',
  '"usage":{',
  '"role"',
  '"kv_transfer_params"',
  '"ec_transfer_params"',
  '"prompt_token_ids"',
];
const TEXT_OFFSET = '"text_offset"';
const NULL_USAGE = '"usage":null';
const LAST_NULL_USAGE = ',"usage":null}';

/**
 * Makes the chunks of one leg part of one answer: one envelope, one role, usage and accounting taken out. A chunk in
 * which only the envelope changes is not parsed: its first fields are swapped in the text. Within a JSON string the
 * quotes of a field's name are escaped, so text of the model is never taken for a field.
 */
export class ChunkRewriter {
  readonly #shape: AnswerShape;
  readonly #ears: AnswerEars;
  readonly #object: string;
  readonly #ownPrefix: string;
  readonly #charsBefore: number;
  #enginePrefix: string | undefined;
  #opened: boolean;
  #shift: number | undefined;
  #ended = false;
  #accounting: PromptAccounting | undefined;
  #usage: Usage | undefined;
  /** True once a chunk with more than the role has come. */
  hasContent = false;

  constructor(shape: AnswerShape, ears: AnswerEars, start: LegStart) {
    this.#shape = shape;
    this.#ears = ears;
    this.#opened = start.opened;
    this.#charsBefore = start.chars;
    this.#object = shape.api === 'chat' ? 'chat.completion.chunk' : 'text_completion';
    this.#ownPrefix = envelopeText({ ...shape.envelope, object: this.#object });
  }

  /**
   * The chunk as the client shall see it, or undefined when there is nothing for the client in it.
   * @throws BatonError engine_failed when the chunk is malformed.
   */
  rewrite(data: string): string | undefined {
    const prefix = this.#enginePrefix;
    if (prefix === undefined || !data.startsWith(prefix) || this.#isSpecial(data)) {
      return this.#parsed(data);
    }
    this.hasContent = true;
    if (this.#shape.wantsUsage || !data.endsWith(LAST_NULL_USAGE)) {
      return this.#ownPrefix + data.slice(prefix.length);
    }
    return `${this.#ownPrefix}${data.slice(prefix.length, -LAST_NULL_USAGE.length)}}`;
  }

  /** @throws BatonError engine_failed when the leg ended without a finish reason. */
  end(): void {
    if (!this.#ended) throw malformed('its stream ended without a finish_reason');
    this.#ears.legEnded(this.#accounting, this.#usage, true);
  }

  #isSpecial(data: string): boolean {
    for (const mark of special) if (data.includes(mark)) return true;
    if (this.#charsBefore > 0 && data.includes(TEXT_OFFSET)) return true;
    return !this.#shape.wantsUsage && data.includes(NULL_USAGE) && !data.endsWith(LAST_NULL_USAGE);
  }

  #parsed(data: string): string | undefined {
    const chunk = parseChunk(data);
    const prefix = envelopeText(chunk);
    this.#enginePrefix = data.startsWith(prefix) ? prefix : undefined;
    this.#accounting ??= this.#ears.readAccounting(chunk);
    this.#usage = readUsage(chunk) ?? this.#usage;
    const choices = chunk['choices'];
    if (!Array.isArray(choices) || choices.length > 1) throw malformed('a chunk has no one choice');
    if (choices.length === 0) return undefined;
    const given = asObject(choices[0]);
    if (given === undefined) throw malformed('a choice is no object');

    const own = enveloped(chunk, this.#object, this.#shape.envelope);
    if (this.#shape.wantsUsage && 'usage' in chunk) own['usage'] = chunk['usage'];
    const choice = this.#choice(given);
    if (this.#opened) {
      delete own['prompt_token_ids'];
      delete choice['prompt_token_ids'];
    }
    own['choices'] = [choice];
    const hasContent = saysSomething(choice);
    if (!hasContent && this.#opened) return undefined;
    this.#opened = true;
    this.hasContent ||= hasContent;
    return JSON.stringify(own);
  }

  #choice(given: JsonObject): JsonObject {
    const choice = { ...given };
    const reason = choice['finish_reason'];
    if (typeof reason === 'string') {
      this.#ended = true;
      this.#ears.finishReason(requireEnd(reason));
    }
    if (this.#shape.api === 'chat') {
      const { role, ...delta } = asObject(choice['delta']) ?? {};
      choice['delta'] = this.#opened ? delta : { role: role ?? 'assistant', ...delta };
    }
    const logprobs = asObject(choice['logprobs']);
    if (logprobs !== undefined && this.#charsBefore > 0) {
      this.#shift ??= offsetShift(logprobs, this.#charsBefore);
      choice['logprobs'] = shiftOffsets(logprobs, this.#shift);
    }
    return choice;
  }
}

function parseChunk(data: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    throw malformed('a chunk is no JSON');
  }
  const chunk = asObject(value);
  if (chunk === undefined) throw malformed('a chunk is no object');
  return chunk;
}

/** The beginning of a chunk's text, when its envelope comes first and in OpenAI's order. */
function envelopeText({ id, object, created, model }: JsonObject): string {
  return `${JSON.stringify({ id, object, created, model }).slice(0, -1)},`;
}

/** False for a choice that carries at most a role. */
function saysSomething(choice: JsonObject): boolean {
  if (choice['finish_reason'] != null || choice['logprobs'] != null) return true;
  const ids = choice['token_ids'];
  if (Array.isArray(ids) && ids.length > 0) return true;
  const text = choice['text'];
  if (typeof text === 'string' && text !== '') return true;
  return Object.entries(asObject(choice['delta']) ?? {}).some(
    ([field, value]) => field !== 'role' && value != null && value !== '',
  );
}
