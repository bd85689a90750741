/** What a vocabulary says about its tokens; ids outside it have no text. */
export interface TokenPieces {
  /** Bytes of one token, not necessarily whole characters. */
  piece(token: number): Uint8Array;
  /** Control tokens (end of turn, padding, …), which no reader wants to see. */
  isSpecial(token: number): boolean;
}

/**
 * Text of a token stream. Bytes of an unfinished character are held back until the token that completes it; those that
 * can never become one turn into U+FFFD. What is still unfinished at the end of the stream is never shown.
 */
export class StreamDetokenizer {
  readonly #pieces: TokenPieces;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });

  constructor(pieces: TokenPieces) {
    this.#pieces = pieces;
  }

  /** The characters that this token completes. */
  push(token: number): string {
    if (this.#pieces.isSpecial(token)) return '';
    return this.#decoder.decode(this.#pieces.piece(token), { stream: true });
  }
}
