import type { Leg, LegPick, LegPolicy, PlacedRank, PlanQuery, RankView } from '../policy.ts';
import { PrefixTree } from '../prefix-tree/prefix-tree.ts';
import { tokensToDo } from '../rank-load.ts';
import { isRankOf, rankName } from '../rank-name.ts';
import { Rotation } from '../rotation.ts';
import type { HybridOverflowParameters } from './parameters.ts';

/** Stays with the owner of the prefix until that has too much to do for a prompt of this length. */
export class HybridOverflow implements LegPolicy {
  readonly name = 'hybrid-overflow';
  readonly #parameters: HybridOverflowParameters;
  readonly #tree = new PrefixTree();
  readonly #rotation = new Rotation();
  #epoch = 0;

  constructor(parameters: HybridOverflowParameters) {
    this.#parameters = parameters;
  }

  pick(query: PlanQuery, leg: Leg, ranks: readonly RankView[]): LegPick {
    const names = ranks.map(({ name }) => name);
    const tokens = ranks.map((rank) => tokensToDo(leg, rank));
    const { owners } = this.#tree.match(query.segmentKeys, new Set(names));
    const isOwner = (i: number): boolean => owners.includes(names[i] ?? '');
    const ofOwners = Math.min(...tokens.filter((_, i) => isOwner(i)));
    const least = Math.min(...tokens);
    const { baseTokens, perPromptToken } = this.#parameters;
    const overflowTokens = baseTokens + perPromptToken * query.promptTokens;
    const stays = owners.length > 0 && ofOwners - least <= overflowTokens;
    const wanted = stays ? ofOwners : least;
    const mayTake = (i: number): boolean => tokens[i] === wanted && (!stays || isOwner(i));
    const index = this.#rotation.next(ranks, mayTake);
    const scores = tokens.map((count, i) => ({
      terms: { isOwner: isOwner(i) ? 1 : 0, tokens: count, overflowTokens },
      // An owner is preferred by as much as it may have to do more.
      cost: isOwner(i) ? count - overflowTokens : count,
    }));
    return { index, scores, reason: reasonOf(owners.length > 0, stays) };
  }

  placed(query: PlanQuery, rank: PlacedRank): void {
    this.#epoch += 1;
    this.#tree.insert(query.segmentKeys, rankName(rank), this.#epoch);
  }

  forgetWorker(workerId: string): void {
    for (const name of this.#tree.ownerNames) {
      if (isRankOf(workerId, name)) this.#tree.removeOwner(name);
    }
  }
}

function reasonOf(hasOwner: boolean, stays: boolean): string {
  if (!hasOwner) return 'nobody owns the prefix: least to do';
  return stays ? 'owner of the prefix' : 'the owner has too much to do: least to do';
}
