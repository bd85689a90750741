import { context, trace } from '@baton/telemetry';
import { pino, stdTimeFunctions, type DestinationStream, type Logger } from 'pino';
import { logOutput } from './log-output.ts';

export type { Logger } from 'pino';

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

export interface LoggerOptions {
  /** Field `service` of every line. */
  name: string;
  /** Default: `BATON_LOG_LEVEL`, else `info`. */
  level?: string;
  /** Default: stdout, see {@link logOutput}. */
  destination?: DestinationStream;
}

/** Leads from a line to its trace. */
function traceFields(): object {
  const active = trace.getSpanContext(context.active());
  return active ? { traceId: active.traceId, spanId: active.spanId } : {};
}

/** NDJSON: `level` as a word, `time` in ISO 8601, `service`, the active trace, `event`, then the event's own. */
export function createLogger(options: LoggerOptions): Logger {
  const level = options.level ?? process.env['BATON_LOG_LEVEL'] ?? 'info';
  if (!LEVELS.includes(level)) {
    const fault = new Error(
      `BATON_LOG_LEVEL must be one of ${LEVELS.join(', ')}, "${level}" is not`,
    );
    throw Object.assign(fault, { code: 'config_invalid' });
  }
  const settings = {
    level,
    base: { service: options.name, pid: process.pid },
    timestamp: stdTimeFunctions.isoTime,
    mixin: traceFields,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  const droppedLine = (lines: number): string => {
    const time = new Date().toISOString();
    const fields = { level: 'warn', time, service: options.name, event: 'log_dropped', lines };
    return `${JSON.stringify(fields)}\n`;
  };
  // Reading process.stdout makes a pipe non-blocking: only then a reader that stops reading blocks nothing.
  const destination = options.destination ?? logOutput({ fd: process.stdout.fd, droppedLine });
  return pino(settings, destination);
}
