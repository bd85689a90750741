import { crc32 } from 'node:zlib';
import type { ArenaMapping, ArenaPage } from './inference-port.ts';

/** Maps an arena's file; `close` takes the memory away. */
export type OpenArena = (options: { path: string; sizeBytes: number }) => {
  readonly bytes: Uint8Array;
  close(): void;
};

/** The pages of the arena that is mapped now. Everything that uses them is synchronous, so a new one can replace it at any time. */
export class ArenaPages {
  readonly #open: OpenArena;
  #arena: { bytes: Uint8Array; close(): void } | undefined;
  #pageBytes = 0;

  constructor(open: OpenArena) {
    this.#open = open;
  }

  /** Forgets the old mapping and opens this one. @throws when it cannot be mapped; then there is none. */
  map(mapping: ArenaMapping | undefined): void {
    this.#arena?.close();
    this.#arena = undefined;
    if (mapping === undefined) return;
    this.#arena = this.#open({ path: mapping.path, sizeBytes: mapping.sizeBytes });
    this.#pageBytes = mapping.pageBytes;
  }

  /** The memory of a page; undefined when there is no such page. */
  page(index: number): Uint8Array | undefined {
    if (this.#arena === undefined || !Number.isInteger(index) || index < 0) return undefined;
    const from = index * this.#pageBytes;
    const to = from + this.#pageBytes;
    return to <= this.#arena.bytes.length ? this.#arena.bytes.subarray(from, to) : undefined;
  }

  /** What a page holds; undefined when there is no such page or it is smaller. */
  payload({ page, bytes }: ArenaPage): Uint8Array | undefined {
    const memory = this.page(page);
    return memory !== undefined && bytes <= memory.length ? memory.subarray(0, bytes) : undefined;
  }

  /** Lets `write` fill a page; undefined when there is none, or what it wrote with the checksum. */
  fill(
    index: number,
    write: (page: Uint8Array) => number | undefined,
  ): (ArenaPage & { checksum: number }) | undefined {
    const memory = this.page(index);
    const bytes = memory && write(memory);
    if (memory === undefined || bytes === undefined) return undefined;
    return { page: index, bytes, checksum: crc32(memory.subarray(0, bytes)) };
  }
}
