import { canMoveKv } from '@baton/cluster';
import { coveredUntil } from '@baton/index';
import { Tier } from '@baton/kv';
import { argmin } from '../argmin.ts';
import { prefillMs } from '../cost/prefill-cost.ts';
import { heldSegments, reusableSegments } from '../held.ts';
import { leastLoaded } from '../mooncake-local/mooncake-local.ts';
import type {
  FleetView,
  Leg,
  LegPick,
  LegPolicy,
  LegScore,
  PlanQuery,
  RankView,
} from '../policy.ts';
import type { MooncakeArgminParameters } from './parameters.ts';

/** A rank and the leading segments that others can have from it. */
interface Holder {
  rank: RankView;
  segments: number;
}

/** Mooncake's Algorithm 1: the least predicted time to the first token, with one pull where it is due. */
export class MooncakeArgmin implements LegPolicy {
  readonly name = 'mooncake-argmin';
  readonly #parameters: MooncakeArgminParameters;

  constructor(parameters: MooncakeArgminParameters) {
    this.#parameters = parameters;
  }

  pick(query: PlanQuery, leg: Leg, ranks: readonly RankView[], fleet: FleetView): LegPick {
    if (leg === 'decode') return leastLoaded(ranks);
    const holders = holdersOf(query, fleet);
    const scores = ranks.map((rank) => this.#score(query, rank, holders, fleet));
    return { index: argmin(scores.map((score) => score.cost)), scores };
  }

  #score(
    query: PlanQuery,
    rank: RankView,
    holders: readonly Holder[],
    { links }: FleetView,
  ): LegScore {
    const held = heldSegments(query, rank);
    const best = bestFor(rank, holders);
    const isBeyond =
      best !== undefined && best.segments > held * this.#parameters.balancingThreshold;
    if (!isBeyond || best.segments <= held) return scoreOf(query, rank, 0, held);
    const segments = best.segments - held;
    const sourceWorker = best.rank.facts.workerId;
    const bytes = segments * best.rank.facts.layout.segmentBytes;
    const perSec = links.bytesPerSec(sourceWorker, rank.facts.workerId);
    const score = scoreOf(query, rank, (bytes / perSec) * 1000, best.segments);
    return {
      ...score,
      pulls: [{ sourceWorker, firstSegment: held, segments }],
      fetchMs: score.terms['transferMs'],
    };
  }
}

/** The three terms are added: the algorithm does not let a transfer hide behind the queue. */
function scoreOf(
  { promptTokens, segmentTokens }: PlanQuery,
  rank: RankView,
  transferMs: number,
  readySegments: number,
): LegScore {
  const readyTokens = readySegments * segmentTokens;
  const terms = {
    transferMs,
    queueMs: rank.queueMs,
    prefillMs: prefillMs(rank.cost, promptTokens - readyTokens, readyTokens),
  };
  return { terms, cost: terms.transferMs + terms.queueMs + terms.prefillMs };
}

/** All that can serve a prefix, the longest first; of equally long ones in the fleet's order. */
function holdersOf(query: PlanQuery, { ranks, transfersPossible }: FleetView): Holder[] {
  if (!transfersPossible) return [];
  const reusable = reusableSegments(query.promptTokens, query.segmentTokens);
  const holders: Holder[] = [];
  for (const rank of ranks) {
    const { workerId, capabilities } = rank.facts;
    const serves = rank.state === 'ready' || rank.state === 'draining';
    if (!serves || query.excluded.has(workerId)) continue;
    // Without exporting, what the agent has in its arena can still be pulled.
    const end = capabilities.exportPrefix
      ? query.match.rank(workerId, rank.rank).memorySegments
      : coveredUntil(query.match.runsOf(workerId, rank.rank), 0, [Tier.DRAM]);
    const segments = Math.min(end, reusable);
    if (segments > 0) holders.push({ rank, segments });
  }
  return holders.sort((a, b) => b.segments - a.segments);
}

function bestFor({ facts }: RankView, holders: readonly Holder[]): Holder | undefined {
  if (!facts.capabilities.pullPrefix) return undefined;
  return holders.find(({ rank: { facts: source } }) => {
    return source.workerId !== facts.workerId && canMoveKv(source.layout, facts.layout);
  });
}
