import type { TokenPieces } from '@baton/output-text';
import type { PackedPieces } from './tokenizer-port.ts';

/** The part of a vocabulary that packing needs. */
export interface PieceSource {
  readonly size: number;
  /** Special tokens have no bytes unless `special`. */
  tokenBytes(token: number, special?: boolean): Uint8Array;
}

export function packPieces(vocab: PieceSource): PackedPieces {
  const pieces: Uint8Array[] = [];
  const offsets = new Uint32Array(vocab.size + 1);
  const special = new Uint8Array(vocab.size);
  for (let token = 0; token < vocab.size; token += 1) {
    const shown = vocab.tokenBytes(token);
    const bytes = shown.length > 0 ? shown : vocab.tokenBytes(token, true);
    special[token] = shown.length === 0 && bytes.length > 0 ? 1 : 0;
    pieces.push(bytes);
    offsets[token + 1] = (offsets[token] ?? 0) + bytes.length;
  }
  return { bytes: new Uint8Array(Buffer.concat(pieces)), offsets, special };
}

/** Pieces of a packed vocabulary; ids outside it have none. */
export class PieceTable implements TokenPieces {
  readonly #packed: PackedPieces;

  constructor(packed: PackedPieces) {
    this.#packed = packed;
  }

  /** Control tokens have the bytes of their name, e.g. `<|im_end|>`. */
  piece(token: number): Uint8Array {
    const { bytes, offsets } = this.#packed;
    return bytes.subarray(offsets[token] ?? 0, offsets[token + 1] ?? offsets[token] ?? 0);
  }

  isSpecial(token: number): boolean {
    return this.#packed.special[token] === 1;
  }
}
