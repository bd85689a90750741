import { Tier } from '@baton/kv';
import { baton } from '@baton/proto';
import type { AgentConfig } from '../config.ts';
import { BEATS_PER_LEASE, MIN_LEASE_MS } from '../core/agent-limits.ts';
import type { Incarnation } from '../incarnation.ts';

const ROLES: Record<AgentConfig['role'], baton.v1.Role> = {
  prefill: baton.v1.Role.ROLE_PREFILL,
  decode: baton.v1.Role.ROLE_DECODE,
  both: baton.v1.Role.ROLE_BOTH,
};

export interface WorkerBeatOptions {
  config: AgentConfig;
  incarnation: Incarnation;
  state: baton.v1.WorkerState;
  reason: string;
}

/** Everything that a conductor which has just started needs to know of this worker. Tells open changes first. */
export function workerBeat(options: WorkerBeatOptions): baton.v1.IWorkerBeat {
  const { config, incarnation, state, reason } = options;
  const { deltas, facts, pages, session } = incarnation;
  deltas.flush();
  const load = session?.load;
  const adapters = session?.adapters.take();
  return {
    worker: {
      ...facts.worker,
      workerId: config.workerId,
      role: ROLES[config.role],
      transferAddress: incarnation.transferAddress,
      dramCapacitySegments: pages.pageCount,
      hybrid: config.events.hybrid,
    },
    epoch: incarnation.epoch,
    state,
    reason,
    lastDeltaSeq: deltas.lastSeq,
    loads: load ? [load] : [],
    tiers: deltas.tiers((tier) => (tier === Tier.DRAM ? pages.pageCount : facts.kvCapacityBlocks)),
    counters: incarnation.counters(),
    ...(adapters !== undefined && {
      adapters: { ...adapters, held: [...adapters.held], used: [...adapters.used] },
    }),
    leaseMs: Math.max(MIN_LEASE_MS, BEATS_PER_LEASE * config.beatIntervalMs),
  };
}
