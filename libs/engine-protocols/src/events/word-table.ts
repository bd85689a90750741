const utf8 = new TextEncoder();

/** Finds the number of a word by its bytes, without making text of them. */
export class WordTable {
  readonly #byLength: { bytes: Uint8Array; value: number }[][] = [];

  /** Values start at 1, since 0 means a word that is not there. */
  constructor(words: Readonly<Record<string, number>>) {
    for (const [word, value] of Object.entries(words)) {
      const bytes = utf8.encode(word);
      (this.#byLength[bytes.length] ??= []).push({ bytes, value });
    }
  }

  /** Value of the word of `length` bytes at `from`; 0 when it is none of these. */
  find(bytes: Uint8Array, from: number, length: number): number {
    const candidates = this.#byLength[length];
    if (candidates === undefined) return 0;
    for (const candidate of candidates) {
      if (sameBytes(candidate.bytes, bytes, from)) return candidate.value;
    }
    return 0;
  }
}

function sameBytes(word: Uint8Array, bytes: Uint8Array, from: number): boolean {
  for (let i = 0; i < word.length; i += 1) {
    if (word[i] !== bytes[from + i]) return false;
  }
  return true;
}
