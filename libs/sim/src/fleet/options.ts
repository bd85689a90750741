import type { CoreOptions } from '@baton/core';
import { BatonError } from '@baton/kv';
import type { EngineCost } from '../cost/engine-cost.ts';
import type { TierRates } from '../engine/tier-loader.ts';
import { TRACE_BLOCK_TOKENS } from '../trace/trace-line.ts';
import type { LinkRate } from '../transfers/link-network.ts';

/** How many workers of each role a simulated fleet has. */
export interface FleetSize {
  prefill?: number;
  decode?: number;
  /** Workers that do both. */
  aggregated?: number;
}

/** What can be set of a simulation. Only fleet, cost and HBM have no default. */
export interface SimulationOptions {
  fleet: FleetSize;
  cost: EngineCost;
  /** HBM of each worker, in blocks of `blockTokens`. */
  hbmBlocks: number;
  /** DRAM and SSD of each worker, in blocks; 0, the default, where there is none. */
  dramBlocks?: number;
  ssdBlocks?: number;
  dramBytesPerSec?: number;
  ssdBytesPerSec?: number;
  /** Tokens of a block, whose numbers the requests name; 512 by default. */
  blockTokens?: number;
  /** Between any two workers, or each pair's own; Infinity where moving KV takes no time. 100 GB/s by default. */
  linkBytesPerSec?: number | LinkRate;
  /** Of the model; by default what the engine's cost says. */
  kvBytesPerToken?: number;
  /** Whether KV goes to decode while prefill still computes; true by default. */
  overlapHandover?: boolean;
  /** From the plan to the start of its legs; 10 by default. */
  dispatchMs?: number;
  /** From a change of what a worker holds to the conductor; 50 by default. */
  eventDelayMs?: number;
  /** Share of these messages that are lost; 0 by default. */
  lostEvents?: number;
  seed?: number;
  /** New prompt tokens of one engine step; by default what the engine's cost says. */
  chunkTokens?: number;
  /** Sequences that one worker decodes at a time; 256 by default. */
  maxSequences?: number;
  /** Arrivals come so many times as fast as the trace says; 1 by default. */
  speed?: number;
  /** Of the conductor's core; its `linkBytesPerSec` is that of the fleet where all links have the same. */
  core?: Partial<CoreOptions>;
  onProgress?: (settled: number, requests: number) => void;
}

export type CompleteOptions = Required<
  Omit<SimulationOptions, 'onProgress' | 'linkBytesPerSec'>
> & {
  linkRate: LinkRate;
};

const DEFAULT_LINK_BYTES_PER_SEC = 100e9;
const DRAM_BYTES_PER_SEC = 64e9;
const SSD_BYTES_PER_SEC = 6e9;
/** What the core is told of links over which moving takes no time. */
const FREE_BYTES_PER_SEC = 1e15;

/** Fills in the defaults. @throws BatonError config_invalid that names the option which is out of range. */
export function completeOptions(options: SimulationOptions): CompleteOptions {
  const { linkBytesPerSec = DEFAULT_LINK_BYTES_PER_SEC } = options;
  const complete: CompleteOptions = {
    fleet: options.fleet,
    cost: options.cost,
    hbmBlocks: options.hbmBlocks,
    dramBlocks: options.dramBlocks ?? 0,
    ssdBlocks: options.ssdBlocks ?? 0,
    dramBytesPerSec: options.dramBytesPerSec ?? DRAM_BYTES_PER_SEC,
    ssdBytesPerSec: options.ssdBytesPerSec ?? SSD_BYTES_PER_SEC,
    blockTokens: options.blockTokens ?? TRACE_BLOCK_TOKENS,
    linkRate: typeof linkBytesPerSec === 'number' ? () => linkBytesPerSec : linkBytesPerSec,
    kvBytesPerToken: options.kvBytesPerToken ?? options.cost.kvBytesPerToken,
    overlapHandover: options.overlapHandover ?? true,
    dispatchMs: options.dispatchMs ?? 10,
    eventDelayMs: options.eventDelayMs ?? 50,
    lostEvents: options.lostEvents ?? 0,
    seed: options.seed ?? 1,
    chunkTokens: options.chunkTokens ?? options.cost.chunkTokens,
    maxSequences: options.maxSequences ?? 256,
    speed: options.speed ?? 1,
    core: knownRates(
      linkBytesPerSec,
      {
        dramBytesPerSec: options.dramBytesPerSec ?? DRAM_BYTES_PER_SEC,
        ssdBytesPerSec: options.ssdBytesPerSec ?? SSD_BYTES_PER_SEC,
      },
      options.core ?? {},
    ),
  };
  checkNumbers(complete, linkBytesPerSec);
  return complete;
}

/** Whoever runs a fleet knows what links and memory it has, and tells the core, which measures links later. */
function knownRates(
  link: number | LinkRate,
  tiers: TierRates,
  { policyParameters, ...core }: Partial<CoreOptions>,
): Partial<CoreOptions> {
  const own = { ...tiers, ...policyParameters?.['kv-centric'] };
  return {
    ...(typeof link === 'number' && { linkBytesPerSec: Math.min(link, FREE_BYTES_PER_SEC) }),
    ...core,
    policyParameters: { ...policyParameters, 'kv-centric': own },
  };
}

function checkNumbers(options: CompleteOptions, link: number | LinkRate): void {
  const { fleet } = options;
  for (const name of ['hbmBlocks', 'blockTokens', 'chunkTokens', 'maxSequences'] as const) {
    check(name, options[name], Number.isSafeInteger(options[name]) && options[name] > 0);
  }
  for (const name of ['dramBlocks', 'ssdBlocks'] as const) {
    check(name, options[name], Number.isSafeInteger(options[name]) && options[name] >= 0);
  }
  for (const name of ['dramBytesPerSec', 'ssdBytesPerSec', 'kvBytesPerToken', 'speed'] as const) {
    check(name, options[name], options[name] > 0);
  }
  if (typeof link === 'number') check('linkBytesPerSec', link, link > 0);
  for (const name of ['dispatchMs', 'eventDelayMs'] as const) {
    check(name, options[name], options[name] >= 0 && options[name] < Infinity);
  }
  check('lostEvents', options.lostEvents, options.lostEvents >= 0 && options.lostEvents <= 1);
  for (const name of ['prefill', 'decode', 'aggregated'] as const) {
    const workers = fleet[name] ?? 0;
    check(`fleet.${name}`, workers, Number.isSafeInteger(workers) && workers >= 0);
  }
  const serves =
    (fleet.aggregated ?? 0) > 0 || ((fleet.prefill ?? 0) > 0 && (fleet.decode ?? 0) > 0);
  if (!serves) throw invalid('fleet needs prefill and decode workers, or aggregated ones', 'fleet');
}

function check(name: string, value: number, isRight: boolean): void {
  if (!isRight) throw invalid(`${name} of the simulation is out of range: ${value}`, name);
}

function invalid(message: string, field: string): BatonError {
  return new BatonError('config_invalid', message, { details: { field } });
}
