import { encodeEventSeq, isReplayEnd, readEventSeq } from '@baton/engine-protocols';
import { RetryPace } from '../zmtp/retry-pace.ts';
import { ZmtpLink } from '../zmtp/zmtp-link.ts';

export interface ReplayClientOptions {
  /** ZMQ ROUTER of the replay. */
  endpoint: string;
  /** Silence that counts as no answer, ms. */
  timeoutMs: number;
  maxPayloadBytes: number;
  /** A batch of the answer; the number is undefined when there is none that can be read. */
  onBatch(seq: number | undefined, payload: Uint8Array): void;
  /** True when the engine has told all that it still has, false when it does not answer. */
  onEnd(isComplete: boolean): void;
}

const EMPTY = new Uint8Array();

/** Asks an engine for KV events that it has published before. One question at a time. */
export class ReplayClient {
  readonly #options: ReplayClientOptions;
  /** Of one link after the other: who cannot be reached is not tried more often for being asked again. */
  readonly #pace = new RetryPace();
  #link: ZmtpLink | undefined;
  /** What is to be asked as soon as there is a connection. */
  #question: number | undefined;
  #silence: NodeJS.Timeout | undefined;
  #isHeard = false;

  constructor(options: ReplayClientOptions) {
    this.#options = options;
  }

  ask(from: number): void {
    this.#question = from;
    this.#isHeard = false;
    this.#silence = setInterval(() => this.#look(), this.#options.timeoutMs);
    this.#link ??= this.#open();
    this.#put();
  }

  close(): void {
    this.#stop();
    this.#link?.close();
    this.#link = undefined;
  }

  #open(): ZmtpLink {
    return new ZmtpLink({
      type: 'DEALER',
      endpoint: this.#options.endpoint,
      maxMessageBytes: this.#options.maxPayloadBytes,
      pace: this.#pace,
      onUp: () => this.#put(),
      onDown: () => {
        // One that was never there may still come.
        if (this.#question === undefined) this.#giveUp();
      },
      onMessage: (frames) => this.#take(frames),
      onOversized: (frames) => this.#batch(readEventSeq(frames.at(-1)), EMPTY),
    });
  }

  #put(): void {
    if (this.#question === undefined) return;
    if (this.#link?.send([EMPTY, encodeEventSeq(this.#question)])) this.#question = undefined;
  }

  /** `["", seq, payload]` up to vLLM 0.25 and in SGLang, `["", topic, seq, payload]` since. */
  #take(frames: readonly Buffer[]): void {
    const seq = frames[frames.length - 2];
    if (!isReplayEnd(seq))
      return this.#batch(readEventSeq(seq), frames[frames.length - 1] ?? EMPTY);
    if (this.#stop()) this.#options.onEnd(true);
  }

  #batch(seq: number | undefined, payload: Uint8Array): void {
    this.#isHeard = true;
    if (this.#silence) this.#options.onBatch(seq, payload);
  }

  #look(): void {
    if (!this.#isHeard) this.#giveUp();
    this.#isHeard = false;
  }

  /** A late answer must not be taken for the answer to the next question: it comes over a connection that is gone. */
  #giveUp(): void {
    this.#link?.close();
    this.#link = undefined;
    if (this.#stop()) this.#options.onEnd(false);
  }

  /** False when nothing was asked. */
  #stop(): boolean {
    const wasAsking = this.#silence !== undefined;
    clearInterval(this.#silence);
    this.#silence = undefined;
    this.#question = undefined;
    return wasAsking;
  }
}
