import { KEY_BYTES } from '@baton/kv';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sampleKeys } from '../testing/fleet-sample.ts';
import { keyNumber, sharedSegments } from './shared-segments.ts';

/** Keys of a prompt that leaves that of its family after so many segments. */
function branching(at: number, segments: number): Uint8Array {
  const keys = sampleKeys('stem', segments).slice();
  keys.set(sampleKeys('branch', segments).subarray(at * KEY_BYTES), at * KEY_BYTES);
  return keys;
}

function naiveShared(a: Uint8Array, b: Uint8Array): number {
  let segments = 0;
  while (segments * KEY_BYTES < Math.min(a.length, b.length)) {
    const [one, other] = [a, b].map((keys) =>
      keys.subarray(segments * KEY_BYTES, (segments + 1) * KEY_BYTES).join(),
    );
    if (one !== other) return segments;
    segments += 1;
  }
  return segments;
}

test('the end of what two prompts share is found, wherever it is', () => {
  const length = fc.nat(33);
  fc.assert(
    fc.property(length, length, length, (branchAt, aSegments, bSegments) => {
      const a = sampleKeys('stem', aSegments);
      const b = branching(Math.min(branchAt, bSegments), bSegments);
      const shared = Math.min(branchAt, aSegments, bSegments);
      expect(sharedSegments(a, b)).toBe(shared);
      expect(sharedSegments(b, a)).toBe(shared);
      expect(naiveShared(a, b)).toBe(shared);
    }),
  );
});

test('keys of which only the last byte differs are different', () => {
  const a = sampleKeys('stem', 3);
  const b = a.slice();
  b[3 * KEY_BYTES - 1] = (b[3 * KEY_BYTES - 1] as number) ^ 1;
  expect(sharedSegments(a, b)).toBe(2);
});

test('equal keys have equal numbers, others have others', () => {
  const keys = sampleKeys('stem', 200);
  const numbers = Array.from({ length: 200 }, (_, i) => keyNumber(keys, i * KEY_BYTES));
  expect(new Set(numbers).size).toBe(200);
  const again = sampleKeys('stem', 250);
  expect(numbers.map((_, i) => keyNumber(again, i * KEY_BYTES))).toEqual(numbers);
});
