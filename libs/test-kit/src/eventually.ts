import { setTimeout as sleep } from 'node:timers/promises';

const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 25;
/** Bounds a fault, not a speed. */
const WITHIN_MS = 20_000;

/**
 * Repeats `check` until it neither throws nor gives false, and gives what it gave. When the time is over, its last error
 * is thrown.
 */
export async function eventually<T>(check: () => T | Promise<T>, withinMs = WITHIN_MS): Promise<T> {
  const deadlineMs = performance.now() + withinMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      const result = await check();
      if (result !== false) return result;
      throw new Error(`it never came true: ${String(check)}`);
    } catch (error) {
      if (performance.now() > deadlineMs) throw error;
    }
    await sleep(pauseMs);
  }
}
