/** Gives numbers from 0 to below 1. */
export type Random = () => number;

/**
 * The same seed gives the same numbers (SplitMix32). Not those of SeededRandom: by the same seed a policy's choices would
 * go with what the simulator drew for the requests.
 */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    mixed ^= mixed >>> 15;
    return (mixed >>> 0) / 2 ** 32;
  };
}
