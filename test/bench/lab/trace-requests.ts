import { readFileSync } from 'node:fs';
import { readTraceLine, type TraceRequest } from '@baton/sim';

/** The requests of a trace in Mooncake's format. */
export function requestsOf(file: string): TraceRequest[] {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line, i) => readTraceLine(line, i + 1, 0));
}
