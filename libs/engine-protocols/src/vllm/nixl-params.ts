import type { HandoverFacts, HandoverParams, Read } from '../engine-protocol.ts';
import { asObject, countAt, isCount } from '../json-fields.ts';

/**
 * The `kv_transfer_params` of a prefill's answer. They are checked, as vLLM does not: with too few blocks its
 * whole decode engine dies, and with others it answers with another prompt's KV. Null where the
 * engine keeps nothing: releases that want a finish by length give none when the first token ends the answer.
 */
export function readNixlParams(
  value: unknown,
  facts: HandoverFacts,
): Read<HandoverParams | undefined> {
  if (value === undefined || value === null) return { ok: true, value: undefined };
  return readPlace(value, 'do_remote_prefill', facts);
}

/** What both sides say of KV that they keep: `direction` is the flag that has to be set, and the other one not. */
export function readPlace(
  value: unknown,
  direction: 'do_remote_prefill' | 'do_remote_decode',
  facts: HandoverFacts,
): Read<HandoverParams> {
  const params = asObject(value);
  if (params === undefined) return wrong('it is no object');
  const other = direction === 'do_remote_decode' ? 'do_remote_prefill' : 'do_remote_decode';
  if (params[direction] !== true) return wrong(`${direction} is not true`);
  if (params[other] === true) return wrong(`${other} is true`);
  for (const field of ['remote_engine_id', 'remote_host'] as const) {
    const text = params[field];
    if (typeof text !== 'string' || text === '') return wrong(`${field} is no text`);
  }
  const port = countAt(params, 'remote_port');
  if (port === undefined || port < 1 || port > 65_535) return wrong('remote_port is no port');
  // Releases before 0.21 do not say it.
  const tokens = params['remote_num_tokens'] ?? facts.promptTokens;
  if (tokens !== facts.promptTokens) {
    return wrong(`remote_num_tokens is ${String(tokens)}, the prompt has ${facts.promptTokens}`);
  }
  const groups = blockGroups(params['remote_block_ids']);
  if (groups === undefined) return wrong('remote_block_ids is no list of block ids');
  const needed = Math.ceil(facts.promptTokens / facts.blockTokens);
  const most = Math.max(0, ...groups.map((ids) => ids.length));
  // Groups of sliding windows keep fewer: one of them at least is to have all.
  if (most !== needed) return wrong(`remote_block_ids has ${most} blocks, the prompt ${needed}`);
  return { ok: true, value: params };
}

/** A list for each KV cache group, or one list in releases before there were groups. */
function blockGroups(value: unknown): readonly unknown[][] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const groups: unknown[] = value.every(Array.isArray) ? value : [value];
  return groups.every((ids) => Array.isArray(ids) && ids.every(isCount))
    ? (groups as unknown[][])
    : undefined;
}

function wrong(what: string): { ok: false; reason: string } {
  return { ok: false, reason: `kv_transfer_params: ${what}` };
}
