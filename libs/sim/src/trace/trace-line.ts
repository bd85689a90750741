import { BatonError } from '@baton/kv';

/** Tokens of a block in Mooncake's traces. */
export const TRACE_BLOCK_TOKENS = 512;

/** One request of a trace. */
export interface TraceRequest {
  /** Since the trace began, ms. */
  atMs: number;
  promptTokens: number;
  outputTokens: number;
  /**
   * Names of the prompt's blocks of {@link TRACE_BLOCK_TOKENS}, the last one perhaps not full. Each names the whole
   * prefix up to its end.
   */
  blocks: readonly number[];
}

/** The fields of Mooncake's format. */
interface TraceFields {
  timestamp: number;
  input_length: number;
  output_length: number;
  hash_ids: number[];
}

const MAX_TOKENS = 2 ** 31;

/**
 * Reads one line of a trace in Mooncake's format, one JSON object each.
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
  const whole = (name: 'input_length' | 'output_length', atLeast: number): number => {
    const value = fields[name];
    if (Number.isSafeInteger(value) && value >= atLeast && value <= MAX_TOKENS) return value;
    return refuse(`${name} must be a whole number from ${atLeast} on, not ${shown(value)}`);
  };
  const { timestamp, hash_ids: blocks } = fields;
  if (typeof timestamp !== 'number' || !Number.isFinite(timestamp) || timestamp < 0) {
    refuse(`timestamp must be milliseconds from 0 on, not ${shown(timestamp)}`);
  }
  if (timestamp < notBeforeMs) {
    refuse(`timestamp ${timestamp} is before that of the line above, ${notBeforeMs}`);
  }
  const promptTokens = whole('input_length', 1);
  const outputTokens = whole('output_length', 0);
  if (!Array.isArray(blocks)) refuse(`hash_ids must be a list, not ${shown(blocks)}`);
  const expected = Math.ceil(promptTokens / TRACE_BLOCK_TOKENS);
  if (blocks.length !== expected) {
    const what = `${expected} for ${promptTokens} tokens`;
    refuse(
      `hash_ids must have one entry for each ${TRACE_BLOCK_TOKENS} tokens, ${what}, not ${blocks.length}`,
    );
  }
  const at = blocks.findIndex((block) => !Number.isSafeInteger(block) || block < 0);
  if (at >= 0) refuse(`hash_ids[${at}] must be a whole number from 0 on, not ${shown(blocks[at])}`);
  return { atMs: timestamp, promptTokens, outputTokens, blocks };
}

function parsed(text: string, refuse: (what: string) => never): TraceFields {
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
