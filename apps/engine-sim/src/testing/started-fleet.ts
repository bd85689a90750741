import { onTestFinished } from 'vitest';
import { startVllmFleet, type FleetOptions, type StandInFleet } from '../fleet.ts';
import type { StandIn } from '../stand-in.ts';

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

/** A prefill side and a decode side. */
export async function startedPair(
  options: FleetOptions = {},
): Promise<{ fleet: StandInFleet; p: StandIn; d: StandIn }> {
  const fleet = await startedFleet(['p', 'd'], options);
  const [p, d] = fleet.engines;
  if (p === undefined || d === undefined) throw new Error('two engines were started');
  return { fleet, p, d };
}

export async function startedEngine(options: FleetOptions = {}): Promise<StandIn> {
  const { engines } = await startedFleet(['vllm'], options);
  const [engine] = engines;
  if (engine === undefined) throw new Error('an engine was started');
  return engine;
}

/** A prompt of token ids that shares no block with that of another seed. */
export function tokensOf(seed: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => (seed * 7_919 + i * 31 + 11) % 30_000);
}
