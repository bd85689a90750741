import { VllmNetwork } from './connectors/vllm-network.ts';
import { BootstrapNetwork } from './sglang/bootstrap-network.ts';
import type { SglangMode } from './sglang/sglang-dialect.ts';
import { SglangStandIn, type SglangOptions } from './sglang-stand-in.ts';
import type { StandIn } from './stand-in.ts';
import { ViolationLog } from './violations.ts';
import { VllmStandIn, type VllmOptions } from './vllm-stand-in.ts';

/** Stand-ins of one process that may hand over to one another. */
export interface StandInFleet {
  engines: readonly StandIn[];
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

export interface SglangFleetOptions extends Omit<SglangOptions, 'name' | 'port' | 'mode'> {
  /** Which side of pairs the engine with this index is; default: none. */
  modeOf?: (index: number) => SglangMode;
}

/** Engines that are started at the same time. */
const AT_ONCE = 16;

/**
 * Starts one stand-in for each name. They share a network and a list of violations, unless options say otherwise.
 * Those that were started are stopped when one fails.
 */
export function startVllmFleet(
  names: readonly string[],
  { portOf = () => 0, ...options }: FleetOptions = {},
): Promise<StandInFleet> {
  const network = options.network ?? new VllmNetwork();
  const violations = options.violations ?? new ViolationLog();
  return startFleet(names, violations, (name, i) =>
    VllmStandIn.start({
      ...options,
      ...{ name, port: portOf(i), network, violations },
    }),
  );
}

/** The same of SGLang. */
export function startSglangFleet(
  names: readonly string[],
  { modeOf = () => 'null', ...options }: SglangFleetOptions = {},
): Promise<StandInFleet> {
  const network = options.network ?? new BootstrapNetwork();
  const violations = options.violations ?? new ViolationLog();
  return startFleet(names, violations, (name, i) =>
    SglangStandIn.start({ ...options, name, mode: modeOf(i), network, violations }),
  );
}

async function startFleet(
  names: readonly string[],
  violations: ViolationLog,
  start: (name: string, index: number) => Promise<StandIn>,
): Promise<StandInFleet> {
  const engines: StandIn[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(engines.map((engine) => engine.stop()));
  };
  for (let from = 0; from < names.length; from += AT_ONCE) {
    const some = names.slice(from, from + AT_ONCE);
    const started = await Promise.allSettled(some.map((name, i) => start(name, from + i)));
    for (const one of started) if (one.status === 'fulfilled') engines.push(one.value);
    const failed = started.find((one) => one.status === 'rejected');
    if (failed === undefined) continue;
    await stop();
    throw failed.reason;
  }
  return { engines, violations, leaks: () => engines.flatMap(leaksOf), stop };
}

function leaksOf({ name, inUse }: StandIn): string[] {
  return Object.entries(inUse)
    .filter(([, count]) => count !== 0)
    .map(([what, count]) => `${name}: ${what} is ${count}`);
}
