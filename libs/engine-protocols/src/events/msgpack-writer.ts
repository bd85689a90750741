import { INTEGER } from './block-name.ts';
import type { NameTable } from './name-table.ts';

const FIRST_BYTES = 4096;
const utf8 = new TextEncoder();

/** Writes msgpack into a buffer that grows. Only what a snapshot needs, each in a form that is long enough. */
export class MsgpackWriter {
  #bytes = new Uint8Array(FIRST_BYTES);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** What was written, and an empty buffer again. */
  take(): Uint8Array {
    const taken = this.#bytes.slice(0, this.#length);
    this.#length = 0;
    return taken;
  }

  /** Head of an array whose length may be told later, with {@link setCount} and the place that is returned. */
  array(count: number): number {
    this.#reserve(5);
    this.#bytes[this.#length] = 0xdd;
    this.#view.setUint32(this.#length + 1, count);
    this.#length += 5;
    return this.#length - 4;
  }

  setCount(place: number, count: number): void {
    this.#view.setUint32(place, count);
  }

  /** Head of a map of fewer than 65,536 entries. */
  map(count: number): void {
    this.#reserve(3);
    this.#bytes[this.#length] = 0xde;
    this.#view.setUint16(this.#length + 1, count);
    this.#length += 3;
  }

  nil(): void {
    this.#reserve(1);
    this.#bytes[this.#length] = 0xc0;
    this.#length += 1;
  }

  float(value: number): void {
    this.#reserve(9);
    this.#bytes[this.#length] = 0xcb;
    this.#view.setFloat64(this.#length + 1, value);
    this.#length += 9;
  }

  /** An unsigned integer of 32 bits. */
  uint(value: number): void {
    this.#reserve(5);
    if (value < 0x80) {
      this.#bytes[this.#length] = value;
      this.#length += 1;
    } else if (value <= 0xffff) {
      this.#bytes[this.#length] = 0xcd;
      this.#view.setUint16(this.#length + 1, value);
      this.#length += 3;
    } else {
      this.#bytes[this.#length] = 0xce;
      this.#view.setUint32(this.#length + 1, value);
      this.#length += 5;
    }
  }

  /** So many unsigned integers of 32 bits, each as {@link uint} writes it. */
  uints(values: Uint32Array, from: number, count: number): void {
    this.#reserve(count * 5);
    const bytes = this.#bytes;
    let at = this.#length;
    for (let i = from; i < from + count; i += 1) {
      const value = values[i] as number;
      if (value >= 0x80) {
        bytes[at] = value <= 0xffff ? 0xcd : 0xce;
        if (value > 0xffff) {
          bytes[at + 1] = value >>> 24;
          bytes[at + 2] = value >>> 16;
          at += 2;
        }
        bytes[at + 1] = value >>> 8;
        at += 2;
      }
      bytes[at] = value;
      at += 1;
    }
    this.#length = at;
  }

  text(value: string): void {
    const bytes = utf8.encode(value);
    this.#sized(0xdb, bytes);
  }

  binary(bytes: Uint8Array): void {
    this.#sized(0xc6, bytes);
  }

  /** The name of a block, as its engine may have written it. */
  blockName(names: NameTable, id: number): void {
    this.#reserve(2 + 16);
    const kind = names.kind(id);
    const at = this.#length;
    this.#bytes[at] = kind === INTEGER ? 0xcf : 0xc4;
    if (kind !== INTEGER) this.#bytes[at + 1] = kind;
    const from = at + (kind === INTEGER ? 1 : 2);
    const view = this.#view;
    view.setUint32(from, names.word(id, 0));
    view.setUint32(from + 4, names.word(id, 1));
    if (kind !== INTEGER) {
      view.setUint32(from + 8, names.word(id, 2));
      view.setUint32(from + 12, names.word(id, 3));
    }
    this.#length = from + (kind === INTEGER ? 8 : kind);
  }

  #sized(head: number, bytes: Uint8Array): void {
    this.#reserve(5 + bytes.length);
    this.#bytes[this.#length] = head;
    this.#view.setUint32(this.#length + 1, bytes.length);
    this.#bytes.set(bytes, this.#length + 5);
    this.#length += 5 + bytes.length;
  }

  #reserve(count: number): void {
    if (this.#length + count + 16 <= this.#bytes.length) return;
    const bytes = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + count + 16));
    bytes.set(this.#bytes);
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer);
  }
}
