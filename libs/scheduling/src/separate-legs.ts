import { layoutObstacle } from '@baton/cluster';
import { prefillMs } from './cost/prefill-cost.ts';
import { turnSegments } from './kept-turn.ts';
import {
  adapterMs,
  canPair,
  decodeBlocks,
  eligibleRanks,
  leastMs,
  promptBlocks,
} from './eligibility.ts';
import { MAX_EXPLAINED_CANDIDATES } from './explanation.ts';
import {
  computeMs,
  heldSegments,
  lackingTokens,
  pulledSegments,
  reusableSegments,
} from './held.ts';
import type {
  CandidateRecord,
  Choice,
  Decision,
  Explanation,
  FleetView,
  Leg,
  LegChoice,
  LegPick,
  LegPolicy,
  PlanMode,
  PlanQuery,
  Policy,
  PullChoice,
  RankView,
} from './policy.ts';

/** Chooses the prefill rank by one policy and then, among those that it can serve, the decode rank by another. */
export class SeparateLegs implements Policy {
  readonly name: string;
  readonly #prefill: LegPolicy;
  readonly #decode: LegPolicy;

  constructor(prefill: LegPolicy, decode: LegPolicy) {
    this.#prefill = prefill;
    this.#decode = decode;
    this.name = prefill.name === decode.name ? prefill.name : `${prefill.name}+${decode.name}`;
  }

  decide(query: PlanQuery, fleet: FleetView): Decision {
    const eligible = eligibleRanks(query, fleet);
    const { prefill, decode, whole, hasDedicated, isBusy, ineligible } = eligible;
    const explanation: Explanation = {
      policy: this.name,
      reasons: [],
      matchedTokens: query.match.knownSegments * query.segmentTokens,
      considered: 0,
      candidates: [],
      ineligible,
    };
    // Workers of one role each: those of both roles serve alone only where there is no pair.
    const dedicated = prefill.filter(
      (rank) => rank.facts.role === 'prefill' && decode.some((to) => canPair(rank, to)),
    );
    let choice: Choice | undefined;
    if (hasDedicated) {
      if (dedicated.length > 0) choice = this.#pair(query, fleet, dedicated, decode, explanation);
    } else if (whole.length > 0) choice = this.#alone(query, fleet, whole, explanation);
    if (choice !== undefined) return { kind: 'chosen', choice, explanation };
    return { kind: 'none', code: isBusy ? 'no_capacity' : 'no_worker', explanation };
  }

  estimateMs(query: PlanQuery, fleet: FleetView, isNow = false): number {
    return leastMs(query, fleet, isNow, (rank) => {
      const lacking = lackingTokens(query, rank);
      const computing = prefillMs(rank.cost, lacking, query.promptTokens - lacking);
      return adapterMs(query, rank) + computing;
    });
  }

  placed(query: PlanQuery, choice: Choice): void {
    this.#prefill.placed?.(query, choice.prefill);
    if (choice.mode === 'disaggregated') this.#decode.placed?.(query, choice.decode);
  }

  forgetWorker(workerId: string): void {
    this.#prefill.forgetWorker?.(workerId);
    this.#decode.forgetWorker?.(workerId);
  }

