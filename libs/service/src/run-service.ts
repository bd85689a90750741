import { shutdownTelemetry } from '@baton/telemetry';
import { describeFault } from './describe-fault.ts';
import { createLogger, type Logger } from './logger.ts';

/** From the request to stop until the process is gone, whatever the service does. */
const STOP_LIMIT_MS = 2_800;
/** Of that, for the last spans. */
const TELEMETRY_LIMIT_MS = 500;

export type Endpoints = Readonly<Record<string, string>>;

/** Sent to the parent over IPC, when there is one. */
export interface ReadyMessage {
  type: 'ready';
  service: string;
  endpoints: Endpoints;
}

export interface ServiceContext {
  log: Logger;
  /** Aborted when the process has been asked to stop. */
  signal: AbortSignal;
}

export interface StartedService {
  /** Name → address, for people and for the parent process. */
  endpoints: Endpoints;
  /** Finishes what runs and releases everything; called once. */
  stop: () => Promise<void>;
}

export interface ServiceOptions {
  /** Name of the process in logs, e.g. `gateway`. */
  name: string;
  /** Resolves when the service is ready. A rejection ends the process with exit code 1. */
  start: (context: ServiceContext) => Promise<StartedService>;
}

type StopReason = 'SIGTERM' | 'SIGINT' | 'SIGHUP' | 'parent gone';

const EXIT_OK = 0;
const EXIT_FAULT = 1;
const EXIT_BY_SIGNAL: Readonly<Record<StopReason, number>> = {
  SIGHUP: 129,
  SIGINT: 130,
  SIGTERM: 143,
  'parent gone': EXIT_FAULT,
};

function endWithFault(log: Logger, event: string, error: unknown): never {
  const sentence = describeFault(error);
  if (sentence) log.fatal({ event }, sentence);
  else log.fatal({ event, err: error }, error instanceof Error ? error.message : String(error));
  return process.exit(EXIT_FAULT);
}

/** Calls `stop` once for the first reason to stop; the second signal ends the process at once. */
function onStopRequest(stop: (reason: StopReason) => void): void {
  let stopping = false;
  const request = (reason: StopReason): void => {
    if (stopping && reason !== 'parent gone') process.exit(EXIT_BY_SIGNAL[reason]);
    if (stopping) return;
    stopping = true;
    stop(reason);
  };
  const isChild = typeof process.send === 'function';
  process.on('SIGTERM', () => request('SIGTERM'));
  process.on('SIGHUP', () => request('SIGHUP'));
  // A terminal sends SIGINT to the whole group: the parent decides what its children do about it.
  process.on('SIGINT', isChild ? () => undefined : () => request('SIGINT'));
  if (!isChild) return;
  process.on('disconnect', () => request('parent gone'));
  if (!process.connected) request('parent gone');
}

function announceReady(name: string, endpoints: Endpoints): void {
  const message: ReadyMessage = { type: 'ready', service: name, endpoints };
  // The callback keeps a channel that closes meanwhile from becoming an 'error' event.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}

/**
 * Runs a process of Baton from start to exit.
 *
 * Ready: an `event: "ready"` log line and, as a child, a {@link ReadyMessage}. Stop: SIGTERM, SIGHUP, SIGINT
 * (ignored as a child), or the parent's end (IPC `disconnect`); exit code 0, or 1 when stopping took longer than
 * {@link STOP_LIMIT_MS}. An uncaught error, an unhandled rejection or a failed start is logged and exits with 1.
 */
export async function runService(options: ServiceOptions): Promise<void> {
  const log = createLogger({ name: options.name });
  process.on('uncaughtException', (error) => endWithFault(log, 'crash', error));
  process.on('unhandledRejection', (error) => endWithFault(log, 'crash', error));

  const aborted = new AbortController();
  // In a microtask, so that the listeners below are there before the app's first line runs.
  const starting = Promise.resolve().then(() => {
    if (aborted.signal.aborted) return undefined;
    return options.start({ log, signal: aborted.signal });
  });

  const finish = async (): Promise<void> => {
    try {
      const started = await starting.catch(() => undefined);
      await started?.stop();
      await shutdownTelemetry(TELEMETRY_LIMIT_MS);
    } catch (error) {
      endWithFault(log, 'stop_failed', error);
    }
    log.info({ event: 'stopped' }, 'stopped');
    process.exit(EXIT_OK);
  };
  onStopRequest((reason) => {
    log.info({ event: 'stopping', reason }, `stopping: ${reason}`);
    setTimeout(() => {
      log.error({ event: 'stop_timeout', limitMs: STOP_LIMIT_MS }, 'stopping took too long');
      process.exit(EXIT_FAULT);
    }, STOP_LIMIT_MS);
    aborted.abort();
    void finish();
  });

  try {
    const started = await starting;
    if (!started || aborted.signal.aborted) return;
    log.info({ event: 'ready', endpoints: started.endpoints }, 'ready');
    announceReady(options.name, started.endpoints);
  } catch (error) {
    if (!aborted.signal.aborted) endWithFault(log, 'start_failed', error);
  }
}
