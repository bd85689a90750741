import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { fuzzEvents } from '../testing/fuzz-events.ts';

const INPUTS = 1_000_000;
const EARLY = 100_000;
const MAX_GROWTH_BYTES = 20e6;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function memoryBytes(): number {
  // What finalizers let go of is free the second time.
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

test('a million inputs: nothing breaks, nothing is left behind', () => {
  const seed = Date.now() % 2 ** 31;
  console.log(`seed ${seed}`);
  let early = 0;
  let last = 0;
  fuzzEvents(seed, INPUTS, (count) => {
    if (count === EARLY) early = memoryBytes();
    last = count;
  });
  const growth = memoryBytes() - early;
  console.log(
    `memory after ${INPUTS} inputs: ${Math.round(growth / 1e3)} kB above ${EARLY} inputs`,
  );
  expect(last).toBe(INPUTS);
  expect(growth).toBeLessThan(MAX_GROWTH_BYTES);
});