  #alone(
    query: PlanQuery,
    fleet: FleetView,
    ranks: readonly RankView[],
    explanation: Explanation,
  ): Choice {
    const pick = this.#prefill.pick(query, 'whole', ranks, fleet);
    const rank = picked(ranks, pick);
    record(explanation, 'whole', 'aggregated', ranks, pick);
    const { pulls = [], fetchMs = 0 } = pick.scores[pick.index] ?? {};
    const leg = { ...computingLeg(query, rank, pulls), kvBlocks: decodeBlocks(query, rank) };
    const computedInMs = rank.queueMs + leg.adapterMs + fetchMs + leg.prefillMs;
    const times = { computedInMs, predictedTtftMs: computedInMs };
    return { mode: 'aggregated', prefill: leg, decode: leg, pulls, ...times };
  }

  #pair(
    query: PlanQuery,
    fleet: FleetView,
    prefillRanks: readonly RankView[],
    decodeRanks: readonly RankView[],
    explanation: Explanation,
  ): Choice {
    const first = this.#prefill.pick(query, 'prefill', prefillRanks, fleet);
    const from = picked(prefillRanks, first);
    const reachable = decodeRanks.filter((rank) => canPair(from, rank));
    for (const rank of decodeRanks) {
      const obstacle = layoutObstacle(from.facts.layout, rank.facts.layout);
      const { workerId } = rank.facts;
      if (obstacle !== undefined) {
        const reason = `KV cannot come from ${from.facts.workerId}: ${obstacle}`;
        explanation.ineligible.push({ workerId, reason });
      }
    }
    const second = this.#decode.pick(query, 'decode', reachable, fleet);
    const to = picked(reachable, second);
    record(explanation, 'prefill', 'disaggregated', prefillRanks, first);
    record(explanation, 'decode', 'disaggregated', reachable, second);
    const { pulls = [], fetchMs = 0 } = first.scores[first.index] ?? {};
    const prefill = computingLeg(query, from, pulls);
    const decode = receivingLeg(query, to);
    const computedInMs = from.queueMs + prefill.adapterMs + fetchMs + prefill.prefillMs;
    const times = { computedInMs, predictedTtftMs: computedInMs + decode.adapterMs };
    const held = prefill.heldSegments;
    const turn = pulls.length === 0 ? turnSegments(query, from, held) : undefined;
    return { mode: 'disaggregated', prefill, decode, pulls, turnSegments: turn, ...times };
  }
}

function picked(ranks: readonly RankView[], { index }: LegPick): RankView {
  const rank = ranks[index];
  if (rank === undefined)
    throw new RangeError(`a policy picked number ${index} of ${ranks.length}`);
  return rank;
}

function computingLeg(query: PlanQuery, rank: RankView, pulls: readonly PullChoice[]): LegChoice {
  const { workerId } = rank.facts;
  const inMemory = heldSegments(query, rank);
  const { localSegments } = query.match.rank(workerId, rank.rank);
  // A policy that has nothing pulled has not looked further: then an engine loads whatever it has.
  const onSsd = Math.min(localSegments, reusableSegments(query.promptTokens, query.segmentTokens));
  const held = pulls.length > 0 ? inMemory : Math.max(inMemory, onSsd);
  const ready = held + pulledSegments(pulls);
  return {
    workerId,
    rank: rank.rank,
    heldSegments: held,
    loadedSegments: held - inMemory,
    prefillTokens: query.promptTokens - ready * query.segmentTokens,
    prefillMs: computeMs(query, rank, ready),
    adapterMs: adapterMs(query, rank),
    kvBlocks: promptBlocks(query, rank),
  };
}

function receivingLeg(query: PlanQuery, rank: RankView): LegChoice {
  const { workerId } = rank.facts;
  const whole = Math.floor(query.promptTokens / query.segmentTokens);
  const held = Math.min(query.match.rank(workerId, rank.rank).memorySegments, whole);
  return {
    workerId,
    rank: rank.rank,
    heldSegments: held,
    loadedSegments: 0,
    prefillTokens: 0,
    prefillMs: 0,
    adapterMs: adapterMs(query, rank),
    kvBlocks: decodeBlocks(query, rank),
  };
}

function record(
  explanation: Explanation,
  leg: Leg,
  mode: PlanMode,
  ranks: readonly RankView[],
  pick: LegPick,
): void {
  const best = pick.scores[pick.index]?.cost ?? 0;
  const records = ranks.map((rank, i): CandidateRecord => {
    const { terms = {}, cost = 0, pulls } = pick.scores[i] ?? {};
    const { workerId } = rank.facts;
    const isChosen = i === pick.index;
    return {
      leg,
      mode,
      prefillWorker: leg === 'decode' ? '' : workerId,
      decodeWorker: leg === 'prefill' ? '' : workerId,
      terms,
      cost,
      pulls,
      outcome: isChosen ? 'chosen' : cost <= best ? 'tied' : 'behind',
    };
  });
  const order = records.sort((a, b) => rankOf(a) - rankOf(b) || a.cost - b.cost);
  explanation.candidates.push(...order.slice(0, MAX_EXPLAINED_CANDIDATES));
  explanation.considered += records.length;
  if (pick.reason !== undefined) explanation.reasons.push(`${leg}: ${pick.reason}`);
}

function rankOf({ outcome }: CandidateRecord): number {
  return outcome === 'chosen' ? 0 : 1;
}
