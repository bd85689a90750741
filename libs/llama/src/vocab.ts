import { BatonError } from '@baton/kv';
import type { NativeLlama, Pointer } from './native.ts';

export interface TokenizeOptions {
  /** Add the tokens with which the model begins (and ends) a text. */
  addSpecial: boolean;
  /** Read texts such as `<|im_start|>` as the special tokens that they name. */
  parseSpecial: boolean;
}

const FIRST_PIECE_BYTES = 64;
const SPARE_TOKENS = 16;
const utf8 = new TextEncoder();

/** The tokenizer of a model. Usable while the model is open. */
export class LlamaVocab {
  readonly size: number;
  /** -1 when the model has none; the same for {@link eos}. */
  readonly bos: number;
  readonly eos: number;
  /** True when `addSpecial` puts `bos` in front. */
  readonly addsBos: boolean;
  readonly #native: NativeLlama;
  readonly #pointer: Pointer;
  #piece = new Uint8Array(FIRST_PIECE_BYTES);

  constructor(native: NativeLlama, pointer: Pointer) {
    this.#native = native;
    this.#pointer = pointer;
    this.size = native.vocabSize(pointer);
    this.bos = native.bos(pointer);
    this.eos = native.eos(pointer);
    this.addsBos = native.addsBos(pointer);
  }

  /** Tokens of a text of any length and any characters, NUL included; lone surrogates become U+FFFD. */
  tokenize(text: string, options: TokenizeOptions): Int32Array {
    const bytes = utf8.encode(text);
    // libllama wants an address even for no bytes.
    const source = bytes.length === 0 ? new Uint8Array(1) : bytes;
    for (let capacity = bytes.length + SPARE_TOKENS; ;) {
      const tokens = new Int32Array(capacity);
      const { addSpecial, parseSpecial } = options;
      const count = this.#native.tokenize(
        this.#pointer,
        source,
        bytes.length,
        tokens,
        capacity,
        addSpecial,
        parseSpecial,
      );
      if (count >= 0) return tokens.slice(0, count);
      if (-count <= capacity) {
        throw new BatonError('invalid_request', 'The text cannot be tokenized.');
      }
      capacity = -count;
    }
  }

  /**
   * Bytes of one token, which need not be whole characters; special tokens have none unless `special`.
   *
   * @throws BatonError invalid_request when the vocabulary has no such token.
   */
  tokenBytes(token: number, special = false): Uint8Array {
    this.require(token);
    for (;;) {
      const into = this.#piece;
      const count = this.#native.tokenToPiece(this.#pointer, token, into, into.length, 0, special);
      if (count >= 0) return into.slice(0, count);
      this.#piece = new Uint8Array(-count);
    }
  }

  /** Bytes of several tokens, one after the other. */
  detokenize(tokens: ArrayLike<number>, special = false): Uint8Array {
    return Buffer.concat(Array.from(tokens, (token) => this.tokenBytes(token, special)));
  }

  isEndOfGeneration(token: number): boolean {
    return this.has(token) && this.#native.isEndOfGeneration(this.#pointer, token);
  }

  has(token: number): boolean {
    return Number.isInteger(token) && token >= 0 && token < this.size;
  }

  require(token: number): void {
    if (this.has(token)) return;
    throw new BatonError('invalid_request', `The model has no token ${token}.`, {
      details: { token },
    });
  }

  specialText(token: number): string {
    return this.has(token) ? Buffer.from(this.tokenBytes(token, true)).toString() : '';
  }
}
