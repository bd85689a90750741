import { hash } from 'node:crypto';
import { KEY_BYTES, keyCount } from '@baton/kv';

const SECRET_BYTES = 32;
const TOKEN_BYTES = 4;
/** A name takes 53 bits of a hash, which JSON carries exactly: 48 bits and the first 5 of the next byte. */
const HEAD_BYTES = 6;
const TAIL_BITS = 5;

/** What names the blocks of a prompt. */
export interface PromptFacts {
  model: string;
  tokens: readonly number[];
  /** Tokens of a segment, which is the block of the log. */
  segmentTokens: number;
  /** Of whatever comes before the first segment. */
  rootKey: Uint8Array;
  /** Of the whole segments, packed. */
  segmentKeys: Uint8Array;
}

/** Numbers of 53 bits, one for each block, the unfinished last one included. */
export interface BlockNames {
  /** Each names its block together with everything before it. */
  prefixes: number[];
  /** Each names its block's own tokens, whatever is before them. */
  contents: number[];
}

/**
 * Names that show nothing of a prompt to who does not know the salt: hashes of the secret of a model with, for
 * prefixes, the segment keys, which are hashes already, and for contents, the token ids. Prompts of different models
 * have no name in common. About 2 µs for each block.
 */
export function blockNames(salt: string, prompt: PromptFacts): BlockNames {
  const { model, tokens, segmentTokens, rootKey, segmentKeys } = prompt;
  const prefix = new Naming(
    secretOf(salt, 'prefix', model),
    KEY_BYTES + segmentTokens * TOKEN_BYTES,
  );
  const content = new Naming(secretOf(salt, 'content', model), segmentTokens * TOKEN_BYTES);
  const names: BlockNames = { prefixes: [], contents: [] };
  const whole = keyCount(segmentKeys);
  for (let block = 0; block * segmentTokens < tokens.length; block += 1) {
    const from = block * segmentTokens;
    const to = Math.min(tokens.length, from + segmentTokens);
    content.putTokens(0, tokens, from, to);
    names.contents.push(content.name((to - from) * TOKEN_BYTES));
    if (block < whole) {
      prefix.putKey(segmentKeys, block);
      names.prefixes.push(prefix.name(KEY_BYTES));
      continue;
    }
    // An unfinished block has no key: its name is made of the key before it and its tokens.
    if (block === 0) prefix.putKey(rootKey, 0);
    else prefix.putKey(segmentKeys, block - 1);
    prefix.putTokens(KEY_BYTES, tokens, from, to);
    names.prefixes.push(prefix.name(KEY_BYTES + (to - from) * TOKEN_BYTES));
  }
  return names;
}

function secretOf(salt: string, kind: 'prefix' | 'content', model: string): Uint8Array {
  return hash('sha256', JSON.stringify(['baton-request-log-v1', kind, model, salt]), 'buffer');
}

/** Name after name from the same bytes: the secret, and what is put behind it. */
class Naming {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;

  constructor(secret: Uint8Array, sizeBytes: number) {
    this.#bytes = new Uint8Array(SECRET_BYTES + sizeBytes);
    this.#bytes.set(secret);
    this.#view = new DataView(this.#bytes.buffer);
  }

  putKey(packed: Uint8Array, index: number): void {
    const start = index * KEY_BYTES;
    this.#bytes.set(packed.subarray(start, start + KEY_BYTES), SECRET_BYTES);
  }

  putTokens(at: number, tokens: readonly number[], from: number, to: number): void {
    let byte = SECRET_BYTES + at;
    for (let i = from; i < to; i += 1) {
      this.#view.setUint32(byte, tokens[i] ?? 0, true);
      byte += TOKEN_BYTES;
    }
  }

  /** Of the secret and the first `sizeBytes` behind it. */
  name(sizeBytes: number): number {
    // As text: half the price of a Buffer, which has to be allocated outside of the heap.
    const digest = hash('sha256', this.#bytes.subarray(0, SECRET_BYTES + sizeBytes), 'binary');
    let name = 0;
    for (let i = 0; i < HEAD_BYTES; i += 1) name = name * 256 + digest.charCodeAt(i);
    return name * 2 ** TAIL_BITS + (digest.charCodeAt(HEAD_BYTES) >> (8 - TAIL_BITS));
  }
}
