import type { FleetSize } from '../fleet/options.ts';
import { fleetWorkers } from '../fleet/worker-facts.ts';
import type { LinkRate } from './link-network.ts';

/** Bytes per second between two workers by whether they are in one rack. */
export interface RackRates {
  withinBytesPerSec: number;
  betweenBytesPerSec: number;
}

/**
 * Links of a fleet that stands in several racks. The workers of each role are spread evenly, those with neighbouring
 * numbers together: of eight in two racks the first four are in one and the last four in the other.
 */
export function rackLinks(
  fleet: FleetSize,
  racks: number,
  { withinBytesPerSec, betweenBytesPerSec }: RackRates,
): LinkRate {
  const rackOf = new Map(
    fleetWorkers(fleet).map(({ workerId, at, of }) => [workerId, Math.floor((at * racks) / of)]),
  );
  return (source, destination) =>
    rackOf.get(source) === rackOf.get(destination) ? withinBytesPerSec : betweenBytesPerSec;
}
