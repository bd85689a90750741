import type { LegKind } from './engine-stand-in.ts';

interface Room {
  sides: Set<LegKind>;
  isMet: PromiseWithResolvers<void>;
  isPrefilled: PromiseWithResolvers<void>;
}

/** Rooms in which SGLang's servers meet, each once, and only at the bootstrap server of the prefill side. */
export class BootstrapRooms {
  readonly #rooms = new Map<number, Room>();

  /** Where the prefill worker with this id can be met. */
  static placeOf(workerId: string): { host: string; port: number } {
    return { host: `host-of-${workerId}`, port: 8_998 };
  }

  /** Rooms in which only one side ever was. */
  get unmet(): number[] {
    return [...this.#rooms].filter(([, { sides }]) => sides.size < 2).map(([id]) => id);
  }

  /** What is wrong with a side that comes in. */
  enter(room: number, side: LegKind): string | undefined {
    const known = this.#rooms.get(room) ?? {
      sides: new Set(),
      isMet: Promise.withResolvers<void>(),
      isPrefilled: Promise.withResolvers<void>(),
    };
    this.#rooms.set(room, known);
    if (known.sides.has(side)) return `room ${room} for the second time`;
    known.sides.add(side);
    if (known.sides.size === 2) known.isMet.resolve();
    return undefined;
  }

  /** Prefill waits for decode's room for the KV, decode for the KV. */
  async met(side: LegKind, body: Record<string, unknown>): Promise<void> {
    const room = this.#rooms.get(Number(body['bootstrap_room']));
    if (room === undefined) return;
    if (side === 'prefill') {
      await room.isMet.promise;
      room.isPrefilled.resolve();
    } else await room.isPrefilled.promise;
  }
}

/** Which leg SGLang is asked for. */
export function sglangLegOf(
  body: Record<string, unknown>,
  workerId: string,
  rooms: BootstrapRooms,
  complain: (what: string) => void,
): LegKind {
  const { bootstrap_host: host, bootstrap_port: port, bootstrap_room: room } = body;
  if ('kv_transfer_params' in body) complain("fields of another engine's");
  if (room === undefined) {
    if (host !== undefined || port !== undefined) complain('a host without a room');
    return 'aggregated';
  }
  const side = workerId.startsWith('prefill') ? 'prefill' : 'decode';
  if (typeof room !== 'number' || !Number.isSafeInteger(room) || room < 1) complain('no room');
  const wrong = rooms.enter(Number(room), side);
  if (wrong !== undefined) complain(wrong);
  const places = [1, 2].map((i) => BootstrapRooms.placeOf(`prefill-${i}`));
  if (!places.some((place) => place.host === host && place.port === port)) {
    complain(`nobody can be met at ${String(host)}:${String(port)}`);
  }
  if (side === 'prefill') {
    const own = BootstrapRooms.placeOf(workerId);
    if (host !== own.host) complain('prefill is told of another one');
    if (body['stream'] === true || 'stream_options' in body) complain('prefill is streamed');
  }
  return side;
}
