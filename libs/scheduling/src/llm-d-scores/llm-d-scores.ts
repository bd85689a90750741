import { KEY_BYTES } from '@baton/kv';
import type { Leg, LegPick, LegPolicy, PlanQuery, RankView } from '../policy.ts';
import { randomIndex } from '../random/random-choice.ts';
import type { Random } from '../random.ts';
import { kvUsage } from '../rank-load.ts';
import type { LlmDScoresParameters } from './parameters.ts';

/** llm-d's weighted sum of scores between 0 and 1; the highest is taken, equal ones by chance. */
export class LlmDScores implements LegPolicy {
  readonly name = 'llm-d-scores';
  readonly #parameters: LlmDScoresParameters;
  readonly #random: Random;

  constructor(parameters: LlmDScoresParameters, random: Random) {
    this.#parameters = parameters;
    this.#random = random;
  }

  pick(query: PlanQuery, _leg: Leg, ranks: readonly RankView[]): LegPick {
    const { prefixWeight, queueWeight, kvUsageWeight } = this.#parameters;
    const queue = queueScores(ranks);
    const scores = ranks.map((rank, i) => {
      const terms = {
        prefix: this.#prefixScore(query, rank),
        queue: queue[i] ?? 0,
        kvFree: kvFreeScore(rank),
      };
      const sum =
        prefixWeight * terms.prefix + queueWeight * terms.queue + kvUsageWeight * terms.kvFree;
      // So that none is -0.
      return { terms, cost: 0 - sum };
    });
    const least = Math.min(...scores.map((score) => score.cost));
    const best = scores.flatMap(({ cost }, i) => (cost === least ? [i] : []));
    const index = best[best.length === 1 ? 0 : randomIndex(this.#random, best.length)] ?? 0;
    return { index, scores };
  }

  /** The share of the prompt's whole segments that is there without a gap, by tiers. */
  #prefixScore({ match, segmentKeys }: PlanQuery, { facts, rank }: RankView): number {
    const total = segmentKeys.length / KEY_BYTES;
    if (total === 0) return 0;
    const { hbmSegments, memorySegments, localSegments } = match.rank(facts.workerId, rank);
    const memory = Math.max(hbmSegments, memorySegments);
    const other = Math.max(0, localSegments - memory);
    const { hbmTierWeight, dramTierWeight, otherTierWeight } = this.#parameters;
    const sum =
      hbmTierWeight * hbmSegments +
      dramTierWeight * (memory - hbmSegments) +
      otherTierWeight * other;
    return Math.min(1, sum / total);
  }
}

/** 1 for the shortest queue, 0 for the longest, by proportion between them; 1 where all are equal. */
function queueScores(ranks: readonly RankView[]): number[] {
  const waiting = ranks.map((rank) => rank.reported?.waitingSequences ?? 0);
  const longest = Math.max(...waiting);
  const range = longest - Math.min(...waiting);
  return waiting.map((count) => (range === 0 ? 1 : (longest - count) / range));
}

/** A rank that has not reported gets nothing, rather than pass for an empty one. */
function kvFreeScore(rank: RankView): number {
  const usage = kvUsage(rank);
  return usage === undefined ? 0 : Math.max(0, 1 - usage);
}
