import { readNixlPlace } from '@baton/engine-protocols';
import { jsonOf } from './ask-engine.ts';
import type { Ask } from './probed-engine.ts';

/** Fewer tokens than any block has: the engine keeps one block for its lease. */
const PROMPT = [1, 2, 3];

/**
 * Where the NIXL side of a vLLM listens, as it says with the handover of a prompt that nobody fetches. Undefined of one
 * that hands nothing over.
 */
export async function nixlPlace(
  ask: Ask,
  model: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<ReturnType<typeof readNixlPlace>> {
  const wanted = { do_remote_decode: true, do_remote_prefill: false };
  const body = { model, prompt: PROMPT, max_tokens: 1, kv_transfer_params: wanted };
  return readNixlPlace(jsonOf(await ask('/v1/completions', body, headers)));
}
