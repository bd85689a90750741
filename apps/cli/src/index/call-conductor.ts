import { BatonError } from '@baton/kv';
import { field } from '../json-fields.ts';
import { printable } from '../render/terminal-text.ts';
import { HTTP_NOT_FOUND, noConductor } from './index-target.ts';

/** The conductor looks at a new engine before it answers. */
const ANSWER_MS = 30_000;

/**
 * Has the conductor do something, and waits for what came of it.
 *
 * @throws BatonError config_invalid with the reason when it refuses, child_failed when it does not answer
 */
export async function callConductor(
  address: string,
  method: string,
  body?: object,
  answerMs = ANSWER_MS,
): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(address, {
      method,
      signal: AbortSignal.timeout(answerMs),
      ...(body !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    });
  } catch (cause) {
    throw new BatonError('child_failed', `${address} does not answer.`, { cause });
  }
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok) return answer;
  const message = field(field(answer, 'error'), 'message');
  const isOurs = typeof field(field(answer, 'error'), 'code') === 'string';
  if (response.status === HTTP_NOT_FOUND && !isOurs) throw noConductor(address);
  const what = typeof message === 'string' ? printable(message) : `status ${response.status}`;
  throw new BatonError('config_invalid', `The conductor refused: ${what}.`);
}
