import { BatonError } from '@baton/kv';
import { DONE, SseDecoder } from '@baton/openai';
import { eventFault } from './translate-fault.ts';

/** Characters of events that wait for their reader before the engine's socket is no longer read. */
const HIGH_WATER_CHARS = 64 * 1024;

export interface Valve {
  pause(): void;
  resume(): void;
}

interface Reader {
  resolve(events: string[] | undefined): void;
  reject(error: BatonError): void;
}

/**
 * Events between the engine's socket and one reader: what arrived together is read together, and a reader that falls
 * behind closes the valve. A stream is complete only with its `[DONE]`; an error event is its reader's fault.
 */
export class EventQueue {
  readonly #valve: Valve;
  readonly #decoder = new SseDecoder();
  #waiting: string[] = [];
  #waitingChars = 0;
  #reader: Reader | undefined;
  #done = false;
  #fault: BatonError | undefined;

  constructor(valve: Valve) {
    this.#valve = valve;
  }

  push(bytes: Uint8Array): void {
    if (this.#done || this.#fault !== undefined) return;
    const events = this.#decoder.push(bytes);
    for (const [index, data] of events.entries()) {
      const isError = data.startsWith('{"error"');
      if (data !== DONE && !isError) continue;
      this.#add(events.slice(0, index));
      if (isError) this.fail(eventFault(data));
      else this.#finish();
      return;
    }
    this.#add(events);
  }

  /** The connection ended. */
  end(): void {
    if (this.#done) return;
    this.fail(
      new BatonError('engine_failed', 'The engine ended its stream before it was complete.', {
        details: { phase: 'answer' },
      }),
    );
  }

  fail(error: BatonError): void {
    if (this.#done || this.#fault !== undefined) return;
    this.#fault = error;
    const reader = this.#takeReader();
    reader?.reject(error);
  }

  /** The next events, at least one; undefined after the last. One reader, one call at a time. */
  next(): Promise<string[] | undefined> {
    if (this.#waiting.length > 0) {
      const events = this.#waiting;
      const wasFull = this.#waitingChars > HIGH_WATER_CHARS;
      this.#waiting = [];
      this.#waitingChars = 0;
      // Last, since it may push at once what the socket had read already.
      if (wasFull) this.#valve.resume();
      return Promise.resolve(events);
    }
    if (this.#fault !== undefined) return Promise.reject(this.#fault);
    if (this.#done) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
    });
  }

  #add(events: string[]): void {
    if (events.length === 0) return;
    const reader = this.#takeReader();
    if (reader !== undefined) {
      reader.resolve(events);
      return;
    }
    for (const data of events) {
      this.#waiting.push(data);
      this.#waitingChars += data.length;
    }
    if (this.#waitingChars > HIGH_WATER_CHARS) this.#valve.pause();
  }

  #finish(): void {
    this.#done = true;
    this.#takeReader()?.resolve(undefined);
  }

  #takeReader(): Reader | undefined {
    const reader = this.#reader;
    this.#reader = undefined;
    return reader;
  }
}
