import { BatonError } from '@baton/kv';
import { findRun } from '../commands/running.ts';

/** Which conductor `baton index` talks to. */
export interface IndexChoice {
  /** Of which `npm start`, by the port of its OpenAI API. */
  port?: number;
  /** Admin API of any other conductor. */
  conductor?: string;
}

/** Base URL of the conductor's admin API. @throws BatonError config_invalid when there is none */
export function conductorUrl({ port, conductor }: IndexChoice): string {
  if (conductor !== undefined) return conductor;
  const run = findRun(port);
  if (run.conductorUrl !== undefined) return run.conductorUrl;
  throw new BatonError(
    'config_invalid',
    'The conductor of this "npm start" is not known yet: try again when it has printed its block.',
  );
}

/** For the flag. @throws BatonError config_invalid */
export function httpUrl(text: string): string {
  if (/^https?:\/\/[^\s/]+\/*$/.test(text)) return text.replace(/\/+$/, '');
  const right = '--conductor must be the URL of an admin API, e.g. http://127.0.0.1:7071';
  throw new BatonError('config_invalid', `${right}, not "${text}".`);
}
