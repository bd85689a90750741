import { EventQueue } from '@baton/sim';

/** Stops a timer that has not gone off. */
export type Cancel = () => void;

/** Time as an engine sees it; a stand-in never looks at another clock. */
export interface EngineClock {
  /** Engine time, ms. */
  now(): number;
  /** Unix time, ms. */
  wall(): number;
  /** Engine time in which so much of our own time goes by: for limits on what others do, who are not sped up. */
  ofRealTime(ms: number): number;
  /** Runs `act` once engine time has come to `atMs`, never within this call. */
  at(atMs: number, act: () => void): Cancel;
}

/** Engine time that runs `speedUp` times as fast as ours. */
export class RealClock implements EngineClock {
  readonly #speedUp: number;
  readonly #startMs = performance.now();

  constructor(speedUp = 1) {
    this.#speedUp = speedUp;
  }

  now(): number {
    return (performance.now() - this.#startMs) * this.#speedUp;
  }

  wall(): number {
    return Date.now();
  }

  ofRealTime(ms: number): number {
    return ms * this.#speedUp;
  }

  at(atMs: number, act: () => void): Cancel {
    const waitMs = (atMs - this.now()) / this.#speedUp;
    // Timers have a grain of a millisecond: what is due by then is due now.
    if (waitMs < 1) {
      const immediate = setImmediate(act);
      return () => clearImmediate(immediate);
    }
    const timer = setTimeout(act, waitMs);
    return () => clearTimeout(timer);
  }
}

/** Engine time that stands still until a test moves it. */
export class VirtualClock implements EngineClock {
  readonly #events = new EventQueue();
  readonly #startWallMs: number;
  #nowMs = 0;

  constructor(startWallMs = 1_700_000_000_000) {
    this.#startWallMs = startWallMs;
  }

  now(): number {
    return this.#nowMs;
  }

  wall(): number {
    return this.#startWallMs + this.#nowMs;
  }

  ofRealTime(ms: number): number {
    return ms;
  }

  at(atMs: number, act: () => void): Cancel {
    let isCancelled = false;
    this.#events.push(Math.max(atMs, this.#nowMs), () => {
      if (!isCancelled) act();
    });
    return () => void (isCancelled = true);
  }

  /** Runs everything that is due within the next `ms`, in order. */
  advance(ms: number): void {
    const untilMs = this.#nowMs + ms;
    while (this.#events.nextMs <= untilMs) {
      this.#nowMs = this.#events.nextMs;
      this.#events.runNext();
    }
    this.#nowMs = untilMs;
  }
}
