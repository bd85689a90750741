import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FleetSimulation } from './testing/fleet-simulation.ts';

const calm = { lost: 0, twice: 0, late: 0, maxDelayMs: 5 };
const rough = fc.record({
  lost: fc.constantFrom(5, 20, 40),
  twice: fc.constantFrom(0, 5, 20),
  late: fc.constantFrom(10, 40),
  maxDelayMs: fc.constantFrom(50, 400, 4000),
});
const seed = fc.integer();
const agents = fc.integer({ min: 1, max: 4 });
const happenings = fc.integer({ min: 0, max: 150 });

/** A failure prints fast-check's seed and the fleet; both are replayed with `{ seed, path }`. */
const runs = { numRuns: 80 };

test('after quiet the index is the union of what the agents hold, for every rank, tier and kind, and stays so', () => {
  const fleet = { seed, agents, weather: fc.oneof(fc.constant(calm), rough) };
  fc.assert(
    fc.property(fc.record({ ...fleet, isHonest: fc.boolean() }), happenings, (options, count) => {
      const simulation = new FleetSimulation(options);
      simulation.rough(count);
      simulation.quiet(0);
      expect(simulation.differences()).toEqual([]);
      const { resyncs } = simulation;
      simulation.quiet(20);
      expect(simulation.differences()).toEqual([]);
      expect(simulation.resyncs).toBe(resyncs);
    }),
    runs,
  );
});

test('what is lost, doubled, late or restarted is made good by numbers alone: accounts never differ', () => {
  const fleet = { seed, agents, weather: rough, isHonest: fc.constant(true) };
  fc.assert(
    fc.property(fc.record(fleet), happenings, (options, count) => {
      const simulation = new FleetSimulation(options);
      simulation.rough(count);
      simulation.quiet(5);
      expect(simulation.mismatches).toBe(0);
    }),
    { numRuns: 250 },
  );
});
