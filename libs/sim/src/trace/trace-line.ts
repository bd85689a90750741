import { BatonError } from '@baton/kv';

/** Tokens of a block in Mooncake's traces, and in a log that does not say. */
export const TRACE_BLOCK_TOKENS = 512;

/** One request of a trace. */
export interface TraceRequest {
  /** Since the trace began, ms. */
  atMs: number;
  promptTokens: number;
  outputTokens: number;
  /**
   * Names of the prompt's blocks, the last one perhaps not full. Each names the whole prefix up to its end.
   */
  blocks: readonly number[];
  /** Tokens of a block where the line says; otherwise {@link TRACE_BLOCK_TOKENS}. */
  blockTokens?: number;
  /** Names of each block's own tokens, whatever is before it; as many as there are blocks, where the line has them. */
  contentIds?: readonly number[];
  /** The conversation that it belongs to, where that is known: no trace tells. */
  sessionId?: string;
}

/** The fields of Mooncake's format, and two of our own that a log may leave out. */
interface TraceFields {
  timestamp: number;
  input_length: number;
  output_length: number;
  hash_ids: number[];
  block_tokens?: number;
  content_ids?: number[];
}

/** More than a model takes. */
const MAX_PROMPT_TOKENS = 10_000_000;
/** More than a model gives. Each is a step of a replay, which takes seconds for a million. */
const MAX_OUTPUT_TOKENS = 1_000_000;
const MAX_BLOCK_TOKENS = 2 ** 16;

/**
 * Reads one line of a trace in Mooncake's format, one JSON object each. Fields that it does not know are passed over.
 *
 * @param number of the line in its file, from 1 on
 * @param notBeforeMs time of the request before
 * @throws BatonError config_invalid that names the line, the field and what would be right
 */
export function readTraceLine(text: string, number: number, notBeforeMs: number): TraceRequest {
  const refuse = (what: string): never => {
    throw new BatonError('config_invalid', `line ${number} of the trace: ${what}`, {
      details: { line: number },
    });
  };
  const fields = parsed(text, refuse);
  const whole = (
    name: 'input_length' | 'output_length' | 'block_tokens',
    atLeast: number,
    atMost: number,
  ): number => {
    const value = fields[name];
    if (isWhole(value) && value >= atLeast && value <= atMost) return value;
    return refuse(
      `${name} must be a whole number from ${atLeast} to ${atMost}, not ${shown(value)}`,
    );
  };
  const { timestamp } = fields;
  if (typeof timestamp !== 'number' || !Number.isFinite(timestamp) || timestamp < 0) {
    refuse(`timestamp must be milliseconds from 0 on, not ${shown(timestamp)}`);
  }
  if (timestamp < notBeforeMs) {
    refuse(`timestamp ${timestamp} is before that of the line above, ${notBeforeMs}`);
  }
  const promptTokens = whole('input_length', 1, MAX_PROMPT_TOKENS);
  const outputTokens = whole('output_length', 0, MAX_OUTPUT_TOKENS);
  const saysSize = fields.block_tokens !== undefined;
  const size = saysSize ? whole('block_tokens', 1, MAX_BLOCK_TOKENS) : TRACE_BLOCK_TOKENS;
  const entries = { promptTokens, size, refuse };
  return {
    ...{ atMs: timestamp, promptTokens, outputTokens },
    blocks: readIds('hash_ids', fields.hash_ids, entries),
    ...(saysSize && { blockTokens: size }),
    ...(fields.content_ids !== undefined && {
      contentIds: readIds('content_ids', fields.content_ids, entries),
    }),
  };
}

interface Entries {
  promptTokens: number;
  /** Tokens of a block. */
  size: number;
  refuse: (what: string) => never;
}

function readIds(
  name: 'hash_ids' | 'content_ids',
  ids: unknown,
  { promptTokens, size, refuse }: Entries,
): number[] {
  if (!Array.isArray(ids)) return refuse(`${name} must be a list, not ${shown(ids)}`);
  const expected = Math.ceil(promptTokens / size);
  if (ids.length !== expected) {
    const what = `${expected} for ${promptTokens} tokens`;
    refuse(`${name} must have one entry for each ${size} tokens, ${what}, not ${ids.length}`);
  }
  const at = ids.findIndex((id) => !isWhole(id) || id < 0);
  if (at >= 0) {
    const what = `must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`;
    refuse(`${name}[${at}] ${what}, not ${shown(ids[at])}`);
  }
  return ids as number[];
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function parsed(text: string, refuse: (what: string) => never): TraceFields {
  if (text.trim() === '') refuse('is empty, where a JSON object has to be');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse('is no JSON; if it is the last one, the file has been cut off');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return refuse('must be a JSON object');
  }
  for (const name of ['timestamp', 'input_length', 'output_length', 'hash_ids']) {
    if (!(name in value)) refuse(`${name} is missing`);
  }
  return value as TraceFields;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= 60 ? text : `${text.slice(0, 60)}…`;
}
