import { onTestFinished } from 'vitest';
import { startVllmFleet, type FleetOptions, type StandInFleet } from '../fleet.ts';

/** Small and fast, and ended with the test. */
export async function startedFleet(
  names: readonly string[],
  options: FleetOptions = {},
): Promise<StandInFleet> {
  const fleet = await startVllmFleet(names, {
    speedUp: 1_000,
    blocks: 256,
    maxModelTokens: 1_024,
    nixl: {},
    ...options,
  });
  onTestFinished(() => fleet.stop());
  return fleet;
}

/** A prompt of token ids that shares no block with that of another seed. */
export function tokensOf(seed: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => (seed * 7_919 + i * 31 + 11) % 30_000);
}
