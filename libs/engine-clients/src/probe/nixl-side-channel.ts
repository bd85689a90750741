import { once } from 'node:events';
import { connect } from 'node:net';
import { readNixlPlace } from '@baton/engine-protocols';
import { jsonOf } from './ask-engine.ts';
import { asking, type ProbeOptions } from './probed-engine.ts';

/** Where decode workers ask a prefill worker for what NIXL needs to know of it. */
export interface NixlSideChannel {
  host: string;
  port: number;
  /** Why nobody answers there, seen from here; undefined when somebody does. */
  problem: string | undefined;
}

const CONNECT_MS = 2_000;
/** Fewer tokens than any block has: the engine keeps one block for its lease. */
const PROMPT = [1, 2, 3];

/**
 * As vLLM says it with the handover of a prompt, and whether it can be reached. Undefined of a worker that hands nothing
 * over, as one that only receives.
 */
export async function nixlSideChannel(
  options: ProbeOptions,
  model: string,
): Promise<NixlSideChannel | undefined> {
  const wanted = { do_remote_decode: true, do_remote_prefill: false };
  const body = { model, prompt: PROMPT, max_tokens: 1, kv_transfer_params: wanted };
  const place = readNixlPlace(jsonOf(await asking(options)('/v1/completions', body)));
  if (place === undefined) return undefined;
  const { host, port } = place;
  return { host, port, problem: await whyUnreachable(host, port, options.signal) };
}

async function whyUnreachable(
  host: string,
  port: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(CONNECT_MS)]);
  const socket = connect({ host, port });
  try {
    await once(socket, 'connect', { signal: limit });
    return undefined;
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException;
    return name === 'AbortError' ? `no answer within ${CONNECT_MS} ms` : (code ?? name);
  } finally {
    socket.destroy();
  }
}
