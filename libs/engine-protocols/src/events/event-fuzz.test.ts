import { expect, test } from 'vitest';
import { fuzzEvents } from '../testing/fuzz-events.ts';

test.each([1, 2, 3])('nothing that is sent breaks decoder or cache, seed %d', (seed) => {
  let count = 0;
  fuzzEvents(seed, 6_000, (inputs) => {
    count = inputs;
  });
  expect(count).toBe(6_000);
});
