import type { BlockPool } from '../cache/block-pool.ts';
import { Ended } from '../connectors/ended.ts';
import type { EngineClock } from '../engine/clock.ts';
import type { EngineFault, KeptKv, RemoteKv } from '../engine/generation.ts';
import type { Side } from '../exchange/prompt-meeting.ts';
import type { ViolationKind } from '../violations.ts';
import { BootstrapRoom, type RoomLimits, type RoomPrompt } from './bootstrap-room.ts';

export interface BootstrapServerOptions extends RoomLimits {
  host: string;
  port: number;
  /** Data-parallel ranks of its server. */
  ranks: number;
  clock: EngineClock;
  complain: (kind: ViolationKind, detail: string) => void;
}

/** What a prefill is given when it comes into its room. */
export interface PrefillSeat {
  /** When decode has room for the KV, or a fault when it does not come. */
  ready: Promise<EngineFault | undefined>;
  /** Takes the prompt's KV; when decode has it, or a fault. */
  keep(kept: KeptKv): Promise<EngineFault | undefined>;
  leave(): void;
}

/** The side of a prefill server where decode servers find it: a room for each pair of legs. */
export class BootstrapServer {
  /** It has no name but its address. */
  readonly engineId: string;
  readonly host: string;
  readonly port: number;
  readonly #options: BootstrapServerOptions;
  readonly #rooms = new Map<string, BootstrapRoom>();
  readonly #ended = new Ended<ReadonlySet<Side>>();

  constructor(options: BootstrapServerOptions) {
    this.#options = options;
    this.host = options.host;
    this.port = options.port;
    this.engineId = `${this.host}:${this.port}`;
  }

  /** Rooms with somebody in them. */
  get openRooms(): number {
    return this.#rooms.size;
  }

  /** The rank that has a room, where decode is told none: they are dealt out by number. */
  rankOf(room: string, told?: unknown): number {
    return typeof told === 'number' ? told : Number(BigInt(room) % BigInt(this.#options.ranks));
  }

  /** @param pool of the rank that computes the prompt */
  seatPrefill(prompt: RoomPrompt, pool: BlockPool): PrefillSeat {
    const room = this.#enter('prefill', prompt);
    return {
      ready: room.decodeReady,
      keep: (kept) => room.offer(kept, pool),
      leave: () => room.leave('prefill'),
    };
  }

  /** @param takeFailure whether the transfer to this decode is to fail */
  seatDecode(prompt: RoomPrompt, takeFailure: () => boolean): RemoteKv & { leave: () => void } {
    const room = this.#enter('decode', prompt);
    return {
      read: (pool, blocks, done) => room.take({ pool, blocks, takeFailure, done }),
      notNeeded: () => room.leave('decode'),
      leave: () => room.leave('decode'),
    };
  }

  /** Its engine ends, and with it every room. */
  close(): void {
    for (const room of this.#rooms.values()) room.fail('the prefill server has ended');
  }

  #enter(side: Side, prompt: RoomPrompt): BootstrapRoom {
    const { id } = prompt;
    const { clock, complain } = this.#options;
    let room = this.#rooms.get(id);
    const before = room?.sides ?? this.#ended.get(id);
    if (before?.has(side) === true) complain('room_used_twice', `${side} in room ${id}`);
    if (room === undefined) {
      room = new BootstrapRoom(id, { ...this.#options, onEnd: (ended) => this.#end(ended) });
      this.#rooms.set(id, room);
      // Who came first has gone before: nobody will come.
      if (before !== undefined) {
        const left = room;
        clock.at(clock.now(), () => left.fail('the other side has left'));
      }
    }
    room.enter(side, prompt);
    return room;
  }

  #end({ id, sides }: BootstrapRoom): void {
    this.#rooms.delete(id);
    this.#ended.add(id, new Set([...sides, ...(this.#ended.get(id) ?? [])]));
  }
}
