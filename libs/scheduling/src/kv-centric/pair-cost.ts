import { coveredUntil } from '@baton/index';
import { Tier } from '@baton/kv';
import { adapterMs, decodeBlocks, promptBlocks } from '../eligibility.ts';
import { turnSegments } from '../kept-turn.ts';
import { computeMs, heldSegments, lackingTokens, reusableSegments } from '../held.ts';
import type {
  Choice,
  FleetView,
  LegChoice,
  LegScore,
  PlanQuery,
  PullChoice,
  RankView,
} from '../policy.ts';
import type { KvCentricParameters } from './parameters.ts';
import { durationMs, PullSources, type Pull } from './pulls.ts';

/** Terms of the predicted time to the first token, ms. */
export type PairTerms = {
  queueMs: number;
  /** What waiting for the prefix adds to the queue. */
  fetchMs: number;
  prefillMs: number;
  /** Loading the request's adapter, on both workers of a pair; absent without one. */
  adapterMs?: number;
  handoverMs: number;
  /** Not part of the TTFT: what the handover takes from others on its link. */
  linkMs: number;
  /** Not part of the TTFT: keeps decode workers evenly loaded. */
  decodeLoadMs: number;
};

/** A pair that was weighed; twice the same rank where it does it alone. */
export interface Candidate {
  prefill: RankView;
  decode: RankView;
  terms: PairTerms;
  totalMs: number;
}

/** The prompt's way to its KV on one rank: what is there, what is pulled, what is computed. */
export interface Preparation {
  leg: LegChoice;
  pulls: readonly PullChoice[];
  /** As {@link Choice} has it, where the KV goes to another rank. */
  turnSegments: number | undefined;
  queueMs: number;
  fetchMs: number;
  /** What the rank would be busy with, were it idle now. */
  workMs: number;
}

/** Until the prompt is computed, from now on. */
export function computedInMs({ queueMs, fetchMs, leg }: Preparation): number {
  return queueMs + leg.adapterMs + fetchMs + leg.prefillMs;
}

/** A way to begin: what the rank has itself, loaded where it must be, and what is pulled behind it. */
interface Start {
  held: number;
  /** Of these, behind those in memory. */
  loadedSegments: number;
  loadMs: number;
  /** Of computing all that it does not have itself. */
  aloneMs: number;
  pull: Pull | undefined;
  turnSegments: number | undefined;
  /** Leading segments that are there when it computes. */
  ready: number;
  prefillMs: number;
  fetchMs: number;
  /** Behind the queue. */
  readyMs: number;
}

type LoadRate = 'dramBytesPerSec' | 'ssdBytesPerSec';

const MEMORY: readonly Tier[] = [Tier.HBM, Tier.HOST, Tier.DRAM];
const BELOW_MEMORY: readonly Tier[] = [Tier.SSD, Tier.STORAGE];

const NOTHING: readonly PullChoice[] = [];

/** Costs of one query against one fleet. */
export class PairCost {
  readonly #query: PlanQuery;
  readonly #fleet: FleetView;
  readonly #parameters: KvCentricParameters;
  readonly #reusable: number;
  readonly #pulls: PullSources;
  readonly #prepared = new Map<RankView, Preparation>();

  /** @param turn picks among those from whom the same can be pulled */
  constructor(query: PlanQuery, fleet: FleetView, parameters: KvCentricParameters, turn: number) {
    this.#query = query;
    this.#fleet = fleet;
    this.#parameters = parameters;
    this.#reusable = reusableSegments(query.promptTokens, query.segmentTokens);
    this.#pulls = new PullSources(query, fleet, parameters, turn);
  }

