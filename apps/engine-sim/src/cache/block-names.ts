import { hash } from 'node:crypto';

/** Digest of a block as a string of its bytes: a key for maps. */
export type BlockName = string;

/** A LoRA adapter of one engine. */
export interface Adapter {
  id: number;
  name: string;
  path: string;
}

export interface Chain {
  salt: string | undefined;
  adapter: Adapter | undefined;
}

/** How one kind of engine names the blocks of a chain. */
export interface BlockNaming {
  /** Of the block that holds these tokens behind `parent`; undefined at the start of a chain. */
  name(parent: BlockName | undefined, tokens: readonly number[], chain: Chain): BlockName;
}

const NULL = 0xf6;
const HEAD_BYTES = 5;

/**
 * Names as vLLM makes them with `--prefix-caching-hash-algo sha256_cbor`: SHA-256 over the canonical CBOR of
 * `[parent digest, [token, …], extra keys or null]`. The first parent is the digest of PYTHONHASHSEED as text. A salt is
 * in the first block alone, as the pair `["cache_salt", salt]`; an adapter is in all blocks, as
 * `["lora", name, path]`.
 */
export class VllmBlockNaming implements BlockNaming {
  readonly #root: BlockName;
  #scratch = Buffer.alloc(1_024);

  constructor(hashSeed: string) {
    this.#root = this.#digest((out) => writeText(out, 0, hashSeed), textBytes(hashSeed));
  }

  name(parent: BlockName | undefined, tokens: readonly number[], chain: Chain): BlockName {
    const salt = parent === undefined ? chain.salt : undefined;
    const { name = '', path = '' } = chain.adapter ?? {};
    const bytes =
      100 + tokens.length * HEAD_BYTES + textBytes(salt ?? '') + textBytes(name) + textBytes(path);
    return this.#digest((out) => {
      let at = writeHead(out, 0, 4, 3);
      at = writeHead(out, at, 2, 32);
      at += out.write(parent ?? this.#root, at, 'latin1');
      at = writeHead(out, at, 4, tokens.length);
      for (const token of tokens) at = writeHead(out, at, 0, token);
      return writeExtra(out, at, salt, chain.adapter);
    }, bytes);
  }

  #digest(write: (out: Buffer) => number, bytes: number): BlockName {
    if (this.#scratch.length < bytes) this.#scratch = Buffer.alloc(2 * bytes);
    const length = write(this.#scratch);
    const digest = hash('sha256', this.#scratch.subarray(0, length), 'buffer');
    return digest.toString('latin1');
  }
}

/** Low 64 bits of a digest: what vLLM's events call a block unless they are told to send bytes. */
export function lowBits(name: BlockName): bigint {
  const bytes = Buffer.from(name, 'latin1');
  return bytes.readBigUInt64BE(bytes.length - 8);
}

function writeExtra(
  out: Buffer,
  from: number,
  salt: string | undefined,
  adapter: Adapter | undefined,
): number {
  const count = Number(salt !== undefined) + Number(adapter !== undefined);
  if (count === 0) {
    out[from] = NULL;
    return from + 1;
  }
  let at = writeHead(out, from, 4, count);
  if (adapter !== undefined) {
    at = writeHead(out, at, 4, 3);
    for (const text of ['lora', adapter.name, adapter.path]) at = writeText(out, at, text);
  }
  if (salt === undefined) return at;
  at = writeHead(out, at, 4, 2);
  at = writeText(out, at, 'cache_salt');
  return writeText(out, at, salt);
}

function textBytes(text: string): number {
  return HEAD_BYTES + Buffer.byteLength(text);
}

function writeText(out: Buffer, at: number, text: string): number {
  const behind = writeHead(out, at, 3, Buffer.byteLength(text));
  return behind + out.write(text, behind);
}

/** The shortest head of CBOR for a type and a number below 2³². */
function writeHead(out: Buffer, at: number, major: number, value: number): number {
  const type = major << 5;
  if (value < 24) return out.writeUInt8(type | value, at);
  if (value <= 0xff) return out.writeUInt8(value, out.writeUInt8(type | 24, at));
  if (value <= 0xffff) return out.writeUInt16BE(value, out.writeUInt8(type | 25, at));
  return out.writeUInt32BE(value, out.writeUInt8(type | 26, at));
}
