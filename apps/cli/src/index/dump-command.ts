import { once } from 'node:events';
import { BatonError } from '@baton/kv';
import { HTTP_NOT_FOUND, noConductor } from './index-target.ts';

const FIRST_BYTE_MS = 10_000;

/** `baton index dump`: every replica as a line of JSON, as it comes; memory does not grow with the index. */
export async function runIndexDump(url: string, out: NodeJS.WritableStream): Promise<void> {
  const address = `${url}/index/dump`;
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), FIRST_BYTE_MS);
  let response: Response;
  try {
    response = await fetch(address, { signal: stop.signal });
  } catch (error) {
    throw new BatonError('child_failed', `${address} does not answer.`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
  if (response.status === HTTP_NOT_FOUND) throw noConductor(address);
  if (!response.ok || response.body === null) {
    throw new BatonError('child_failed', `${address} answered ${response.status}.`);
  }
  try {
    for await (const chunk of response.body) {
      if (!out.write(chunk)) await once(out, 'drain');
    }
  } catch (error) {
    throw new BatonError('child_failed', `${address} broke off in the middle.`, { cause: error });
  }
}
