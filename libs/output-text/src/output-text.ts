import { StopMatcher } from './stop-matcher.ts';
import type { MatchedText } from './stop-matcher.ts';
import { StreamDetokenizer } from './stream-detokenizer.ts';
import type { TokenPieces } from './stream-detokenizer.ts';

/** From output tokens to the text that a client may see: detokenizer, then stop strings. */
export class OutputText {
  readonly #detokenizer: StreamDetokenizer;
  readonly #matcher: StopMatcher;

  constructor(pieces: TokenPieces, stops: readonly string[]) {
    this.#detokenizer = new StreamDetokenizer(pieces);
    this.#matcher = new StopMatcher(stops);
  }

  push(token: number): MatchedText {
    return this.#matcher.push(this.#detokenizer.push(token));
  }

  /**
   * Takes in tokens that another engine sampled and whose text it has shown. What that engine held back comes out with
   * the next `push`. Returns a stop string that is already complete.
   */
  prime(tokens: Iterable<number>): string | undefined {
    let stop: string | undefined;
    for (const token of tokens) stop ??= this.push(token).stop;
    return stop;
  }

  /** Text held back for a stop string that did not come; an unfinished character stays unseen. */
  flush(): string {
    return this.#matcher.flush();
  }
}
