import { KEY_BYTES } from '@baton/kv';

/** Leading keys that two packed prompts share. A key names its whole prefix, so halving finds the end. */
export function sharedSegments(a: Uint8Array, b: Uint8Array): number {
  let low = 0;
  let high = Math.min(a.length, b.length) / KEY_BYTES;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (sameKeyAt(a, b, (middle - 1) * KEY_BYTES)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Part of a key as a number: equal keys have the same, others nearly never. */
export function keyNumber(keys: Uint8Array, at: number): number {
  const byte = (i: number): number => keys[at + i] as number;
  return byte(0) | (byte(1) << 8) | (byte(2) << 16) | (byte(3) << 24);
}

function sameKeyAt(a: Uint8Array, b: Uint8Array, at: number): boolean {
  for (let i = at; i < at + KEY_BYTES; i += 1) if (a[i] !== b[i]) return false;
  return true;
}
