import { KEY_BYTES } from '@baton/kv';
import { blockKeyWords } from './block-keys.ts';

/** Count and XOR of the keys of a set of blocks, kept while blocks come and go. */
export class HeldDigest {
  blocks = 0;
  readonly #words = new Uint32Array(KEY_BYTES / 4);

  add(block: number): void {
    this.blocks += 1;
    this.#toggle(block);
  }

  remove(block: number): void {
    this.blocks -= 1;
    this.#toggle(block);
  }

  /** A copy of the XOR as bytes. */
  xor(): Uint8Array {
    const bytes = new Uint8Array(KEY_BYTES);
    const view = new DataView(bytes.buffer);
    this.#words.forEach((word, i) => view.setUint32(i * 4, word, true));
    return bytes;
  }

  #toggle(block: number): void {
    const key = blockKeyWords(block);
    for (let i = 0; i < key.length; i += 1) {
      this.#words[i] = (this.#words[i] ?? 0) ^ (key[i] ?? 0);
    }
  }
}
