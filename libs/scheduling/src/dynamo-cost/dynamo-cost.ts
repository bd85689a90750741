import type { Leg, LegPick, LegPolicy, LegScore, PlanQuery, RankView } from '../policy.ts';
import { randomIndex } from '../random/random-choice.ts';
import type { Random } from '../random.ts';
import { blockCost, type BlockCounts } from './block-cost.ts';
import type { DynamoCostParameters } from './parameters.ts';
import { softmaxIndex } from './softmax.ts';

/** The cost function of Dynamo's KV router. */
export class DynamoCost implements LegPolicy {
  readonly name = 'dynamo-cost';
  readonly #parameters: DynamoCostParameters;
  readonly #random: Random;

  constructor(parameters: DynamoCostParameters, random: Random) {
    this.#parameters = parameters;
    this.#random = random;
  }

  pick(query: PlanQuery, leg: Leg, ranks: readonly RankView[]): LegPick {
    const leastWaiting = Math.min(...ranks.map((rank) => rank.load.prefillTokens));
    const scores = ranks.map((rank): LegScore => {
      return blockCost(countsOf(query, leg, rank, leastWaiting), this.#parameters);
    });
    const costs = scores.map((score) => score.cost);
    const { temperature } = this.#parameters;
    if (temperature > 0) {
      return { index: softmaxIndex(costs, temperature, this.#random()), scores };
    }
    const least = Math.min(...costs);
    const cheapest = costs.flatMap((cost, i) => (cost === least ? [i] : []));
    const index = cheapest[cheapest.length === 1 ? 0 : randomIndex(this.#random, cheapest.length)];
    return { index: index ?? 0, scores };
  }
}

function countsOf(query: PlanQuery, leg: Leg, rank: RankView, leastWaiting: number): BlockCounts {
  const { blockTokens } = rank.facts.layout;
  const { load } = rank;
  const promptBlocks = query.promptTokens / blockTokens;
  const decode = {
    active: leg === 'prefill' ? 0 : load.kvBlocks,
    added: leg === 'prefill' ? 0 : Math.ceil(promptBlocks),
    requests: load.streams,
  };
  // Decode is chosen by load alone: the KV comes from prefill.
  if (leg === 'decode') {
    const noPrefill = {
      waitingPrefill: 0,
      excessPrefill: 0,
      prompt: 0,
      device: 0,
      host: 0,
      disk: 0,
    };
    return { ...noPrefill, ...decode };
  }
  const held = query.match.rank(rank.facts.workerId, rank.rank);
  const blocksOf = (segments: number): number => (segments * query.segmentTokens) / blockTokens;
  const memory = Math.max(held.hbmSegments, held.memorySegments);
  return {
    waitingPrefill: load.prefillTokens / blockTokens,
    excessPrefill: (load.prefillTokens - leastWaiting) / blockTokens,
    prompt: promptBlocks,
    device: blocksOf(held.hbmSegments),
    host: blocksOf(memory - held.hbmSegments),
    disk: blocksOf(Math.max(0, held.localSegments - memory)),
    ...decode,
  };
}
