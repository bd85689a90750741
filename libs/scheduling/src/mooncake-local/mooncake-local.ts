import { argmin } from '../argmin.ts';
import { prefillMs } from '../cost/prefill-cost.ts';
import { lackingTokens } from '../held.ts';
import type { Leg, LegPick, LegPolicy, LegScore, PlanQuery, RankView } from '../policy.ts';
import { tokensToDo } from '../rank-load.ts';

/** The least predicted time to the first token, with what each rank holds itself. */
export class MooncakeLocal implements LegPolicy {
  readonly name = 'mooncake-local';

  pick(query: PlanQuery, leg: Leg, ranks: readonly RankView[]): LegPick {
    if (leg === 'decode') return leastLoaded(ranks);
    const scores = ranks.map((rank): LegScore => {
      const lacking = lackingTokens(query, rank);
      const terms = {
        queueMs: rank.queueMs,
        prefillMs: prefillMs(rank.cost, lacking, query.promptTokens - lacking),
      };
      return { terms, cost: terms.queueMs + terms.prefillMs };
    });
    return { index: argmin(scores.map((score) => score.cost)), scores };
  }
}

/** The decode rank with the fewest tokens of KV, which is what its steps take time for. */
export function leastLoaded(ranks: readonly RankView[]): LegPick {
  const scores = ranks.map((rank): LegScore => {
    const kvTokens = tokensToDo('decode', rank);
    return { terms: { kvTokens, requests: rank.load.streams }, cost: kvTokens };
  });
  return { index: argmin(scores.map((score) => score.cost)), scores };
}
