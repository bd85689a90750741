import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const sane = /^[\w.:@/+=-]{1,128}$/;

/** The client's `x-request-id` when it can go into a header and a log as it is, else a new one. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && sane.test(given) ? given : randomUUID();
}
