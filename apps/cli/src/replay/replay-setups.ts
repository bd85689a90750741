import { BatonError } from '@baton/kv';
import type { FleetSize } from '@baton/sim';
import { defaultRequests, defaultWorkers } from './replay-plan.ts';
import type { ReplaySetup, SetupFlags } from './replay-plan.ts';
import { costModel } from './replay-run.ts';
import { usualRate, workloadsOf, type ReplaySource } from './replay-source.ts';

/** One setup for each source of requests. @throws BatonError config_invalid for flags that do not go together */
export function setupsOf(flags: SetupFlags): ReplaySetup[] {
  const fleet = fleetOf(flags);
  const { speed, costModel: model, dramBlocks, ssdBlocks, racks, seed } = flags;
  if (flags.linkBetween !== undefined && racks === 1) {
    throw invalid('--link-between', 'is the rate between racks: give their number with --racks.');
  }
  return sourcesOf(flags, fleet).map((source) => ({
    ...{ source, costModel: model, fleet, speed, dramBlocks, ssdBlocks, racks, seed },
    hbmBlocks: flags.hbmBlocks,
    linkBytesPerSec: flags.link,
    linkBetweenBytesPerSec: flags.linkBetween,
    kvBytesPerToken: flags.kvBytesPerToken,
    sloTtftMs: flags.sloTtft,
    sloTbtMs: flags.sloTbt,
  }));
}

function sourcesOf(flags: SetupFlags, fleet: FleetSize): ReplaySource[] {
  const { trace, workload, requests, rate } = flags;
  if (trace === undefined && workload === undefined) {
    throw invalid('--trace', 'or --workload has to say which requests are replayed.');
  }
  if (workload === undefined) {
    if (requests !== undefined) throw invalid('--requests', 'is of a generated --workload.');
    if (rate !== undefined) throw invalid('--rate', 'is of a generated --workload; see --speed.');
    return [{ kind: 'trace', file: trace ?? '' }];
  }
  if (trace !== undefined) throw invalid('--workload', 'is instead of --trace: give either.');
  const cost = costModel(flags.costModel);
  return workloadsOf(workload).map((name) => ({
    ...{ kind: 'workload', name, requests: requests ?? defaultRequests },
    requestsPerSec: rate ?? usualRate(name, cost, fleet),
  }));
}

function fleetOf({ prefill, decode, aggregated }: SetupFlags): FleetSize {
  if (aggregated === undefined) {
    return { prefill: prefill ?? defaultWorkers, decode: decode ?? defaultWorkers };
  }
  if ((prefill ?? decode) === undefined) return { aggregated };
  throw invalid('--aggregated', 'is instead of --prefill and --decode: give either.');
}

function invalid(flag: string, what: string): BatonError {
  return new BatonError('config_invalid', `${flag} ${what}`, { details: { field: flag } });
}
