import type { BlockPool } from '../cache/block-pool.ts';
import type { EngineClock } from '../engine/clock.ts';
import type { EngineFault } from '../engine/generation.ts';
import type { FaultPlan, Leg } from '../faults/fault.ts';
import type { Dialect, NamedModel, Transfer, TransferRequest } from '../http/dialect.ts';
import type { JsonObject } from '../http/json-object.ts';
import { EngineError } from '../http/engine-error.ts';
import type { Front } from '../http/front.ts';
import type { ViolationKind } from '../violations.ts';
import type { BootstrapNetwork } from './bootstrap-network.ts';
import type { BootstrapServer } from './bootstrap-server.ts';
import { sglangFormatOf } from './sglang-format.ts';

/** As --disaggregation-mode has it; 'null' for a server that does whole requests. */
export type SglangMode = 'null' | 'prefill' | 'decode';

export interface SglangDialectOptions {
  mode: SglangMode;
  clock: EngineClock;
  faults: FaultPlan;
  network: BootstrapNetwork;
  /** Of a prefill server. */
  bootstrap: BootstrapServer | undefined;
  /** The data-parallel rank that it stands for. */
  rank: number;
  /** With --enable-lora. */
  takesAdapters: boolean;
  /** Of that rank. */
  pool: () => BlockPool;
  complain: (kind: ViolationKind, detail: string) => void;
}

/** Who names it is one side without the other: nothing is transferred (disaggregation/utils.py). */
const NOBODY = '2.2.2.2';
const ROOM_BOUND = 2n ** 63n;
const phrases: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  404: 'NotFound',
  429: 'TooManyRequests',
  500: 'InternalServerError',
  503: 'ServiceUnavailable',
};

/** SGLang: the legs of a pair are asked at once and meet in a room of prefill's bootstrap server. */
export class SglangDialect implements Dialect {
  readonly formatOf = sglangFormatOf;
  readonly #options: SglangDialectOptions;

  constructor(options: SglangDialectOptions) {
    this.#options = options;
  }

  /** A server is one side, whatever it is asked. */
  legOf(): Leg {
    const { mode } = this.#options;
    return mode === 'null' ? 'aggregated' : mode;
  }

  /**
   * An adapter stands behind a colon in `model`, or else in `lora_path` (entrypoints/openai/serving_base.py). Its name
   * alone is no model.
   */
  modelOf(body: JsonObject, front: Front): NamedModel {
    const said = body['model'];
    const [base, behind] = typeof said === 'string' ? said.split(/:(.*)/s) : [said];
    if (base !== undefined && base !== null && base !== front.settings.model) {
      throw new EngineError(404, `The model ${String(base)} does not exist.`, 'model');
    }
    const name = behind || body['lora_path'];
    const model = typeof said === 'string' ? said : front.settings.model;
    if (name === undefined || name === null) return { model, adapter: undefined };
    const adapter = front.adapters.find(String(name));
    if (this.#options.takesAdapters && adapter !== undefined) return { model, adapter };
    const why = this.#options.takesAdapters
      ? `Got LoRA adapter that has never been loaded: ${String(name)}`
      : `LoRA adapter '${String(name)}' was requested, but LoRA is not enabled.`;
    throw new EngineError(400, why);
  }

  transferOf({ body, promptTokens, clientId }: TransferRequest): Transfer {
    const { mode, complain } = this.#options;
    const name = clientId ?? 'a request without an id';
    if (body['kv_transfer_params'] !== undefined && body['kv_transfer_params'] !== null) {
      complain('no_connector', `${name}: kv_transfer_params to an SGLang`);
    }
    const room = body['bootstrap_room'];
    if (mode === 'null') {
      if (room !== undefined && room !== null) {
        complain('no_connector', `${name}: a bootstrap_room for a server that is no side of pairs`);
      }
      return { leg: 'aggregated' };
    }
    const id = this.#roomOf(room, name);
    if (body['bootstrap_host'] === NOBODY) return { leg: mode, endsAtFirst: mode === 'prefill' };
    return mode === 'prefill'
      ? this.#prefill(id, body, promptTokens)
      : this.#decode(id, body, promptTokens);
  }

  /** In a stream an error is nested, else it is all that is said (openai/serving_base.py and http_server.py). */
  errorBody({ message, param, status }: EngineError, isEvent: boolean): object {
    const type = phrases[status] ?? 'InternalServerError';
    const error = { object: 'error', message, type, param, code: status };
    return isEvent ? { error } : error;
  }

  /** @throws EngineError as the scheduler refuses it (managers/scheduler.py) */
  #roomOf(room: unknown, name: string): string {
    const { complain } = this.#options;
    if (room === undefined || room === null) {
      complain('no_room', `${name}: no bootstrap_room for one side of a pair`);
      throw new EngineError(
        400,
        `Invalid request: Disaggregated request received without boostrap room id. req.rid='${name}'`,
      );
    }
    const isRoom = typeof room === 'number' && Number.isInteger(room) && room >= 0;
    if (!isRoom || BigInt(room) >= ROOM_BOUND) {
      complain('no_such_room', `${name}: ${JSON.stringify(room)}`);
      throw new EngineError(400, 'bootstrap_room: Input should be a valid integer');
    }
    // What JSON does not have exactly is another room for each reader.
    if (!Number.isSafeInteger(room)) complain('no_such_room', `${name}: ${room} is not exact`);
    return String(room);
  }

  #prefill(room: string, body: JsonObject, promptTokens: readonly number[]): Transfer {
    const { bootstrap, complain } = this.#options;
    if (bootstrap === undefined) throw new Error('a prefill server has a bootstrap server');
    const { host, port } = placeIn(body);
    if (host !== bootstrap.host || port !== bootstrap.port) {
      complain('other_bootstrap', `room ${room}: prefill is told of ${host}:${port}`);
    }
    const { rank, pool } = this.#options;
    const prompt = { id: room, tokens: promptTokens, prefillRank: rank };
    return { leg: 'prefill', endsAtFirst: true, ...bootstrap.seatPrefill(prompt, pool()) };
  }

  #decode(room: string, body: JsonObject, promptTokens: readonly number[]): Transfer {
    const { network, clock, faults, complain } = this.#options;
    const { host, port } = placeIn(body);
    const server = network.at(host, port);
    if (server === undefined) {
      const address = `${host}:${port}`;
      if (!network.knew(address)) complain('unknown_bootstrap', `room ${room}: ${address}`);
      const message = `Could not fetch prefill info from bootstrap server ${address}`;
      const fault: EngineFault = { status: 500, type: 'InternalServerError', message };
      const read = (_pool: unknown, _blocks: unknown, done: (fault: EngineFault) => void): void =>
        void clock.at(clock.now(), () => done(fault));
      return { leg: 'decode', remote: { read, notNeeded: () => undefined } };
    }
    const takeFailure = (): boolean => faults.take(['transfer_failure']) !== undefined;
    const prefillRank = server.rankOf(room, body['disagg_prefill_dp_rank']);
    const seat = server.seatDecode({ id: room, tokens: promptTokens, prefillRank }, takeFailure);
    return { leg: 'decode', remote: seat, leave: () => seat.leave() };
  }
}

function placeIn({ bootstrap_host: host, bootstrap_port: port }: JsonObject): {
  host: string;
  port: number;
} {
  return { host: String(host), port: Number(port) };
}
