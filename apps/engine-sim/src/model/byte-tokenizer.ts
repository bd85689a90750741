import type { TokenPieces } from '@baton/output-text';

const BYTES = 256;
/** Ids of what no text has. */
export const TURN_START = 256;
export const TURN_END = 257;
const SPECIALS = ['<|im_start|>', '<|im_end|>'];
const EMPTY = new Uint8Array();

export interface ChatTurn {
  role: string;
  content: string;
}

/**
 * A token is a byte of UTF-8. Ids from 258 on have no text: prompts of token ids may use them, which gives long prompts
 * of any vocabulary without one. Chats are written in ChatML.
 */
export class ByteTokenizer implements TokenPieces {
  readonly vocabSize: number;
  /** That ends an answer. */
  readonly endToken = TURN_END;

  constructor(vocabSize: number) {
    this.vocabSize = vocabSize;
  }

  piece(token: number): Uint8Array {
    return token < BYTES ? Uint8Array.of(token) : EMPTY;
  }

  isSpecial(token: number): boolean {
    return token >= BYTES;
  }

  tokenize(text: string): number[] {
    return Array.from(Buffer.from(text));
  }

  tokenizeChat(turns: readonly ChatTurn[], addGenerationPrompt: boolean): number[] {
    const tokens = turns.flatMap(({ role, content }) => [
      TURN_START,
      ...this.tokenize(`${role}\n${content}`),
      TURN_END,
      ...this.tokenize('\n'),
    ]);
    if (addGenerationPrompt) tokens.push(TURN_START, ...this.tokenize('assistant\n'));
    return tokens;
  }

  /** Special tokens by their names, as vLLM's /detokenize gives them. */
  detokenize(tokens: readonly number[]): string {
    const parts = tokens.map((token) =>
      token < BYTES ? Buffer.of(token) : Buffer.from(SPECIALS[token - BYTES] ?? ''),
    );
    return Buffer.concat(parts).toString();
  }

  tokenText(token: number): string {
    return this.detokenize([token]);
  }
}
