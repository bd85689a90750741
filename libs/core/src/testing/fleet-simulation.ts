import { keyHex, KEY_BYTES, SeededRandom, tiers, unpackKeys } from '@baton/kv';
import { createCore, type Core } from '../core.ts';
import type { CoreInput } from '../inputs.ts';
import type { CoreOptions } from '../options.ts';
import { FakeAgent, type Place } from './fake-agent.ts';

/** Shares of messages that meet a fate; the others arrive at once. */
export interface Weather {
  lost: number;
  twice: number;
  /** Up to `maxDelayMs` late, so that others overtake it. */
  late: number;
  maxDelayMs: number;
}

export interface SimulationOptions {
  seed: number;
  agents: number;
  weather: Weather;
  /** Agents whose deltas say everything that changes. Others hold more or less than they have said. */
  isHonest: boolean;
}

interface Message {
  atMs: number;
  deliver: () => void;
}

const BEAT_MS = 1000;
const TICK_MS = 250;
const KEYS = 10;
/** Few places and keys, others with each seed, so that changes meet. */
const PLACES = 3;
const RANKS = 3;
/** Longer than the longest pause, deadline and lease together, so that one more attempt is made after all of them. */
const QUIET_MS = 15_000;

/** Steps are short and pauses too: what waits and starts over happens often. */
const coreOptions: Partial<CoreOptions> = {
  maxKeysPerStep: 3,
  maxBufferedDeltas: 12,
  maxBufferedKeys: 60,
  snapshotTimeoutMs: 800,
  maxSnapshotMs: 5000,
  maxResyncPauseMs: 4000,
  maxConcurrentSnapshots: 2,
};

/**
 * Agents that change, restart, leave and beat, a bus that loses, doubles and delays whatever goes
 * either way, and a conductor that restarts, in virtual time. Everything follows from the seed.
 */
export class FleetSimulation {
  readonly agents: FakeAgent[];
  /** Times that a worker was asked for everything because its account was another. */
  mismatches = 0;
  /** Times that any worker was asked. */
  resyncs = 0;
  readonly #weather: Weather;
  readonly #isHonest: boolean;
  readonly #random: SeededRandom;
  readonly #places: readonly Place[];
  #core: Core;
  /** Which of its lives the conductor is in: answers to an earlier one find nobody. */
  #life = 1;
  #isRough = true;
  #nowMs = 0;
  readonly #onTheWay: Message[] = [];
  readonly #nextBeatMs: number[];
  #nextTickMs = TICK_MS;

  constructor({ seed, agents, weather, isHonest }: SimulationOptions) {
    this.#isHonest = isHonest;
    this.#random = new SeededRandom(seed);
    this.#weather = weather;
    this.#core = this.#newCore();
    this.agents = Array.from(
      { length: agents },
      (_, i) => new FakeAgent({ workerId: `w${i}`, hybrid: i % 2 === 1 }),
    );
    this.#places = Array.from({ length: PLACES }, () => this.#somePlace());
    this.#nextBeatMs = this.agents.map((_, i) => i);
  }

  get core(): Core {
    return this.#core;
  }

