// A process with the knowledge side of some agents: `node delta-publisher.ts '{"natsUrl": …}'`, told by its parent what
// to publish.
import { randomFillSync } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectBus, type Bus } from '@baton/bus';
import { KEY_BYTES, Tier, xorKeys } from '@baton/kv';
import { baton } from '@baton/proto';
import { knowledgeBeat } from '../../kit/knowledge-beat.ts';

export interface PublisherOptions {
  natsUrl: string;
  workers: number;
  /** Stored by each delta, and as many removed once the worker holds `segments`. */
  keysPerDelta: number;
  segments: number;
}

export type PublisherCommand =
  /** Publish so many deltas of each worker; with `periodMs` one of each in that time, else as fast as may be. */
  | { type: 'publish'; deltas: number; periodMs?: number }
  /** The conductor has applied so many deltas in all. */
  | { type: 'applied'; deltas: number };

export type PublisherReport =
  /** CPU of this process while it published, ms. */
  { type: 'joined' } | { type: 'published'; cpuMs: number };

/** Deltas on their way, so that neither NATS nor the conductor must give any up. */
const MAX_UNDERWAY = 2_000;
const BEAT_MS = 1_000;

/** One worker that stores and forgets round a ring of keys. */
class RingWorker {
  readonly workerId: string;
  seq = 0;
  readonly #options: PublisherOptions;
  readonly #epoch = { startedAtMs: Date.now(), nonce: process.pid };
  readonly #ring: Uint8Array;
  #held = 0;
  readonly #xor = new Uint8Array(KEY_BYTES);

  constructor(workerId: string, options: PublisherOptions) {
    this.workerId = workerId;
    this.#options = options;
    this.#ring = randomFillSync(new Uint8Array(options.segments * 2 * KEY_BYTES));
  }

  delta(): baton.v1.IKvDelta {
    const { keysPerDelta, segments } = this.#options;
    const stored = this.#slice(this.seq * keysPerDelta);
    const ops = [{ kind: baton.v1.KvOpKind.KV_OP_KIND_STORE, tier: Tier.HBM, keys: stored }];
    xorKeys(stored, this.#xor);
    this.#held += keysPerDelta;
    if (this.#held > segments) {
      const removed = this.#slice(this.seq * keysPerDelta - segments);
      xorKeys(removed, this.#xor);
      this.#held -= keysPerDelta;
      ops.push({ kind: baton.v1.KvOpKind.KV_OP_KIND_REMOVE, tier: Tier.HBM, keys: removed });
    }
    this.seq += 1;
    return { workerId: this.workerId, epoch: this.#epoch, seq: this.seq, ops };
  }

  beat(): baton.v1.IWorkerBeat {
    const tiers = [{ tier: Tier.HBM, segments: this.#held, xor: this.#xor }];
    const { seq: lastDeltaSeq } = this;
    return { ...knowledgeBeat(this.workerId), epoch: this.#epoch, lastDeltaSeq, tiers };
  }

  #slice(segment: number): Uint8Array {
    const at = (segment % (this.#options.segments * 2)) * KEY_BYTES;
    return this.#ring.subarray(at, at + this.#options.keysPerDelta * KEY_BYTES);
  }
}

class Publisher {
  readonly #bus: Bus;
  readonly #workers: RingWorker[];
  #published = 0;
  #applied = 0;
  #nextBeatMs = 0;

  constructor(bus: Bus, options: PublisherOptions) {
    this.#bus = bus;
    this.#workers = Array.from(
      { length: options.workers },
      (_, i) => new RingWorker(`ring-${i}`, options),
    );
  }

  applied(deltas: number): void {
    this.#applied = deltas;
  }

  beat(): void {
    this.#nextBeatMs = performance.now() + BEAT_MS;
    for (const worker of this.#workers) this.#bus.publishBeat(worker.beat());
  }

  async publish(deltas: number, periodMs: number | undefined): Promise<number> {
    const before = process.cpuUsage();
    const startMs = performance.now();
    for (let round = 0; round < deltas; round += 1) {
      for (const worker of this.#workers) {
        while (this.#published - this.#applied >= MAX_UNDERWAY) await sleep(1);
        const isTaken = this.#bus.publishDelta(worker.delta());
        if (!isTaken) throw new Error('NATS does not take what is published');
        this.#published += 1;
      }
      if (performance.now() >= this.#nextBeatMs) this.beat();
      const dueMs = startMs + (round + 1) * (periodMs ?? 0);
      const earlyMs = dueMs - performance.now();
      // Messages of the parent and confirmations of the server get their turn in any case.
      if (earlyMs > 0 || round % 8 === 0) await sleep(Math.max(0, earlyMs));
    }
    await this.#bus.flush();
    this.beat();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  }
}

const report = (message: PublisherReport): void => void process.send?.(message);

const options = JSON.parse(process.argv[2] ?? '{}') as PublisherOptions;
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const bus = await connectBus({ url: options.natsUrl, name: 'publisher', log });
const publisher = new Publisher(bus, options);
publisher.beat();
await bus.flush();
process.on('message', (command: PublisherCommand) => {
  if (command.type === 'applied') return publisher.applied(command.deltas);
  publisher.publish(command.deltas, command.periodMs).then(
    (cpuMs) => report({ type: 'published', cpuMs }),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
process.on('disconnect', () => process.exit(0));
report({ type: 'joined' });
