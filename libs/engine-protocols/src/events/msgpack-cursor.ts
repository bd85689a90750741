const NIL = 0xc0;
const NEVER_USED = 0xc1;
const BIN_8 = 0xc4;
const BIN_16 = 0xc5;
const BIN_32 = 0xc6;
const EXT_8 = 0xc7;
const EXT_16 = 0xc8;
const EXT_32 = 0xc9;
const FLOAT_32 = 0xca;
const FLOAT_64 = 0xcb;
const UINT_8 = 0xcc;
const UINT_16 = 0xcd;
const UINT_32 = 0xce;
const UINT_64 = 0xcf;
const INT_8 = 0xd0;
const INT_16 = 0xd1;
const INT_32 = 0xd2;
const INT_64 = 0xd3;
const FIXEXT_1 = 0xd4;
const FIXEXT_16 = 0xd8;
const STR_8 = 0xd9;
const STR_16 = 0xda;
const STR_32 = 0xdb;
const ARRAY_16 = 0xdc;
const ARRAY_32 = 0xdd;
const MAP_16 = 0xde;
const MAP_32 = 0xdf;

const TWO_TO_32 = 2 ** 32;
const noBytes = new Uint8Array(0);
const noView = new DataView(noBytes.buffer);
const utf8 = new TextDecoder();

/**
 * A place in msgpack bytes. Every read either takes one value of the kind that was asked for, or takes nothing and
 * says so; nothing throws and nothing is allocated except text. Whoever cannot use a value goes back to its first byte
 * and skips it, which also tells whether the bytes are whole.
 */
export class MsgpackCursor {
  bytes: Uint8Array = noBytes;
  view: DataView = noView;
  at = 0;
  end = 0;
  /** Where the bytes of the text or byte string begin that was taken last. */
  from = 0;

  open(bytes: Uint8Array): void {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = 0;
    this.end = bytes.length;
  }

  /** Lets go of the bytes, so that they can be collected. */
  close(): void {
    this.bytes = noBytes;
    this.view = noView;
    this.at = 0;
    this.end = 0;
  }

  /** Elements of the array that begins here; -1 when none does, or when there are not even that many bytes. */
  array(): number {
    const head = this.#head();
    if (head >= 0x90 && head <= 0x9f) return this.#count(head & 15, 1, 1);
    if (head === ARRAY_16) return this.#count(this.#uint(1, 2), 3, 1);
    if (head === ARRAY_32) return this.#count(this.#uint(1, 4), 5, 1);
    return -1;
  }

  /** Entries of the map that begins here; -1 as with {@link array}. */
  map(): number {
    const head = this.#head();
    if (head >= 0x80 && head <= 0x8f) return this.#count(head & 15, 1, 2);
    if (head === MAP_16) return this.#count(this.#uint(1, 2), 3, 2);
    if (head === MAP_32) return this.#count(this.#uint(1, 4), 5, 2);
    return -1;
  }