  /** So many things happen to the agents and the conductor; who is not honest is so at the end, too. */
  rough(happenings: number): void {
    this.#isRough = true;
    for (let i = 0; i < happenings; i += 1) {
      this.#happen(this.#random.below(100));
      this.#pass(this.#random.below(200));
    }
    if (!this.#isHonest) for (const agent of this.agents) this.#silentChange(agent);
  }

  /** Nothing is lost any more; agents change a few times more, beat, and the conductor stays. */
  quiet(changes: number): void {
    this.#isRough = false;
    for (let i = 0; i < changes; i += 1) {
      this.#change(this.#random.oneOf(this.agents));
      this.#pass(this.#random.below(100));
    }
    this.#pass(QUIET_MS);
  }

  /** What the index knows too much, too little, or has not settled, in words. */
  differences(): string[] {
    const found: string[] = [];
    const { workers, stats } = this.#core.view.index();
    let held = 0;
    for (const agent of this.agents) {
      const { workerId } = agent.facts;
      if (workers.find((worker) => worker.workerId === workerId)?.sync?.synced !== true) {
        found.push(`${workerId} is not synced`);
      }
      for (const place of agent.places()) {
        const { rank, tier, holding } = place;
        const theirs = agent.held(place);
        held += theirs.length / KEY_BYTES;
        const ours = unpackKeys(this.#core.view.heldKeys(workerId, rank, tier, holding));
        const isSame =
          ours.map(keyHex).sort().join() === unpackKeys(theirs).map(keyHex).sort().join();
        if (!isSame) found.push(`${workerId} rank ${rank} tier ${tier} ${holding}`);
      }
    }
    if (stats.replicas !== held) found.push(`${stats.replicas} replicas, not ${held}`);
    return found;
  }

  #happen(dice: number): void {
    const agent = this.#random.oneOf(this.agents);
    if (dice < 82) return this.#change(agent);
    if (dice < 86) return void agent.restart();
    if (dice < 88) return this.#leave(agent);
    if (dice < 91) return this.#stray(agent);
    if (dice < 94) {
      this.#life += 1;
      this.#core = this.#newCore();
    } else if (this.#isHonest) this.#change(agent);
    else if (dice < 96) this.#restartWithRest(agent);
    else this.#silentChange(agent);
  }

  #change(agent: FakeAgent): void {
    this.#send({ type: 'delta', delta: this.#delta(agent) });
  }

  #delta(agent: FakeAgent): ReturnType<FakeAgent['clear']> {
    const dice = this.#random.below(10);
    const place = this.#random.oneOf(this.#places);
    if (dice === 0) return agent.clear(place);
    return dice < 4 ? agent.remove(place, this.#keys()) : agent.store(place, this.#keys());
  }

  /** What it holds changes, and no number says so; not even how many they are, when it is one for another. */
  #silentChange(agent: FakeAgent): void {
    const { seq } = agent;
    const filled = agent.places().filter((one) => agent.held(one).length > 0);
    if (filled.length > 0) {
      const place = this.#random.oneOf(filled);
      agent.remove(place, agent.held(place).subarray(0, KEY_BYTES));
      agent.store(place, keyOf(100 + this.#random.below(100)));
    } else this.#delta(agent);
    agent.seq = seq;
  }

  /** An incarnation that finds again what it had on disk before it has told anything. */
  #restartWithRest(agent: FakeAgent): void {
    agent.restart();
    agent.store({ rank: 0, tier: 3, holding: 'kv' }, this.#keys());
    agent.seq = 0;
  }

  #leave(agent: FakeAgent): void {
    this.#send({ type: 'beat', beat: agent.beat({ state: 'leaving' }) });
    agent.restart();
  }

  /** What nobody asked for, or what an incarnation says that is over or not yet known. */
  #stray(agent: FakeAgent): void {
    const startedAtMs = agent.epoch.startedAtMs + this.#random.below(3) - 1;
    const epoch = { startedAtMs, nonce: this.#random.below(2) };
    const delta = { workerId: agent.facts.workerId, epoch, seq: agent.seq + 1, ops: [] };
    if (epoch.startedAtMs !== agent.epoch.startedAtMs || epoch.nonce !== agent.epoch.nonce) {
      this.#send({ type: 'delta', delta });
    }
    const [chunk] = agent.snapshot(1000 + this.#random.below(5), 1);
    if (chunk !== undefined) this.#send({ type: 'snapshotChunk', chunk });
  }

  #somePlace(): Place {
    const holding = this.#random.below(4) === 0 ? 'resumePoints' : 'kv';
    return { rank: this.#random.below(RANKS), tier: this.#random.oneOf(tiers), holding };
  }

  #keys(): Uint8Array {
    const first = this.#random.below(KEYS);
    const count = 1 + this.#random.below(Math.min(10, KEYS - first));
    const keys = new Uint8Array(count * KEY_BYTES);
    for (let i = 0; i < count; i += 1) keys.set(keyOf(first + i + 1), i * KEY_BYTES);
    return keys;
  }

  #pass(durationMs: number): void {
    const endMs = this.#nowMs + durationMs;
    for (;;) {
      const next = this.#onTheWay.reduce((first, { atMs }) => Math.min(first, atMs), Infinity);
      const beatMs = Math.min(...this.#nextBeatMs);
      const atMs = Math.min(next, beatMs, this.#nextTickMs);
      if (atMs > endMs) break;
      this.#nowMs = atMs;
      if (atMs === next) this.#deliverNext(atMs);
      else if (atMs === beatMs) this.#beatNext(beatMs);
      else {
        this.#nextTickMs += TICK_MS;
        this.#step({ type: 'tick' });
      }
    }
    this.#nowMs = endMs;
  }

  #deliverNext(atMs: number): void {
    const at = this.#onTheWay.findIndex((message) => message.atMs === atMs);
    this.#onTheWay.splice(at, 1)[0]?.deliver();
  }

  #beatNext(atMs: number): void {
    const i = this.#nextBeatMs.indexOf(atMs);
    this.#nextBeatMs[i] = atMs + BEAT_MS;
    const agent = this.agents[i];
    if (agent !== undefined) this.#send({ type: 'beat', beat: agent.beat() });
  }

  #send(input: CoreInput): void {
    this.#underway(() => this.#step(input));
  }

  #underway(deliver: () => void): void {
    const { lost, twice, late, maxDelayMs } = this.#weather;
    const dice = this.#random.below(100);
    if (!this.#isRough || dice >= lost + twice + late) {
      this.#onTheWay.push({ atMs: this.#nowMs + 1, deliver });
      return;
    }
    if (dice < lost) return;
    const copies = dice < lost + twice ? 2 : 1;
    for (let i = 0; i < copies; i += 1) {
      const atMs = this.#nowMs + 1 + this.#random.below(maxDelayMs);
      this.#onTheWay.push({ atMs, deliver });
    }
  }

  #step(input: CoreInput): void {
    this.#carryOut(input);
    // Work goes on between messages, and sometimes does not get a turn.
    for (let i = this.#isRough ? this.#random.below(3) : Infinity; i > 0; i -= 1) {
      if (!this.#core.hasWork) break;
      this.#carryOut({ type: 'work' });
    }
  }

  #carryOut(input: CoreInput): void {
    for (const effect of this.#core.step(input, this.#nowMs)) {
      if (effect.type === 'resync') {
        this.resyncs += 1;
        this.mismatches += effect.cause === 'mismatch' ? 1 : 0;
      }
      if (effect.type === 'requestSnapshot') this.#request(effect.workerId, effect.snapshotId);
    }
  }

  #request(workerId: string, snapshotId: number): void {
    const life = this.#life;
    const forThisLife = (input: CoreInput): void => {
      if (this.#life === life) this.#step(input);
    };
    this.#underway(() => {
      const agent = this.agents.find(({ facts }) => facts.workerId === workerId);
      for (const chunk of agent?.snapshot(snapshotId, 1 + this.#random.below(4)) ?? []) {
        this.#underway(() => forThisLife({ type: 'snapshotChunk', chunk }));
      }
    });
  }

  #newCore(): Core {
    return createCore({ instanceId: 'c', ...coreOptions });
  }
}

/** As far from all others as hashes are: accounts of two sets of small numbers may be equal by chance. */
function keyOf(number: number): Uint8Array {
  return new SeededRandom(number).bytes(KEY_BYTES);
}
