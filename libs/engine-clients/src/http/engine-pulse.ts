import type { Pool } from 'undici';

export interface PulseLimits {
  /** From one answer to the next question. */
  everyMs: number;
  /** For one answer. */
  answerMs: number;
}

/** A hung engine is found out within seven seconds. */
export const pulseDefaults: PulseLimits = { everyMs: 1_000, answerMs: 2_000 };

/**
 * On a busy machine one question is easily missed: an engine's HTTP server shares its processors with what computes, and
 * this process may have stood still itself.
 */
const MISSES = 3;
/** Answered at once, if only with a 404: SGLang's /health computes a token and takes a second at least. */
const PATH = '/ping';

/** How the engine is reached. */
export interface PulseTarget {
  /** Connections of its own. */
  pool: Pool;
  /** Path of the engine's base URL, without a trailing slash. */
  prefix: string;
  headers: Readonly<Record<string, string>>;
}

/**
 * Asks an engine again and again whether it is there, on connections of its own: a process that is stopped, or a machine
 * that is cut off, keeps its connections and says nothing, which looks like a long prompt. Any answer is a sign of life.
 */
export class EnginePulse {
  readonly #target: PulseTarget;
  readonly #limits: PulseLimits;
  readonly #onDead: () => void;
  #timer: NodeJS.Timeout | undefined;
  #misses = 0;
  /** Changes with each stop: what comes of a question from before is not of interest. */
  #round = 0;

  constructor(target: PulseTarget, limits: PulseLimits, onDead: () => void) {
    this.#target = target;
    this.#limits = limits;
    this.#onDead = onDead;
  }

  start(): void {
    if (this.#timer === undefined) this.#askLater(this.#limits.everyMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#misses = 0;
    this.#round += 1;
  }

  #askLater(afterMs: number): void {
    const round = this.#round;
    this.#timer = setTimeout(() => {
      void this.#ask().then((isAlive) => {
        if (round === this.#round) this.#heard(isAlive);
      });
    }, afterMs);
    this.#timer.unref();
  }

  #heard(isAlive: boolean): void {
    this.#misses = isAlive ? 0 : this.#misses + 1;
    if (this.#misses < MISSES) return this.#askLater(isAlive ? this.#limits.everyMs : 0);
    this.stop();
    return this.#onDead();
  }

  async #ask(): Promise<boolean> {
    const late = new AbortController();
    // After a standstill of this process timers come first, and only then the answer that has been there for long.
    const timer = setTimeout(() => setImmediate(() => late.abort()), this.#limits.answerMs);
    const { pool, prefix, headers } = this.#target;
    const request = { path: prefix + PATH, method: 'GET', headers, signal: late.signal } as const;
    try {
      const { body } = await pool.request(request);
      await body.dump();
      return true;
    } catch {
      // Refused, cut or late: what it was makes no difference.
      return false;
    } finally {
      clearTimeout(timer);
    }
  }
}
