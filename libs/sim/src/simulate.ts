import type { SimulationOptions } from './fleet/options.ts';
import { Simulation } from './fleet/simulation.ts';
import type { SimulationResult } from './report/simulation-result.ts';
import type { TraceRequest } from './trace/trace-line.ts';

/**
 * Runs requests through a fleet in virtual time with the production core as its conductor. The same arguments give the
 * same result.
 *
 * @param requests by time of arrival
 * @throws BatonError config_invalid for an option that is out of range; internal_error that names the requests with
 * which nothing happens any more
 */
export function simulate(
  options: SimulationOptions,
  requests: readonly TraceRequest[],
): SimulationResult {
  return new Simulation(options, requests).run();
}
