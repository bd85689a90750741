import { once } from 'node:events';
import { connect } from 'node:net';
import { nixlPlace } from './nixl-place.ts';
import { asking, type ProbeOptions } from './probed-engine.ts';

/** Where decode workers ask a prefill worker for what NIXL needs to know of it. */
export interface NixlSideChannel {
  host: string;
  port: number;
  /** Why nobody answers there, seen from here; undefined when somebody does. */
  problem: string | undefined;
}

const CONNECT_MS = 2_000;

/**
 * As vLLM says it with the handover of a prompt, and whether it can be reached. Undefined of a worker that hands nothing
 * over, as one that only receives.
 */
export async function nixlSideChannel(
  options: ProbeOptions,
  model: string,
): Promise<NixlSideChannel | undefined> {
  const place = await nixlPlace(asking(options), model);
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
