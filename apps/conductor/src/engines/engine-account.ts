import { randomInt } from 'node:crypto';
import type { Epoch, TierState, WorkerFacts } from '@baton/cluster';
import type { CoreInput } from '@baton/core';
import type { KvEventSource, ProbedEngine } from '@baton/engine-clients';
import { Tier } from '@baton/kv';
import { readDelta, readSnapshotChunk } from '@baton/proto';
import type { Logger } from '@baton/service';
import { DeltaPublisher, EngineEvents, eventSettingsSchema } from '@baton/worker-knowledge';

const MAX_NONCE = 2 ** 47;
let lastEpochMs = 0;

export interface EngineAccountOptions {
  facts: WorkerFacts;
  probed: ProbedEngine;
  /** Which weights an adapter's name stands for now. */
  adapterRevision: (name: string) => string | undefined;
  /** False for one of which nothing is to be heard yet. */
  isTold: boolean;
  hear: (input: CoreInput) => void;
  log: Logger;
}

/** One incarnation of a worker without an agent: what its engine's cache holds, where its events tell. */
export class EngineAccount {
  readonly facts: WorkerFacts;
  readonly epoch: Epoch;
  /** Until then it is kept aside: whoever hears of it first asks for all of it. */
  isTold: boolean;
  readonly #hear: (input: CoreInput) => void;
  readonly #deltas: DeltaPublisher;
  readonly #events: EngineEvents | undefined;

  /** @throws BatonError config_invalid for endpoints of events that are none */
  constructor({ facts, probed, adapterRevision, isTold, hear, log }: EngineAccountOptions) {
    this.facts = facts;
    this.epoch = nextEpoch();
    this.isTold = isTold;
    this.#hear = (input) => {
      if (this.isTold) hear(input);
    };
    const { workerId, engine, engineUrl, layout, tokenization, segmentTokens } = facts;
    this.#deltas = new DeltaPublisher({
      workerId,
      epoch: this.epoch,
      tiers: [Tier.HBM],
      publish: (message) => {
        const delta = readDelta(message);
        if ('fault' in delta) this.#hear({ type: 'unreadable', workerId });
        else this.#hear({ type: 'delta', delta });
      },
    });
    const sources = probed.events;
    if (facts.approximate === true || sources === undefined) return;
    this.#events = new EngineEvents({
      facts: {
        worker: { engine, engineUrl, layout },
        identity: JSON.stringify([layout.modelRevision, tokenization, segmentTokens]),
        ...{ tokenization, segmentTokens, adapterRevision },
        ...{ eventsEndpoint: '', replayEndpoint: '' },
      },
      settings: settingsOf(sources),
      ledger: this.#deltas.ledger,
      log: this.#logTo(log),
      now: () => performance.now(),
    });
  }

  /** Why what the engine says of its cache cannot be followed; undefined while it can. */
  get obstacle(): string | undefined {
    return this.isHybrid ? 'its model has sliding-window or state layers' : this.#events?.fault;
  }

  /** Its events come, and are of no use: that does not change while the engine runs. */
  get isHybrid(): boolean {
    return (this.#events?.counters.hybridRefusedRanks ?? 0) > 0;
  }

  /** Number of the last delta, and what is held as of it. */
  told(): { lastDeltaSeq: number; tiers: TierState[] } {
    this.#events?.tick();
    this.#deltas.flush();
    const capacitySegments = Math.floor(
      (this.facts.kvCapacityBlocks * this.facts.layout.blockTokens) / this.facts.segmentTokens,
    );
    // Nobody accounts for a cache of which nothing is told.
    const tiers =
      this.#events === undefined
        ? []
        : this.#deltas.ledger.states().map((state) => ({ ...state, capacitySegments }));
    return { lastDeltaSeq: this.#deltas.lastSeq, tiers };
  }

  /** Tells everything that is held now. */
  snapshot(snapshotId: number): void {
    const { workerId } = this.facts;
    for (const message of this.#deltas.snapshot({ snapshotId })) {
      const chunk = readSnapshotChunk(message);
      if ('fault' in chunk) this.#hear({ type: 'unreadable', workerId });
      else this.#hear({ type: 'snapshotChunk', chunk });
    }
  }

  async close(): Promise<void> {
    await this.#events?.close();
    this.#deltas.close();
  }

  /** What is tried aside, again and again, is nobody's worry. */
  #logTo(log: Logger): ConstructorParameters<typeof EngineEvents>[0]['log'] {
    return {
      debug: (fields, message) => log.debug(fields, message),
      info: (fields, message) => log.info(fields, message),
      warn: (fields, message) => log[this.isTold ? 'warn' : 'debug'](fields, message),
      error: (fields, message) => log.error(fields, message),
    };
  }
}

function settingsOf(sources: readonly KvEventSource[]) {
  return eventSettingsSchema.parse({
    ranks: sources.length,
    endpoints: sources.map(({ eventsEndpoint }) => eventsEndpoint),
    replayEndpoints: sources.flatMap(({ replayEndpoint }) => replayEndpoint ?? []),
    topic: sources[0]?.topic ?? '',
  });
}

function nextEpoch(): Epoch {
  lastEpochMs = Math.max(Date.now(), lastEpochMs + 1);
  return { startedAtMs: lastEpochMs, nonce: randomInt(MAX_NONCE) };
}
