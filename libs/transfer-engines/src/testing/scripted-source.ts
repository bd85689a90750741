import { crc32 } from 'node:zlib';
import { KEY_BYTES, keyAt, keyHex, SeededRandom } from '@baton/kv';
import type {
  PageMemory,
  PullQuery,
  SegmentSource,
  SourcePage,
  SourceRefusal,
  SourceStream,
  SourceTail,
} from '../transfer-engine.ts';

/** A key that nothing else has. */
export function testKey(n: number): Uint8Array {
  const key = new Uint8Array(KEY_BYTES).fill(0xa5);
  new DataView(key.buffer).setUint32(0, n, true);
  return key;
}

export function testKeys(from: number, count: number): Uint8Array {
  const packed = new Uint8Array(count * KEY_BYTES);
  for (let i = 0; i < count; i += 1) packed.set(testKey(from + i), i * KEY_BYTES);
  return packed;
}

interface Held {
  page: number;
  bytes: number;
  checksum: number;
}

const missing: SourceRefusal = { code: 'segment_not_found', message: 'not held' };
const closed: SourceRefusal = { code: 'transfer_cancelled', message: 'closed' };

/** A source that holds what a test puts into it, and keeps count of the pages that others are reading. */
export class ScriptedSource implements SegmentSource {
  readonly #held = new Map<string, Held>();
  #tail: (Held & { state: Uint8Array }) | undefined;
  #failure: SourceRefusal | undefined;
  readonly #waiting = new Set<() => void>();
  readonly queries: PullQuery[] = [];
  /** Pages given out and not yet released. */
  readonly reading = new Map<number, number>();
  openStreams = 0;
  refusal: SourceRefusal | undefined;
  memory: PageMemory | undefined;

  /** Fills a page with bytes that depend on `seed` and offers it under the key; `lie` spoils the checksum. */
  put(key: Uint8Array, page: number, bytes: number, seed: number, lie = 0): void {
    this.#held.set(keyHex(key), {
      page,
      bytes,
      checksum: (this.#fill(page, bytes, seed) ^ lie) >>> 0,
    });
    this.#wake();
  }

  remove(key: Uint8Array): void {
    this.#held.delete(keyHex(key));
  }

  putTail(page: number, bytes: number, seed: number, state: Uint8Array): void {
    this.#tail = { page, bytes, checksum: this.#fill(page, bytes, seed), state };
    this.#wake();
  }

  /** Every wait ends with this refusal. */
  fail(refusal: SourceRefusal): void {
    this.#failure = refusal;
    this.#wake();
  }

  open(query: PullQuery): SourceStream | SourceRefusal {
    if (this.refusal) return this.refusal;
    this.queries.push(query);
    this.openStreams += 1;
    let isClosed = false;
    const wait = async <T extends object>(
      look: () => T | undefined,
    ): Promise<T | SourceRefusal> => {
      for (;;) {
        const found = isClosed ? closed : (look() ?? this.#failure);
        if (found) return found;
        if (!query.wait) return missing;
        await new Promise<void>((resolve) => this.#waiting.add(resolve));
      }
    };
    return {
      segment: (index) =>
        wait(() => {
          const held = this.#held.get(keyHex(keyAt(query.keys, index)));
          return held && this.#read(held);
        }),
      tail: () =>
        wait((): SourceTail | undefined => {
          return this.#tail && { ...this.#read(this.#tail), state: this.#tail.state };
        }),
      close: () => {
        if (!isClosed) this.openStreams -= 1;
        isClosed = true;
        this.#wake();
      },
    };
  }

  #read(held: Held): SourcePage {
    const { page, bytes, checksum } = held;
    this.reading.set(page, (this.reading.get(page) ?? 0) + 1);
    return {
      page,
      bytes,
      checksum,
      release: () => {
        const left = (this.reading.get(page) ?? 0) - 1;
        if (left < 0) throw new Error(`page ${page} released twice`);
        if (left === 0) this.reading.delete(page);
        else this.reading.set(page, left);
      },
    };
  }

  #fill(page: number, bytes: number, seed: number): number {
    if (!this.memory) throw new Error('memory first');
    const start = page * this.memory.pageBytes;
    const target = this.memory.bytes.subarray(start, start + bytes);
    target.set(testPayload(bytes, seed));
    return crc32(target);
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve();
  }
}

/** Bytes that differ for every seed and at every place. */
export function testPayload(bytes: number, seed: number): Uint8Array {
  return new SeededRandom(seed).bytes(bytes);
}
