import { BATCH_KEYS } from '@baton/index';
import { KEY_BYTES, rootKey, type MediaItem } from '@baton/kv';
import { ChainHasher } from './chain-hasher.ts';

const utf8 = new TextEncoder();

/** What a chain depends on besides its tokens. */
export interface ChainScope {
  adapter: string | undefined;
  /** Of the publisher: model revision, quantization and the like. */
  additionalSalt: string | undefined;
  /** Of the request or its tenant. */
  salt: string | undefined;
}

/** Roots that are remembered; one prompt after the other asks for the same few. */
const MAX_ROOTS = 256;

/** {@link chainRoot}, computed once for scopes that are asked for again and again. */
export class ChainRootCache {
  readonly #roots = new Map<string, Uint8Array>();

  rootOf(scope: ChainScope): Uint8Array {
    const { adapter, additionalSalt, salt } = scope;
    const isPlain = adapter === undefined && additionalSalt === undefined && salt === undefined;
    const name = isPlain ? '' : JSON.stringify([adapter, additionalSalt, salt]);
    const known = this.#roots.get(name);
    if (known !== undefined) return known;
    if (this.#roots.size >= MAX_ROOTS) this.#roots.clear();
    const root = chainRoot(scope);
    this.#roots.set(name, root);
    return root;
  }
}

/** Key of the block before the first one: no two scopes share any. */
export function chainRoot({ adapter, additionalSalt, salt }: ChainScope): Uint8Array {
  // A query names the salt of a publisher as its cache_salt, so that one salt alone is the same wherever it comes from.
  if (additionalSalt === undefined || salt === undefined) {
    return rootKey({ tokenization: 'context', adapter, salt: salt ?? additionalSalt });
  }
  return rootKey({ tokenization: `context ${additionalSalt}`, adapter, salt });
}

/**
 * Computes the key of one block after the other from its parent and its tokens, the way an engine's cache asks for it:
 * parent and tokens first, then the key.
 */
export class BlockKeys {
  readonly #chain = new ChainHasher();
  readonly #tokens: Uint32Array;
  /** Whoever asks does so with the same array every time. */
  #bytes: Uint8Array = new Uint8Array(0);
  #view = viewOf(this.#bytes);

  constructor(blockTokens: number) {
    this.#tokens = new Uint32Array(blockTokens);
  }

  /** The key at `offset` of `keys` is the parent of the next block. */
  setParent(keys: Uint8Array, offset: number): void {
    this.#chain.setParent(this.#viewOf(keys), offset);
  }

  /** Token ids from `from` on become those of the block from `at` on. */
  setTokens(at: number, tokens: Uint32Array, from: number, count: number): void {
    for (let i = 0; i < count; i += 1) this.#tokens[at + i] = tokens[from + i] as number;
  }

  /** Writes the block's key to `offset` of `out`. Offsets of media count from the block's first token. */
  key(out: Uint8Array, offset: number, media?: readonly MediaItem[]): void {
    const words = media?.length ? withMedia(this.#tokens, media) : this.#tokens;
    this.#chain.next(words, 0, words.length, this.#viewOf(out), offset);
  }

  #viewOf(bytes: Uint8Array): DataView {
    if (bytes !== this.#bytes) {
      this.#bytes = bytes;
      this.#view = viewOf(bytes);
    }
    return this.#view;
  }
}

/** The keys of a prompt's whole blocks, computed as far as they are asked for; one prompt after the other. */
export class PromptKeys {
  /** Where the keys of {@link take} are, from 0. */
  readonly keys = new DataView(new ArrayBuffer(BATCH_KEYS * KEY_BYTES));
  readonly #chain = new ChainHasher();
  readonly #blockTokens: number;
  #tokens: Uint32Array = new Uint32Array(0);
  #blocks = 0;
  #next = 0;

  constructor(blockTokens: number) {
    this.#blockTokens = blockTokens;
  }

  /** @param count of `tokens` that belong to the prompt */
  begin(root: Uint8Array, tokens: Uint32Array, count: number): void {
    this.#blocks = Math.floor(count / this.#blockTokens);
    this.#tokens = tokens;
    this.#next = 0;
    this.#chain.setParent(viewOf(root), 0);
  }

  /** Computes the keys that come next and says how many they are; 0 at the end. */
  take(): number {
    const count = Math.min(BATCH_KEYS, this.#blocks - this.#next);
    for (let i = 0; i < count; i += 1) {
      const from = (this.#next + i) * this.#blockTokens;
      this.#chain.next(this.#tokens, from, this.#blockTokens, this.keys, i * KEY_BYTES);
    }
    this.#next += count;
    return count;
  }
}

/** The tokens, then for each medium its offset, the length of its id and the id. */
function withMedia(tokens: Uint32Array, media: readonly MediaItem[]): Uint32Array {
  const words = [...tokens];
  const sorted = [...media].sort((a, b) => a.offset - b.offset || (a.id < b.id ? -1 : 1));
  for (const { offset, id } of sorted) {
    const bytes = utf8.encode(id);
    words.push(offset, bytes.length, ...bytes);
  }
  return Uint32Array.from(words);
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
