import { KEY_BYTES, segmentKeys } from '@baton/kv';
import type { HandoverParams, TurnKept } from '@baton/engine-protocols';
import type { PlanLeg } from './request-plan.ts';

/** What a decode worker keeps of a conversation's last turn. */
export interface KeptTurn {
  /** The key of its last whole segment. */
  readonly name: string;
  /** As clients name it: an adapter computes other KV. */
  readonly model: string;
  readonly workerId: string;
  readonly epoch: NonNullable<PlanLeg['epoch']>;
  /** Leading tokens that a prompt must have for its prefill to read the turn. */
  readonly tokens: number;
  /** Those behind the last whole segment. */
  readonly tail: readonly number[];
  readonly params: HandoverParams;
  readonly keptAtMs: number;
}

/** Half of vLLM's `decoder_kv_blocks_ttl`: so long a turn is used. */
export const TURN_MS = 240_000;
/** Turns that are remembered; then the oldest give way. */
export const MAX_KEPT_TURNS = 4_096;
/** What one is remembered with: block ids and a tail, in numbers. */
export const MAX_KEPT_NUMBERS = 2_000_000;

/** By what a prompt or a turn is found: its model, its tokens, and the root that holds tenant, salt and tokenizer. */
export interface TurnPlace {
  model: string;
  root: Uint8Array;
  segmentTokens: number;
}

/**
 * What decode workers keep for the prefills of next turns, by the keys of what was said so far: whoever has another salt,
 * another model or another beginning does not find it. Each is given out once, and only for so long.
 */
export class KeptTurns {
  /** By name; of equal ones the last. */
  readonly #turns = new Map<string, KeptTurn>();
  /** Incarnations of decode workers that keep turns. */
  readonly #keepers = new Map<string, KeptTurn['epoch']>();
  readonly #nowMs: () => number;
  #numbers = 0;
  /** Given out so far. */
  taken = 0;

  /** @param nowMs of a clock that only goes forward */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get size(): number {
    return this.#turns.size;
  }

  /** Whether answers of this worker are worth asking for their tokens. */
  isKeeper({ workerId, epoch }: PlanLeg): boolean {
    const known = this.#keepers.get(workerId);
    return epoch !== undefined && known !== undefined && isSame(known, epoch);
  }

  /** A decode worker has said that it keeps a turn. */
  keep(at: TurnPlace, { workerId, epoch }: PlanLeg, { params, tokenIds }: TurnKept): void {
    if (epoch === undefined) return;
    this.#keepers.set(workerId, epoch);
    const { model, root, segmentTokens } = at;
    const whole = Math.floor((tokenIds?.length ?? 0) / segmentTokens);
    if (tokenIds === undefined || whole === 0) return;
    const keys = segmentKeys(root, tokenIds, segmentTokens);
    const tail = tokenIds.slice(whole * segmentTokens);
    const name = nameOf(keys, whole - 1);
    const facts = { name, model, workerId, epoch, tokens: tokenIds.length };
    this.#remove(name);
    const turn = { ...facts, tail, params, keptAtMs: this.#nowMs() };
    this.#turns.set(name, turn);
    this.#numbers += numbersOf(turn);
    this.#makeRoom();
  }

  /** The longest turn that this prompt goes on from. */
  find(model: string, keys: Uint8Array, tokens: readonly number[]): KeptTurn | undefined {
    if (this.#turns.size === 0) return undefined;
    for (let at = keys.length / KEY_BYTES - 1; at >= 0; at -= 1) {
      const turn = this.#turns.get(nameOf(keys, at));
      if (turn?.model === model && this.#isFresh(turn) && goesOn(turn, tokens)) return turn;
    }
    return undefined;
  }

  /** Gives the turn's parameters out, once; undefined when somebody was quicker or it is too late. */
  take(turn: KeptTurn): HandoverParams | undefined {
    if (this.#turns.get(turn.name) !== turn) return undefined;
    this.#remove(turn.name);
    if (!this.#isFresh(turn)) return undefined;
    this.taken += 1;
    return turn.params;
  }

  /** Workers that are there. */
  keepOnly(workerIds: ReadonlySet<string>): void {
    for (const workerId of this.#keepers.keys()) {
      if (!workerIds.has(workerId)) this.#keepers.delete(workerId);
    }
    for (const [name, { workerId }] of this.#turns) {
      if (!workerIds.has(workerId)) this.#remove(name);
    }
  }

  #isFresh({ keptAtMs, workerId, epoch }: KeptTurn): boolean {
    const keeper = this.#keepers.get(workerId);
    const isThere = keeper !== undefined && isSame(keeper, epoch);
    return isThere && this.#nowMs() - keptAtMs < TURN_MS;
  }

  /** The oldest come first. */
  #makeRoom(): void {
    for (const [name, turn] of this.#turns) {
      const isFull = this.#turns.size > MAX_KEPT_TURNS || this.#numbers > MAX_KEPT_NUMBERS;
      if (!isFull && this.#isFresh(turn)) return;
      this.#remove(name);
    }
  }

  #remove(name: string): void {
    const turn = this.#turns.get(name);
    if (turn === undefined) return;
    this.#turns.delete(name);
    this.#numbers -= numbersOf(turn);
  }
}

function goesOn({ tokens, tail }: KeptTurn, prompt: readonly number[]): boolean {
  const from = tokens - tail.length;
  return prompt.length >= tokens && tail.every((token, i) => prompt[from + i] === token);
}

function isSame(one: KeptTurn['epoch'], other: KeptTurn['epoch']): boolean {
  return one.startedAtMs === other.startedAtMs && one.nonce === other.nonce;
}

function nameOf(keys: Uint8Array, segment: number): string {
  const at = segment * KEY_BYTES;
  return Buffer.from(keys.buffer, keys.byteOffset + at, KEY_BYTES).toString('latin1');
}

function numbersOf({ params, tail }: KeptTurn): number {
  const groups = params['remote_block_ids'];
  return tail.length + (Array.isArray(groups) ? groups.flat().length : 0);
}
