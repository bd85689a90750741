import type { TierState, WorkerBeat } from '@baton/cluster';
import type { KvDelta, SnapshotChunk } from '@baton/core';
import { Tier } from '@baton/kv';
import type { SimWorker } from '../engine/sim-worker.ts';
import { packBlockKeys } from '../kv/block-keys.ts';
import type { OnKvChange, SimTier } from '../kv/kv-cache.ts';
import type { CompleteOptions } from './options.ts';

interface Changes {
  kind: 'store' | 'remove';
  tier: SimTier;
  blocks: number[];
}

const LEASE_MS = 3_000;
const EPOCH = { startedAtMs: 1, nonce: 0 };
const simTiers: readonly SimTier[] = [Tier.HBM, Tier.DRAM, Tier.SSD];

/** What the agent of a simulated worker tells the conductor: changes of what it holds, beats, and snapshots. */
export class SimAgent {
  readonly #capacity: ReadonlyMap<SimTier, number>;
  readonly #onDirty: () => void;
  /** The last changes of each tier in order; tiers do not depend on each other. */
  readonly #open = new Map<SimTier, Changes>();
  #changes: Changes[] = [];
  #seq = 0;

  /** @param onDirty called with the first change that {@link SimAgent.takeDelta} has not taken */
  constructor({ hbmBlocks, dramBlocks, ssdBlocks }: CompleteOptions, onDirty: () => void) {
    this.#capacity = new Map([
      [Tier.HBM, hbmBlocks],
      [Tier.DRAM, dramBlocks],
      [Tier.SSD, ssdBlocks],
    ]);
    this.#onDirty = onDirty;
  }

  readonly onKvChange: OnKvChange = (kind, tier, block) => {
    const open = this.#open.get(tier);
    if (open?.kind === kind) {
      open.blocks.push(block);
      return;
    }
    if (this.#changes.length === 0) this.#onDirty();
    const changes = { kind, tier, blocks: [block] };
    this.#open.set(tier, changes);
    this.#changes.push(changes);
  };

  /** Everything that has changed since the last one; undefined when nothing has. */
  takeDelta(worker: SimWorker): KvDelta | undefined {
    if (this.#changes.length === 0) return undefined;
    const ops = this.#changes.map(({ kind, tier, blocks }) => ({
      ...{ kind, tier, rank: 0 },
      keys: packBlockKeys(blocks),
    }));
    this.#changes = [];
    this.#open.clear();
    this.#seq += 1;
    return { workerId: worker.workerId, epoch: EPOCH, seq: this.#seq, ops };
  }

  beat(worker: SimWorker): WorkerBeat {
    const { prefill, decode, cache, facts } = worker;
    const kvUsedBlocks = cache.pinnedBlocks + decode.unnamedBlocks() + prefill.unnamedBlocks();
    const load = {
      rank: 0,
      runningSequences: decode.runningSequences,
      waitingSequences: prefill.waiting + decode.waiting,
      pendingPrefillTokens: prefill.pendingTokens,
      kvUsedBlocks,
      prefillTokensPerSec: worker.prefillTokensPerSec,
      decodeTokensPerSec: worker.decodeTokensPerSec,
      ...worker.loadRates,
    };
    return {
      worker: facts,
      epoch: EPOCH,
      state: 'ready',
      reason: '',
      lastDeltaSeq: this.#seq,
      loads: [load],
      tiers: this.#tierStates(worker),
      counters: {},
      leaseMs: LEASE_MS,
    };
  }

  /** Everything it holds, as of its last delta. */
  snapshot(worker: SimWorker, snapshotId: number): SnapshotChunk {
    const ops = simTiers
      .map((tier) => ({ tier, blocks: worker.cache.held(tier) }))
      .filter(({ blocks }) => blocks.length > 0)
      .map(({ tier, blocks }) => ({
        ...{ kind: 'store' as const, tier, rank: 0 },
        keys: packBlockKeys(blocks),
      }));
    const { workerId } = worker;
    return { workerId, epoch: EPOCH, snapshotId, index: 0, count: 1, seq: this.#seq, ops };
  }

  #tierStates({ cache }: SimWorker): TierState[] {
    return simTiers.flatMap((tier) => {
      const capacitySegments = this.#capacity.get(tier) ?? 0;
      const digest = cache.digests.get(tier);
      if (capacitySegments === 0 || digest === undefined) return [];
      return [{ tier, rank: 0, segments: digest.blocks, capacitySegments, xor: digest.xor() }];
    });
  }
}
