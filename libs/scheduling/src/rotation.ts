import type { RankView } from './policy.ts';

/** Turns: the rank that comes after the last one in the order of ids, from the first on again. */
export class Rotation {
  #last = '';

  /** Position of the next among ranks that are sorted by id, which may be others each time. */
  next(ranks: readonly RankView[], mayTake: (index: number) => boolean = () => true): number {
    let first = -1;
    let next = -1;
    for (let i = 0; i < ranks.length && next < 0; i += 1) {
      if (!mayTake(i)) continue;
      if (first < 0) first = i;
      if (nameOf(ranks[i]) > this.#last) next = i;
    }
    const index = next < 0 ? first : next;
    if (index < 0) throw new RangeError('there must be a rank to take');
    this.#last = nameOf(ranks[index]);
    return index;
  }
}

function nameOf(rank: RankView | undefined): string {
  if (rank === undefined) return '';
  return `${rank.facts.workerId}/${String(rank.rank).padStart(4, '0')}`;
}
