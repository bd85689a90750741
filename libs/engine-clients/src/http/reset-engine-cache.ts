import { request } from 'undici';
import type { EngineAccess } from '../access/engine-access.ts';

export interface EngineCacheReset {
  /** Name of the engine, as in its hello. */
  engine: string;
  /** Base URL without a trailing slash. */
  engineUrl: string;
  /** Its key and certificate, where it asks for them. */
  access?: EngineAccess | undefined;
}

const TIMEOUT_MS = 10_000;

/** Has an engine empty its prefix cache. A sentence that says why, when it does not. */
export async function resetEngineCache({
  engine,
  engineUrl,
  access,
}: EngineCacheReset): Promise<string | undefined> {
  const url = `${engineUrl}${engine === 'sglang' ? '/flush_cache' : '/reset_prefix_cache'}`;
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const { headers = {}, agent } = access?.of(engineUrl) ?? {};
    const dispatcher = agent === undefined ? {} : { dispatcher: agent };
    const { statusCode, body } = await request(url, {
      method: 'POST',
      headers,
      signal,
      ...dispatcher,
    });
    await body.dump();
    if (statusCode < 300) return undefined;
    return `the engine answers ${statusCode} to POST ${url}`;
  } catch (error) {
    return `POST ${url} failed: ${error instanceof Error ? error.message : String(error)}`;
  }
}
