/**
 * msgpack written by hand from its specification, so that what tests read was not made by an encoder of ours. A value
 * is its bytes.
 */
export type Bytes = readonly number[];

const big = (size: number, value: bigint): number[] =>
  Array.from({ length: size }, (_, i) => Number((value >> BigInt((size - 1 - i) * 8)) & 0xffn));
const wide = (size: number, value: number): number[] => big(size, BigInt(value));

export const nil: Bytes = [0xc0];
export const yes: Bytes = [0xc3];
export const u8 = (value: number): Bytes => [0xcc, ...wide(1, value)];
export const u16 = (value: number): Bytes => [0xcd, ...wide(2, value)];
export const u32 = (value: number): Bytes => [0xce, ...wide(4, value)];
export const u64 = (value: bigint): Bytes => [0xcf, ...big(8, value)];
export const i8 = (value: number): Bytes => [0xd0, ...wide(1, value)];
export const i16 = (value: number): Bytes => [0xd1, ...wide(2, value)];
export const i32 = (value: number): Bytes => [0xd2, ...wide(4, value)];
export const i64 = (value: bigint): Bytes => [0xd3, ...big(8, value)];

export function f64(value: number): Bytes {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return [0xcb, ...new Uint8Array(view.buffer)];
}

/** The shortest form, as encoders choose it. */
export function int(value: number): Bytes {
  if (value >= 0 && value < 0x80) return [value];
  if (value < 0 && value >= -32) return [0x100 + value];
  if (value < 0) return i64(BigInt(value));
  if (value <= 0xff) return u8(value);
  if (value <= 0xffff) return u16(value);
  return value <= 0xffff_ffff ? u32(value) : u64(BigInt(value));
}

export function str(text: string): Bytes {
  const bytes = [...Buffer.from(text)];
  if (bytes.length < 32) return [0xa0 | bytes.length, ...bytes];
  if (bytes.length <= 0xff) return [0xd9, bytes.length, ...bytes];
  return [0xda, ...wide(2, bytes.length), ...bytes];
}

export function bin(bytes: Uint8Array): Bytes {
  if (bytes.length <= 0xff) return [0xc4, bytes.length, ...bytes];
  return [0xc5, ...wide(2, bytes.length), ...bytes];
}

export function arr(...values: readonly Bytes[]): Bytes {
  const head = values.length < 16 ? [0x90 | values.length] : [0xdc, ...wide(2, values.length)];
  return [...head, ...values.flat()];
}

export function map(...entries: readonly (readonly [string, Bytes])[]): Bytes {
  const head = entries.length < 16 ? [0x80 | entries.length] : [0xde, ...wide(2, entries.length)];
  return [...head, ...entries.flatMap(([key, value]) => [...str(key), ...value])];
}

export const ints = (values: readonly number[]): Bytes => arr(...values.map(int));
