import { BatonError } from '@baton/kv';
import { findRun, getJson } from '../commands/running.ts';

export const HTTP_NOT_FOUND = 404;

/**
 * Base URL of the admin API of the conductor that is given, or of the one that a run on this machine has.
 *
 * @param flags `port` says which run, by that of its OpenAI API
 * @throws BatonError config_invalid when there is none
 */
export function conductorUrl({ port, conductor }: { port?: number; conductor?: string }): string {
  if (conductor !== undefined) return conductor;
  const run = findRun(port);
  if (run.conductorUrl !== undefined) return run.conductorUrl;
  throw new BatonError(
    'config_invalid',
    'Its conductor is not known yet: try again when it has printed its block.',
  );
}

/** GET of the admin API. @throws BatonError child_failed, which says so when this is none */
export async function askConductor(url: string, path: string): Promise<unknown> {
  try {
    return await getJson(`${url}${path}`);
  } catch (error) {
    if (!(error instanceof BatonError) || error.details['status'] !== HTTP_NOT_FOUND) throw error;
    throw noConductor(`${url}${path}`);
  }
}

/** For an answer of 404. */
export function noConductor(address: string): BatonError {
  return new BatonError(
    'child_failed',
    `${address} answered ${HTTP_NOT_FOUND}: this is no admin API of a conductor ("npm start" and "npx baton status" print its URL).`,
  );
}

/** For the flag. @throws BatonError config_invalid */
export function httpUrl(text: string): string {
  if (/^https?:\/\/[^\s/]+\/*$/.test(text)) return text.replace(/\/+$/, '');
  const right = '--conductor must be the URL of an admin API, e.g. http://127.0.0.1:7071';
  throw new BatonError('config_invalid', `${right}, not "${text}".`);
}
