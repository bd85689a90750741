import { KeyTable } from '@baton/index';
import { KEY_BYTES } from '@baton/kv';

const KEY_WORDS = 4;
/** Column of the table: 1 for a key that is in the set, 0 for an id without one. */
const PRESENT = 0;

/** A set of segment keys with the XOR of all of them, in flat arrays: about 30 bytes a key. */
export class KeySet {
  #table = new KeyTable(1);
  readonly #xor = new Int32Array(KEY_WORDS);

  get size(): number {
    return this.#table.size;
  }

  /** XOR of all keys, as bytes. */
  get xor(): Uint8Array {
    const bytes = new Uint8Array(KEY_BYTES);
    const view = new DataView(bytes.buffer);
    for (let i = 0; i < KEY_WORDS; i += 1) view.setInt32(i * 4, this.#xor[i] as number, true);
    return bytes;
  }

  has(packed: DataView, offset: number): boolean {
    return this.#table.find(packed, offset) >= 0;
  }

  /** False when it was there already. */
  add(packed: DataView, offset: number): boolean {
    const { size } = this.#table;
    const id = this.#table.add(packed, offset);
    if (this.#table.size === size) return false;
    this.#table.set(id, PRESENT, 1);
    this.#mix(packed, offset);
    return true;
  }

  /** False when it was not there. */
  remove(packed: DataView, offset: number): boolean {
    const id = this.#table.find(packed, offset);
    if (id < 0) return false;
    this.#table.set(id, PRESENT, 0);
    this.#table.remove(id);
    this.#mix(packed, offset);
    return true;
  }

  clear(): void {
    this.#table = new KeyTable(1);
    this.#xor.fill(0);
  }

  /** All keys, packed, in pieces of at most so many. */
  *pieces(maxKeys: number): Generator<Uint8Array, void, undefined> {
    const table = this.#table;
    for (let id = 0, left = table.size; left > 0;) {
      const piece = new Uint8Array(Math.min(left, maxKeys) * KEY_BYTES);
      const view = new DataView(piece.buffer);
      for (let at = 0; at < piece.length; id += 1) {
        if (table.get(id, PRESENT) === 0) continue;
        table.write(id, view, at);
        at += KEY_BYTES;
      }
      left -= piece.length / KEY_BYTES;
      yield piece;
    }
  }

  #mix(packed: DataView, offset: number): void {
    const xor = this.#xor;
    for (let i = 0; i < KEY_WORDS; i += 1) {
      xor[i] = (xor[i] as number) ^ packed.getInt32(offset + i * 4, true);
    }
  }
}
