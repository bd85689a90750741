import { writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/** Lines that the reader has not taken yet; beyond it lines are dropped and counted. */
const MAX_BUFFERED_BYTES = 1024 * 1024;
const RETRY_MS = 5;
/** At exit, for a reader that is slow. */
const EXIT_LIMIT_MS = 500;

export interface LogOutputOptions {
  /** File descriptor; 1 is stdout. */
  fd: number;
  /** A line in place of those that were dropped. */
  droppedLine: (lines: number) => string;
}

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/**
 * Log lines to a descriptor: in order, written before the call returns when the reader keeps up, never blocking when it
 * does not, and complete at `process.exit`. pino's own default writes in the thread pool and loses or swaps the last
 * lines before an exit; its synchronous mode blocks the process for as long as the reader does not read.
 */
export function logOutput(options: LogOutputOptions): DestinationStream & { flush(): void } {
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let dropped = 0;
  let isBroken = false;
  let timer: NodeJS.Timeout | undefined;

  /** False while the reader has no room. */
  const drain = (): boolean => {
    for (let line = waiting[0]; line !== undefined; line = waiting[0]) {
      let written: number;
      try {
        written = writeSync(options.fd, line);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return false;
        // The reader is gone (EPIPE): there is nobody to tell.
        isBroken = true;
        waiting = [];
        return true;
      }
      waitingBytes -= written;
      if (written === line.length) waiting.shift();
      else waiting[0] = line.subarray(written);
      if (waiting.length === 0 && dropped > 0) {
        const note = options.droppedLine(dropped);
        dropped = 0;
        enqueue(note);
      }
    }
    return true;
  };

  const enqueue = (text: string): void => {
    const line = Buffer.from(text);
    if (waitingBytes + line.length > MAX_BUFFERED_BYTES) {
      dropped++;
      return;
    }
    waiting.push(line);
    waitingBytes += line.length;
  };

  const drainLater = (): void => {
    timer = undefined;
    if (!drain()) timer = setTimeout(drainLater, RETRY_MS);
  };

  const flush = (): void => {
    const deadlineMs = performance.now() + EXIT_LIMIT_MS;
    while (!drain() && performance.now() < deadlineMs) pause(RETRY_MS);
  };
  process.on('exit', flush);

  return {
    write: (text) => {
      if (isBroken) return;
      enqueue(text);
      if (timer === undefined) drainLater();
    },
    flush,
  };
}
