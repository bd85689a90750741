import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FleetSimulation } from './testing/fleet-simulation.ts';

const weather = fc.record({
  lost: fc.constantFrom(0, 5, 20, 40),
  twice: fc.constantFrom(0, 5, 20),
  late: fc.constantFrom(0, 10, 40),
  maxDelayMs: fc.constantFrom(5, 300, 4000),
});
const fleet = { seed: fc.integer(), agents: fc.integer({ min: 1, max: 4 }), weather };
const happenings = fc.integer({ min: 0, max: 120 });

/** A failure prints fast-check's seed and the fleet; both are replayed with `{ seed, path }`. */
const runs = { numRuns: 80 };

test('after quiet the index is the union of what the agents hold, for every rank, tier and kind, and stays so', () => {
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
  fc.assert(
    fc.property(
      fc.record({ ...fleet, isHonest: fc.constant(true) }),
      happenings,
      (options, count) => {
        const simulation = new FleetSimulation(options);
        simulation.rough(count);
        simulation.quiet(5);
        expect(simulation.mismatches).toBe(0);
      },
    ),
    runs,
  );
});
