import type { EngineFault } from '../engine/generation.ts';
import { EngineError } from '../http/engine-error.ts';
import type { LifeContext } from '../stand-in.ts';
import type { SglangRank } from './sglang-rank.ts';
import type { SglangSettings } from './sglang-settings.ts';

const GONE: EngineFault = {
  status: 503,
  type: 'ServiceUnavailable',
  message: 'DataParallelController hit an exception: IndexError: list index out of range',
};

/**
 * Which data-parallel rank takes a request: the one that it names, else one after the other, or on a prefill server the one
 * that its room belongs to (python/sglang/srt/managers/data_parallel_controller.py at 30cb848d4). A number that no rank
 * has ends the server.
 */
export class RankDispatch {
  readonly #ranks: readonly SglangRank[];
  readonly #settings: SglangSettings;
  readonly #complain: LifeContext['complain'];
  #turn = 0;

  constructor(
    ranks: readonly SglangRank[],
    settings: SglangSettings,
    complain: LifeContext['complain'],
  ) {
    this.#ranks = ranks;
    this.#settings = settings;
    this.#complain = complain;
  }

  /** @throws EngineError for a number that is none */
  rankOf(body: unknown): number {
    const { heedsRank, mode } = this.#settings;
    const fields: Record<string, unknown> = Object(body);
    const { routed_dp_rank: told, bootstrap_room: room, dispatched_dp_rank: dispatched } = fields;
    const count = this.#ranks.length;
    // From /generate here, which has asked before.
    if (typeof dispatched === 'number') return dispatched;
    if (heedsRank && told !== undefined && told !== null) return this.#told(told);
    if (mode === 'prefill' && typeof room === 'number') return room % count;
    this.#turn = (this.#turn + 1) % count;
    return this.#turn;
  }

  #told(rank: unknown): number {
    if (!Number.isInteger(rank)) throw new EngineError(400, 'routed_dp_rank: not an integer');
    if (this.#ranks[rank as number] !== undefined) return rank as number;
    this.#complain('no_such_rank', `${rank} of ${this.#ranks.length}`);
    for (const { engine } of this.#ranks) engine.die(GONE);
    return 0;
  }
}