  /** Takes a nil; false when there is none. */
  nil(): boolean {
    if (this.#head() !== NIL) return false;
    this.at += 1;
    return true;
  }

  /** Length of the text that begins here, its bytes are at `from`; -1 when none does. */
  textSpan(): number {
    const head = this.#head();
    if (head >= 0xa0 && head <= 0xbf) return this.#span(head & 31, 1);
    if (head === STR_8) return this.#span(this.#uint(1, 1), 2);
    if (head === STR_16) return this.#span(this.#uint(1, 2), 3);
    if (head === STR_32) return this.#span(this.#uint(1, 4), 5);
    return -1;
  }

  /** As {@link textSpan} for a byte string. */
  binarySpan(): number {
    const head = this.#head();
    if (head === BIN_8) return this.#span(this.#uint(1, 1), 2);
    if (head === BIN_16) return this.#span(this.#uint(1, 2), 3);
    if (head === BIN_32) return this.#span(this.#uint(1, 4), 5);
    return -1;
  }

  text(): string | undefined {
    const length = this.textSpan();
    if (length < 0) return undefined;
    return utf8.decode(this.bytes.subarray(this.from, this.from + length));
  }

  /**
   * The integer that begins here; NaN when none does, and an infinity of its sign when a number cannot hold it exactly.
   */
  integer(): number {
    const head = this.#head();
    if (head < 0) return NaN;
    if (head < 0x80) return this.#taken(head, 1);
    if (head >= 0xe0) return this.#taken(head - 0x100, 1);
    const size = integerSize(head);
    if (size === 0 || this.at + 1 + size > this.end) return NaN;
    const at = this.at + 1;
    switch (head) {
      case UINT_8:
        return this.#taken(this.view.getUint8(at), 2);
      case UINT_16:
        return this.#taken(this.view.getUint16(at), 3);
      case UINT_32:
        return this.#taken(this.view.getUint32(at), 5);
      case INT_8:
        return this.#taken(this.view.getInt8(at), 2);
      case INT_16:
        return this.#taken(this.view.getInt16(at), 3);
      case INT_32:
        return this.#taken(this.view.getInt32(at), 5);
      default:
        return this.#taken(exact(this.#wide(head, at)), 9);
    }
  }

  /** Passes over one value, whatever it is; false when the bytes end before it does or are no msgpack. */
  skip(): boolean {
    let left = 1;
    while (left > 0) {
      // Every value takes a byte at least, so that a count that lies cannot keep anybody busy.
      if (left > this.end - this.at) return false;
      const head = this.bytes[this.at] ?? NEVER_USED;
      left -= 1;
      if (head < 0x80 || head >= 0xe0) {
        this.at += 1;
        continue;
      }
      const children = this.#skipHead(head);
      if (children < 0) return false;
      left += children;
    }
    return this.at <= this.end;
  }

  /** Passes over a head with what belongs to it, and says how many values follow inside; -1 when it is none. */
  #skipHead(head: number): number {
    if (head <= 0x8f || head === MAP_16 || head === MAP_32) return this.map() * 2;
    if (head <= 0x9f || head === ARRAY_16 || head === ARRAY_32) return this.array();
    if (head <= 0xbf || (head >= STR_8 && head <= STR_32)) return this.textSpan() < 0 ? -1 : 0;
    if (head >= BIN_8 && head <= BIN_32) return this.binarySpan() < 0 ? -1 : 0;
    if (head === NEVER_USED) return -1;
    this.at += 1 + this.#plainSize(head);
    return 0;
  }

  /** Bytes after the head of a value without parts. */
  #plainSize(head: number): number {
    if (head === FLOAT_32) return 4;
    if (head === FLOAT_64) return 8;
    if (head >= FIXEXT_1 && head <= FIXEXT_16) return 1 + 2 ** (head - FIXEXT_1);
    if (head === EXT_8) return 2 + this.#uint(1, 1);
    if (head === EXT_16) return 3 + this.#uint(1, 2);
    if (head === EXT_32) return 5 + this.#uint(1, 4);
    return integerSize(head);
  }

  #head(): number {
    return this.at < this.end ? (this.bytes[this.at] ?? -1) : -1;
  }

  /** An unsigned number of `size` bytes, `offset` bytes from here; too large for anything when the bytes end. */
  #uint(offset: number, size: 1 | 2 | 4): number {
    const at = this.at + offset;
    if (at + size > this.end) return TWO_TO_32;
    if (size === 1) return this.view.getUint8(at);
    return size === 2 ? this.view.getUint16(at) : this.view.getUint32(at);
  }

  #count(count: number, headBytes: number, valuesEach: number): number {
    if (count * valuesEach > this.end - this.at - headBytes) return -1;
    this.at += headBytes;
    return count;
  }

  #span(length: number, headBytes: number): number {
    if (length > this.end - this.at - headBytes) return -1;
    this.from = this.at + headBytes;
    this.at = this.from + length;
    return length;
  }

  #taken(value: number, bytes: number): number {
    this.at += bytes;
    return value;
  }

  #wide(head: number, at: number): number {
    const high = head === UINT_64 ? this.view.getUint32(at) : this.view.getInt32(at);
    return high * TWO_TO_32 + this.view.getUint32(at + 4);
  }
}

/** Bytes of an integer after its head; 0 when the head is none of those. */
function integerSize(head: number): number {
  switch (head) {
    case UINT_8:
    case INT_8:
      return 1;
    case UINT_16:
    case INT_16:
      return 2;
    case UINT_32:
    case INT_32:
      return 4;
    case UINT_64:
    case INT_64:
      return 8;
    default:
      return 0;
  }
}

function exact(value: number): number {
  return Number.isSafeInteger(value) ? value : Math.sign(value) * Infinity;
}
