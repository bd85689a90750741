import { KEY_BYTES, Tier } from '@baton/kv';
import { createCore, type Core } from '../core.ts';
import type { CoreInput, KvDelta } from '../inputs.ts';
import type { SyncView } from '../knowledge.ts';
import type { CoreOptions } from '../options.ts';
import { FakeAgent, type Place } from './fake-agent.ts';

/** KV in a rank's own cache. */
export const hbm = (rank: number): Place => ({ rank, tier: Tier.HBM, holding: 'kv' });

/** Keys of their own, packed. */
export function numberedKeys(from: number, to: number): Uint8Array {
  const packed = new Uint8Array((to - from) * KEY_BYTES);
  const view = new DataView(packed.buffer);
  for (let i = from; i < to; i += 1) view.setUint32((i - from) * KEY_BYTES, i + 1, true);
  return packed;
}

/** A conductor's core with agents that answer its snapshot requests at once, and work done at once. */
export class SmallFleet {
  core: Core;
  nowMs = 0;
  /** Snapshots that were asked for. */
  snapshots = 0;
  readonly #options: Partial<CoreOptions>;
  readonly agents: FakeAgent[];

  constructor(agents: FakeAgent[], options: Partial<CoreOptions> = {}) {
    this.agents = agents;
    this.#options = options;
    this.core = createCore({ instanceId: 'c', ...options });
  }

  restartConductor(): void {
    this.core = createCore({ instanceId: 'd', ...this.#options });
  }

  hear(...inputs: CoreInput[]): void {
    for (const input of inputs) {
      for (const effect of this.core.step(input, this.nowMs)) {
        if (effect.type === 'requestSnapshot') this.#answer(effect.workerId, effect.snapshotId);
      }
    }
    while (this.core.hasWork) this.core.step({ type: 'work' }, this.nowMs);
  }

  delta(delta: KvDelta): void {
    this.hear({ type: 'delta', delta });
  }

  /** All agents beat, or those given, for so many seconds. */
  beat(seconds = 1, agents = this.agents): void {
    for (let i = 0; i < seconds; i += 1) {
      for (const agent of agents) this.hear({ type: 'beat', beat: agent.beat() });
      this.nowMs += 1000;
      this.hear({ type: 'tick' });
    }
  }

  held(agent: FakeAgent, place: Place): number {
    const { workerId } = agent.facts;
    const { rank, tier, holding } = place;
    return this.core.view.heldKeys(workerId, rank, tier, holding).length / KEY_BYTES;
  }

  replicas(): number {
    return this.core.view.index().stats.replicas;
  }

  sync(agent: FakeAgent): SyncView | undefined {
    const { workerId } = agent.facts;
    return this.core.view.index().workers.find((worker) => worker.workerId === workerId)?.sync;
  }

  #answer(workerId: string, snapshotId: number): void {
    this.snapshots += 1;
    const agent = this.agents.find(({ facts }) => facts.workerId === workerId);
    for (const chunk of agent?.snapshot(snapshotId, 2) ?? []) {
      this.hear({ type: 'snapshotChunk', chunk });
    }
  }
}
