import { NixlNetwork } from './nixl/nixl-network.ts';
import { ViolationLog } from './violations.ts';
import { VllmStandIn, type VllmOptions } from './vllm-stand-in.ts';

/** Stand-ins of one process that may hand over to one another. */
export interface StandInFleet {
  engines: readonly VllmStandIn[];
  /** Of all of them. */
  violations: ViolationLog;
  /** What somebody still has of them, in words; empty when the fleet is at rest. */
  leaks(): string[];
  stop(): Promise<void>;
}

export interface FleetOptions extends Omit<VllmOptions, 'name' | 'port'> {
  /** HTTP port of the engine with this index; default: a free one. */
  portOf?: (index: number) => number;
}

/** Engines that are started at the same time. */
const AT_ONCE = 16;

/**
 * Starts one stand-in for each name. They share a network and a list of violations, unless options say otherwise.
 * Those that were started are stopped when one fails.
 */
export async function startVllmFleet(
  names: readonly string[],
  { portOf = () => 0, ...options }: FleetOptions = {},
): Promise<StandInFleet> {
  const network = options.network ?? new NixlNetwork();
  const violations = options.violations ?? new ViolationLog();
  const engines: VllmStandIn[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(engines.map((engine) => engine.stop()));
  };
  for (let from = 0; from < names.length; from += AT_ONCE) {
    const started = await Promise.allSettled(
      names
        .slice(from, from + AT_ONCE)
        .map((name, i) =>
          VllmStandIn.start({ ...options, name, port: portOf(from + i), network, violations }),
        ),
    );
    for (const one of started) if (one.status === 'fulfilled') engines.push(one.value);
    const failed = started.find((one) => one.status === 'rejected');
    if (failed === undefined) continue;
    await stop();
    throw failed.reason;
  }
  return { engines, violations, leaks: () => engines.flatMap(leaksOf), stop };
}

function leaksOf({ name, inUse }: VllmStandIn): string[] {
  return Object.entries(inUse)
    .filter(([, count]) => count !== 0)
    .map(([what, count]) => `${name}: ${what} is ${count}`);
}
