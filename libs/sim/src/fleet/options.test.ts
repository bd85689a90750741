import { expect, test } from 'vitest';
import { a800 } from '../cost/a800.ts';
import { completeOptions, type SimulationOptions } from './options.ts';
import { fleetFacts } from './worker-facts.ts';
import { Stillness } from './stillness.ts';

const base: SimulationOptions = { fleet: { aggregated: 1 }, cost: a800(), hbmBlocks: 10 };

test.each<[Partial<SimulationOptions>, string]>([
  [{ hbmBlocks: 0 }, 'hbmBlocks of the simulation is out of range: 0'],
  [{ dramBlocks: -1 }, 'dramBlocks of the simulation is out of range: -1'],
  [{ speed: 0 }, 'speed of the simulation is out of range: 0'],
  [{ speed: NaN }, 'speed of the simulation is out of range: NaN'],
  [{ linkBytesPerSec: 0 }, 'linkBytesPerSec of the simulation is out of range: 0'],
  [{ lostEvents: 1.1 }, 'lostEvents of the simulation is out of range: 1.1'],
  [{ dispatchMs: Infinity }, 'dispatchMs of the simulation is out of range: Infinity'],
  [{ chunkTokens: 1.5 }, 'chunkTokens of the simulation is out of range: 1.5'],
  [{ fleet: { prefill: -1 } }, 'fleet.prefill of the simulation is out of range: -1'],
  [{ fleet: { prefill: 1 } }, 'fleet needs prefill and decode workers, or aggregated ones'],
])('%j is refused', (changes, message) => {
  expect(() => completeOptions({ ...base, ...changes })).toThrow(message);
});

test('workers have names that sort like their numbers', () => {
  const complete = completeOptions({ ...base, fleet: { prefill: 11, decode: 2, aggregated: 1 } });
  const ids = fleetFacts(complete).map(({ workerId }) => workerId);
  expect(ids.slice(0, 2)).toEqual(['p01', 'p02']);
  expect(ids.slice(9)).toEqual(['p10', 'p11', 'd1', 'd2', 'w1']);
});

test('nothing may happen for as long as requests may wait, and a minute', () => {
  const stillness = new Stillness(5_000);
  expect(stillness.isReached(1, false, 0)).toBe(false);
  expect(stillness.isReached(1, false, 65_000)).toBe(false);
  expect(stillness.isReached(1, false, 65_001)).toBe(true);
  expect(stillness.isReached(2, false, 65_001)).toBe(false);
  expect(stillness.isReached(2, true, 200_000)).toBe(false);
  expect(stillness.isReached(2, false, 265_000)).toBe(false);
});

test('the conductor is told the rates of the fleet, and what else it is given stays', () => {
  const core = { policyParameters: { 'kv-centric': { pulls: 0 }, composite: { alpha: 2 } } };
  const complete = completeOptions({ ...base, dramBytesPerSec: 5e9, linkBytesPerSec: 7e9, core });
  expect(complete.core).toEqual({
    linkBytesPerSec: 7e9,
    policyParameters: {
      'kv-centric': { dramBytesPerSec: 5e9, ssdBytesPerSec: 6e9, pulls: 0 },
      composite: { alpha: 2 },
    },
  });
});
