import { BatonError, isErrorCode } from '@baton/kv';
import { OutputText } from '@baton/output-text';
import type { TokenPieces } from '@baton/output-text';
import type { EndedEvent, RequestRun, TokenEvent } from './request-run.ts';

export interface Finish {
  reason: 'stop' | 'length';
  /** The stop string that ended the output; null for an end-of-text token or the length. */
  stopReason: string | null;
}

/** What came since the last one: tokens with the text that they complete. */
export interface OutputDelta {
  text: string;
  tokens: TokenEvent[];
  /** Only in the last one. */
  finish?: Finish;
}

/** A run's output as text: detokenized, cut at stop strings, in as many pieces as the consumer takes. */
export class Generation {
  readonly run: RequestRun;
  readonly #text: OutputText;
  #primed = false;

  constructor(run: RequestRun, pieces: TokenPieces, stops: readonly string[]) {
    this.run = run;
    this.#text = new OutputText(pieces, stops);
  }

  /** @throws BatonError when the run fails or was aborted. */
  async *deltas(): AsyncGenerator<OutputDelta, void> {
    for (;;) {
      const outputs = await this.run.outputs.take();
      const delta: OutputDelta = { text: '', tokens: [] };
      for (const output of outputs) {
        this.#add(delta, output);
        if (delta.finish) break;
      }
      if (delta.finish || delta.tokens.length > 0) yield delta;
      if (delta.finish) return;
    }
  }

  #add(delta: OutputDelta, output: TokenEvent | EndedEvent): void {
    const stop = this.#prime(output);
    if (stop !== undefined) return this.#stop(delta, stop);
    if (output.type === 'ended') {
      delta.finish = this.#finishOf(output);
      if (!this.#goesOnElsewhere(output)) delta.text += this.#text.flush();
      return;
    }
    delta.tokens.push(output);
    const matched = this.#text.push(output.token);
    delta.text += matched.text;
    if (matched.stop !== undefined) this.#stop(delta, matched.stop);
  }

  /** Before the first output: tokens that another engine sampled and whose text it has shown. */
  #prime(output: TokenEvent | EndedEvent): string | undefined {
    if (this.#primed || (output.type === 'ended' && output.outcome === 'failed')) return undefined;
    this.#primed = true;
    return this.#text.prime(this.run.earlierTokens);
  }

  #stop(delta: OutputDelta, stop: string): void {
    this.run.finish();
    delta.finish = { reason: 'stop', stopReason: stop };
  }

  #finishOf(event: EndedEvent): Finish {
    switch (event.outcome) {
      case 'stop':
      case 'length':
        return { reason: event.outcome, stopReason: null };
      case 'aborted':
        throw new BatonError('request_aborted');
      case 'failed': {
        const { code = '', message } = event;
        throw new BatonError(isErrorCode(code) ? code : 'engine_failed', message);
      }
    }
  }

  /** After a prefill leg the decode leg shows what is held back here. */
  #goesOnElsewhere(event: EndedEvent): boolean {
    return this.run.request.leg.kind === 'prefill' && event.outcome === 'length';
  }
}
