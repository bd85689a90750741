import { hash } from 'node:crypto';
import type { BlockName, BlockNaming, Chain } from '../cache/block-names.ts';

const TOKEN_BYTES = 4;
const DIGEST_BYTES = 32;
const SALT_MARK = 'sglang-cache-salt-v1\0';

/**
 * Names as SGLang makes them: SHA-256 over the digest of the page before, if there is one, and the tokens as 32 bits
 * each, lowest byte first (python/sglang/srt/mem_cache/utils.py). A salted chain begins behind the digest of its salt.
 * That of an adapter has a beginning of its own here: SGLang keeps those in trees of their own, and its events do not
 * tell them apart.
 */
export class SglangPageNaming implements BlockNaming {
  name(parent: BlockName | undefined, tokens: readonly number[], chain: Chain): BlockName {
    const before = parent ?? beginningOf(chain);
    const bytes = Buffer.alloc(DIGEST_BYTES + tokens.length * TOKEN_BYTES);
    let at = bytes.write(before, 'latin1');
    for (const token of tokens) at = bytes.writeUInt32LE(token, at);
    return digestOf(bytes.subarray(0, at));
  }
}

/** Of a server that keeps no prefixes: no two pages have the same name. */
export class UnsharedNaming implements BlockNaming {
  #count = 0;

  name(): BlockName {
    this.#count += 1;
    return String(this.#count);
  }
}

/** First 64 bits of a digest as a signed integer: what SGLang's events call a page. */
export function highBits(name: BlockName): bigint {
  return Buffer.from(name, 'latin1').readBigInt64BE();
}

function beginningOf({ salt, adapter }: Chain): BlockName {
  if (adapter !== undefined) return digestOf(JSON.stringify([adapter.id, adapter.path, salt]));
  return salt === undefined ? '' : digestOf(SALT_MARK + salt);
}

function digestOf(data: string | Uint8Array): BlockName {
  return hash('sha256', data, 'buffer').toString('latin1');
}
