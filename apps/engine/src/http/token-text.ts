import type { TokenPieces } from '@baton/output-text';

/** Text of a single token, as log probabilities name it; bytes that are no text become U+FFFD. */
export function tokenText(pieces: TokenPieces, token: number): string {
  return new TextDecoder().decode(pieces.piece(token));
}
