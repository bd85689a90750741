import type { KvDelta } from '@baton/core';
import type { WorkerBeat } from '@baton/cluster';
import { SimWorker, type WorkerListener } from '../engine/sim-worker.ts';
import type { EventQueue } from '../time/event-queue.ts';
import { SimAgent } from './sim-agent.ts';
import type { CompleteOptions } from './options.ts';
import { fleetFacts } from './worker-facts.ts';

/** The workers of a simulated fleet with their agents. */
export class SimFleet {
  readonly workers: ReadonlyMap<string, SimWorker>;
  readonly #agents = new Map<SimWorker, SimAgent>();
  /** Workers whose agent has changes to tell. */
  #dirty: SimWorker[] = [];

  constructor(options: CompleteOptions, queue: EventQueue, listener: WorkerListener) {
    const workers = new Map<string, SimWorker>();
    for (const facts of fleetFacts(options)) {
      const agent = new SimAgent(options, () => this.#dirty.push(worker));
      const worker: SimWorker = new SimWorker(facts, options, queue, listener, agent.onKvChange);
      workers.set(facts.workerId, worker);
      this.#agents.set(worker, agent);
    }
    this.workers = workers;
  }

  /** What the agents have to tell now, in the order in which it came up. */
  takeDeltas(): KvDelta[] {
    if (this.#dirty.length === 0) return [];
    const dirty = this.#dirty;
    this.#dirty = [];
    return dirty.flatMap((worker) => this.agent(worker).takeDelta(worker) ?? []);
  }

  beat(worker: SimWorker): WorkerBeat {
    return this.agent(worker).beat(worker);
  }

  /** @throws RangeError for a worker of another fleet. */
  agent(worker: SimWorker): SimAgent {
    const agent = this.#agents.get(worker);
    if (agent === undefined) throw new RangeError(`${worker.workerId} has no agent`);
    return agent;
  }
}