  /** Prompt tokens that the rank would compute if it ran the whole request with what it holds. */
  lackingTokens(rank: RankView): number {
    return lackingTokens(this.#query, rank);
  }

  /** Leading whole segments that need not be handed over to it. */
  handoverHeld(decode: RankView): number {
    const whole = Math.floor(this.#query.promptTokens / this.#query.segmentTokens);
    return Math.min(this.#memorySegments(decode), whole);
  }

  candidate(prefill: RankView, decode: RankView): Candidate {
    const { leg, queueMs, fetchMs } = this.prepare(prefill);
    const { handoverMs, linkMs } = this.#move(prefill, decode);
    const decodeLoadMs = this.decodeLoadMs(decode);
    const atDecodeMs = prefill === decode ? 0 : this.adapterMs(decode);
    const terms = {
      ...{ queueMs, fetchMs, prefillMs: leg.prefillMs, handoverMs, linkMs, decodeLoadMs },
      ...(this.#query.adapter !== undefined && { adapterMs: leg.adapterMs + atDecodeMs }),
    };
    const predictedTtftMs =
      queueMs + leg.adapterMs + fetchMs + leg.prefillMs + handoverMs + atDecodeMs;
    return { prefill, decode, terms, totalMs: predictedTtftMs + linkMs + decodeLoadMs };
  }

  choice({ prefill, decode, terms }: Candidate): Choice {
    const prepared = this.prepare(prefill);
    const { leg, pulls, turnSegments } = prepared;
    const readyInMs = computedInMs(prepared);
    const atDecodeMs = prefill === decode ? 0 : this.adapterMs(decode);
    const predictedTtftMs = readyInMs + terms.handoverMs + atDecodeMs;
    const times = { computedInMs: readyInMs, predictedTtftMs };
    const kvBlocks = decodeBlocks(this.#query, decode);
    if (prefill === decode) {
      const whole = { ...leg, kvBlocks };
      return { mode: 'aggregated', prefill: whole, decode: whole, pulls, ...times };
    }
    const decodeLeg: LegChoice = {
      workerId: decode.facts.workerId,
      rank: decode.rank,
      heldSegments: this.handoverHeld(decode),
      loadedSegments: 0,
      prefillTokens: 0,
      prefillMs: 0,
      adapterMs: atDecodeMs,
      kvBlocks,
    };
    const moved = { pulls, turnSegments };
    return { mode: 'disaggregated', prefill: leg, decode: decodeLeg, ...moved, ...times };
  }

  #move(prefill: RankView, decode: RankView): Pick<PairTerms, 'handoverMs' | 'linkMs'> {
    if (prefill === decode) return { handoverMs: 0, linkMs: 0 };
    const { promptTokens, segmentTokens } = this.#query;
    const lacking = promptTokens - this.handoverHeld(decode) * segmentTokens;
    const rate = this.#fleet.links.bytesPerSec(prefill.facts.workerId, decode.facts.workerId);
    const handover = this.handoverOf(prefill);
    const allMs = lacking * handover.bytesPerToken * (1_000 / rate);
    return {
      handoverMs: handoverMs(handover, allMs, 1_000 / rate),
      linkMs: allMs * handover.linkShare,
    };
  }

  /** What the rank would be busy with, were it idle now. */
  workMs(rank: RankView): number {
    return this.prepare(rank).workMs;
  }

  /** What a prefill there costs, wherever its KV goes. */
  prefillScore(rank: RankView): LegScore {
    const { leg, queueMs, fetchMs, pulls } = this.prepare(rank);
    const terms = { queueMs, fetchMs, prefillMs: leg.prefillMs, ...this.#adapterTerm(rank) };
    return { terms, cost: computedInMs(this.prepare(rank)), pulls, fetchMs };
  }

  /** What decoding there costs, wherever its KV comes from. */
  decodeScore(rank: RankView): LegScore {
    const { promptTokens, segmentTokens } = this.#query;
    const lacking = promptTokens - this.#memorySegments(rank) * segmentTokens;
    const bytes = Math.max(0, lacking) * rank.facts.layout.bytesPerToken;
    const rate = this.#fleet.links.bytesPerSec('', rank.facts.workerId);
    const terms = {
      ...{ moveMs: durationMs(bytes, rate), decodeLoadMs: this.decodeLoadMs(rank) },
      ...this.#adapterTerm(rank),
    };
    return { terms, cost: terms.moveMs + terms.decodeLoadMs + this.adapterMs(rank) };
  }

  /** Loading the request's adapter there. */
  adapterMs(rank: RankView): number {
    return adapterMs(this.#query, rank);
  }

  #adapterTerm(rank: RankView): { adapterMs?: number } {
    return this.#query.adapter === undefined ? {} : { adapterMs: this.adapterMs(rank) };
  }

  #memorySegments({ facts, rank }: RankView): number {
    return this.#query.match.rank(facts.workerId, rank).memorySegments;
  }

  prepare(rank: RankView): Preparation {
    let preparation = this.#prepared.get(rank);
    if (preparation === undefined) {
      preparation = this.#newPreparation(rank);
      this.#prepared.set(rank, preparation);
    }
    return preparation;
  }

  #newPreparation(rank: RankView): Preparation {
    const { segmentTokens, promptTokens } = this.#query;
    const { workerId } = rank.facts;
    const { hbmSegments, memorySegments, localSegments } = this.#query.match.rank(
      workerId,
      rank.rank,
    );
    const held = heldSegments(this.#query, rank);
    const fromDram = Math.max(0, Math.min(held, memorySegments) - hbmSegments);
    const loadMs = fromDram === 0 ? 0 : this.#loadMs(rank, 'dramBytesPerSec', fromDram);
    let start = this.#startOf(rank, held, 0, loadMs);
    const own = Math.min(localSegments, this.#reusable);
    if (own > held) {
      const furtherMs = loadMs + this.#lowerTiersMs(rank, held, own);
      const further = this.#startOf(rank, own, own - held, furtherMs);
      if (further.readyMs < start.readyMs) start = further;
    }
    const turn = this.#turnStart(rank, start);
    if (turn !== undefined && turn.readyMs < start.readyMs) start = turn;
    const { pull, ready, prefillMs } = start;
    return {
      leg: {
        workerId,
        rank: rank.rank,
        heldSegments: start.held,
        loadedSegments: start.loadedSegments,
        prefillTokens: promptTokens - ready * segmentTokens,
        prefillMs,
        adapterMs: this.adapterMs(rank),
        kvBlocks: promptBlocks(this.#query, rank),
      },
      pulls: pull?.parts ?? NOTHING,
      turnSegments: start.turnSegments,
      queueMs: rank.queueMs,
      fetchMs: start.fetchMs,
      workMs: this.adapterMs(rank) + start.loadMs + this.#idleMs(rank, start),
    };
  }

  /** How the prompt is begun with so many segments of the rank's own, and the best pull behind them. */
  #startOf(rank: RankView, held: number, loadedSegments: number, loadMs: number): Start {
    const { queueMs } = rank;
    const aloneMs = computeMs(this.#query, rank, held);
    const pull = this.#pulls.best(rank, held, aloneMs, queueMs);
    const ready = pull?.end ?? held;
    const prefillMs = pull === undefined ? aloneMs : computeMs(this.#query, rank, ready);
    // A pull goes on while earlier prefills run; loading is the engine's own work.
    const fetchMs = loadMs + Math.max(0, (pull?.arrivesInMs ?? 0) - queueMs);
    const readyMs = fetchMs + prefillMs;
    const isToldOnly = pull === undefined && turnSegments(this.#query, rank, held) === 0;
    const turn = { turnSegments: isToldOnly ? 0 : undefined };
    const times = { loadMs, aloneMs, prefillMs, fetchMs, readyMs };
    return { held, loadedSegments, pull, ...turn, ready, ...times };
  }

  /** The same with what a decode worker has kept of the turn before; undefined where that brings nothing. */
  #turnStart(rank: RankView, start: Start): Start | undefined {
    const { held, loadMs } = start;
    const segments = turnSegments(this.#query, rank, held);
    const { keptTurn } = this.#query;
    if (!segments || keptTurn === undefined) return undefined;
    const { workerId, layout } = rank.facts;
    const rate = this.#fleet.links.bytesPerSec(keptTurn.workerId, workerId);
    const moveMs = durationMs(segments * layout.segmentBytes, rate);
    const arrivesInMs = this.#parameters.handoverLatencyMs + moveMs;
    const ready = held + segments;
    const prefillMs = computeMs(this.#query, rank, ready);
    // The engine reads while it computes for others.
    const fetchMs = loadMs + Math.max(0, arrivesInMs - rank.queueMs);
    const readyMs = fetchMs + prefillMs;
    return {
      ...{ ...start, pull: undefined, turnSegments: segments },
      ...{ ready, prefillMs, fetchMs, readyMs },
    };
  }

  /** Pulling and computing, did the rank begin now. */
  #idleMs(rank: RankView, { held, aloneMs, pull }: Start): number {
    const whenIdle = rank.queueMs === 0 ? pull : this.#pulls.best(rank, held, aloneMs, 0);
    if (whenIdle === undefined) return aloneMs;
    return whenIdle.arrivesInMs + computeMs(this.#query, rank, whenIdle.end);
  }

  /** Loading what the rank has from one segment to another outside of what its memory holds without a gap. */
  #lowerTiersMs(rank: RankView, from: number, to: number): number {
    const runs = this.#query.match.runsOf(rank.facts.workerId, rank.rank);
    let inMemory = 0;
    let behind = 0;
    for (let at = from; at < to;) {
      const memoryEnd = Math.min(to, coveredUntil(runs, at, MEMORY));
      const end = Math.min(to, coveredUntil(runs, memoryEnd, BELOW_MEMORY));
      if (end === at) return Infinity;
      inMemory += memoryEnd - at;
      behind += end - memoryEnd;
      at = end;
    }
    return (
      this.#loadMs(rank, 'dramBytesPerSec', inMemory) + this.#loadMs(rank, 'ssdBytesPerSec', behind)
    );
  }

  /** At the rate that the rank has measured, else the one of the parameters. */
  #loadMs({ facts, reported }: RankView, rate: LoadRate, segments: number): number {
    const measured = reported?.[rate] ?? 0;
    const perSec = measured > 0 ? measured : this.#parameters[rate];
    return durationMs(segments * facts.layout.segmentBytes, perSec);
  }

  /** What is the same for all handovers of a rank. */
  handoverOf(prefill: RankView): Handover {
    const { layout, capabilities } = prefill.facts;
    return {
      latencyMs: this.#parameters.handoverLatencyMs,
      bytesPerToken: layout.bytesPerToken,
      segmentBytes: layout.segmentBytes,
      linkShare: this.#parameters.linkShare,
      hiddenMs: capabilities.overlapHandover ? this.prepare(prefill).leg.prefillMs : 0,
    };
  }

  decodeLoadMs(decode: RankView): number {
    return decode.load.streams * this.#parameters.decodeStreamMs;
  }
}

/** What handovers of one prefill cost, but for whom they go to. */
export interface Handover {
  latencyMs: number;
  bytesPerToken: number;
  segmentBytes: number;
  /** Of the time that it keeps the link, so much counts. */
  linkShare: number;
  /** Time in which segments leave while prefill still computes; 0 where they cannot. */
  hiddenMs: number;
}

/**
 * What a handover adds to the first token of the stream after prefill has ended: of the time that all of
 * it takes what prefill does not hide; the last segment cannot leave before its end.
 */
export function handoverMs(
  { latencyMs, segmentBytes, hiddenMs }: Handover,
  allMs: number,
  msPerByte: number,
): number {
  return latencyMs + Math.max(Math.min(allMs, segmentBytes * msPerByte), allMs - hiddenMs);
}
