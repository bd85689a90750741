/**
 * Life of a process: start, ready, stop, and its log.
 *
 * Data flow: `runService` → the app's `start` → ready line and IPC message → signal or parent's end → the app's
 * `stop` → last spans → exit.
 *
 * - Logs are NDJSON on stdout with `service` and `event`; prompts and keys never go into one.
 * - Whatever the app does, the process is gone 3 s after it was asked to stop, and at once on a second signal.
 * - Known faults of a start (port in use, bad configuration) are one sentence without a stack.
 *
 * @module
 */
export { createLogger, type Logger, type LoggerOptions } from './logger.ts';
export {
  runService,
  type Endpoints,
  type ReadyMessage,
  type ServiceContext,
  type ServiceOptions,
  type StartedService,
} from './run-service.ts';
export { SpacedLines } from './spaced-lines.ts';
