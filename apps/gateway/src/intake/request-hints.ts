import type { IncomingHttpHeaders } from 'node:http';
import { DEFAULT_PRIORITY, LAST_PRIORITY } from '@baton/kv';
import { fieldError } from '@baton/openai';
import type { SloLimits } from '../config.ts';

/** What a client says of its request in headers. */
export interface RequestHints {
  /** Of its conversation; empty when it names none. */
  sessionId: string;
  /** Whose request it is; empty when nobody says. */
  tenant: string;
  /** From 0, who is first, to 9. */
  priority: number;
  /** Objectives instead of the model's, ms; 0 for those. */
  ttftSloMs: number;
  tbtSloMs: number;
}

const MAX_NAME_CHARS = 256;

/** @throws BatonError invalid_request that names the header */
export function readHints(headers: IncomingHttpHeaders, limits: SloLimits): RequestHints {
  const { minTtftMs, maxTtftMs, minTbtMs, maxTbtMs } = limits;
  return {
    sessionId: nameIn(headers, 'x-session-id'),
    tenant: nameIn(headers, 'x-baton-tenant'),
    priority: wholeIn(headers, 'x-baton-priority', 0, LAST_PRIORITY) ?? DEFAULT_PRIORITY,
    ttftSloMs: wholeIn(headers, 'x-baton-slo-ttft-ms', minTtftMs, maxTtftMs) ?? 0,
    tbtSloMs: wholeIn(headers, 'x-baton-slo-tbt-ms', minTbtMs, maxTbtMs) ?? 0,
  };
}

function nameIn(headers: IncomingHttpHeaders, header: string): string {
  const name = textIn(headers, header) ?? '';
  if (name.length <= MAX_NAME_CHARS) return name;
  const message = `The header ${header} must have at most ${MAX_NAME_CHARS} characters.`;
  throw fieldError('invalid_request', header, message);
}

function wholeIn(
  headers: IncomingHttpHeaders,
  header: string,
  atLeast: number,
  atMost: number,
): number | undefined {
  const text = textIn(headers, header);
  if (text === undefined) return undefined;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= atLeast && value <= atMost) return value;
  const message = `The header ${header} must be a whole number from ${atLeast} to ${atMost}.`;
  throw fieldError('invalid_request', header, message);
}

function textIn(headers: IncomingHttpHeaders, header: string): string | undefined {
  const value = headers[header];
  return Array.isArray(value) ? value.join(', ') : value;
}
