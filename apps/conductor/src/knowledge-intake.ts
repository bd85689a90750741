import type { CoreInput } from '@baton/core';
import { Fifo, KEY_BYTES } from '@baton/kv';

export interface KnowledgeIntakeOptions {
  /** Takes one input; may throw. */
  step: (input: CoreInput) => void;
  /** True while the core has something left that was too long for one step. */
  hasWork: () => boolean;
  /** Milliseconds. */
  now: () => number;
  onFault: (error: unknown) => void;
}

export interface IntakeCounters {
  /** Inputs that wait now. */
  waiting: number;
  /** Inputs that were taken at once because there was no room to wait: plans had to wait instead. */
  unqueued: number;
}

/**
 * Longest that the intake keeps the process busy before requests get a turn; one step of the core
 * more, some milliseconds, may come on top.
 */
const SLICE_MS = 5;
const MAX_WAITING = 65_536;
/** 16 MiB of keys. */
const MAX_WAITING_KEYS = 1_048_576;

/**
 * What agents say of themselves waits here in its order and is taken in slices, with everything else
 * that the process does in between: a burst of deltas or a snapshot does not make plans wait. When
 * too much waits, the oldest is taken at once: then the reading of NATS slows down, and nothing is
 * lost here.
 */
export class KnowledgeIntake {
  readonly counters: IntakeCounters = { waiting: 0, unqueued: 0 };
  readonly #options: KnowledgeIntakeOptions;
  readonly #inputs = new Fifo<CoreInput>();
  #keys = 0;
  #immediate: NodeJS.Immediate | undefined;

  constructor(options: KnowledgeIntakeOptions) {
    this.#options = options;
  }

  offer(input: CoreInput): void {
    this.#inputs.push(input);
    this.#keys += keysOf(input);
    this.counters.waiting += 1;
    while (this.counters.waiting > MAX_WAITING || this.#keys > MAX_WAITING_KEYS) {
      this.counters.unqueued += 1;
      this.#takeOne();
    }
    this.#immediate ??= setImmediate(() => this.#slice());
  }

  close(): void {
    clearImmediate(this.#immediate);
    this.#inputs.clear();
    this.#keys = 0;
    this.counters.waiting = 0;
  }

  #slice(): void {
    this.#immediate = undefined;
    const { hasWork, now } = this.#options;
    const endMs = now() + SLICE_MS;
    while (this.counters.waiting > 0 && now() < endMs) this.#takeOne();
    // Work has a turn in each slice, however much comes in.
    for (let mayGoOn = true; mayGoOn && hasWork(); mayGoOn = now() < endMs) {
      this.#step({ type: 'work' });
    }
    if (this.counters.waiting > 0 || hasWork()) {
      this.#immediate ??= setImmediate(() => this.#slice());
    }
  }

  #takeOne(): void {
    const input = this.#inputs.shift();
    if (input === undefined) return;
    this.#keys -= keysOf(input);
    this.counters.waiting -= 1;
    this.#step(input);
  }

  #step(input: CoreInput): void {
    try {
      this.#options.step(input);
    } catch (error) {
      this.#options.onFault(error);
    }
  }
}

function keysOf(input: CoreInput): number {
  const ops =
    input.type === 'delta'
      ? input.delta.ops
      : input.type === 'snapshotChunk'
        ? input.chunk.ops
        : [];
  return ops.reduce((sum, op) => sum + op.keys.length / KEY_BYTES, 0);
}
