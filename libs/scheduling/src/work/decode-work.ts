import type { DecodeLoad } from '../cost/decode-book.ts';
import type { PlacedRank } from '../policy.ts';
import { isRankOf, rankName } from '../rank-name.ts';

/** An answer that a rank is to decode. */
export interface GivenStream extends PlacedRank {
  planId: string;
  /** Prompt, and half of the predicted answer. */
  kvTokens: number;
  /** Predicted length of the answer. */
  outputTokens: number;
  /** Predicted. */
  startsAtMs: number;
}

const nothing: DecodeLoad = { streams: 0, kvTokens: 0 };

interface Stream extends GivenStream {
  /** Its first token is there. */
  hasStarted: boolean;
  /** Of its rank, when it started. */
  areas: DecodeLoad;
}

interface Line {
  streams: Set<Stream>;
  /** Those that have started. */
  now: DecodeLoad;
  /** Sums over time of what was decoded at a time: load × ms. */
  areas: DecodeLoad;
  atMs: number;
}

/** Shorter answers say more of their beginning than of the steps behind it. */
const LEAST_MEASURED_TOKENS = 8;

/** The load in which an answer grew, and its mean time between tokens. */
export interface DecodeObservation {
  load: DecodeLoad;
  ms: number;
}

/** The answers that ranks decode or will decode, as far as plans say, and what that will be at a time. */
export class DecodeWork {
  readonly #lines = new Map<string, Line>();
  readonly #plans = new Map<string, Stream>();

  give(given: GivenStream, nowMs: number): void {
    const line = this.#lineOf(rankName(given), nowMs);
    const stream = { ...given, hasStarted: false, areas: { streams: 0, kvTokens: 0 } };
    line.streams.add(stream);
    this.#plans.set(given.planId, stream);
  }

  /** Its first token is there. */
  started(planId: string, nowMs: number): void {
    const stream = this.#plans.get(planId);
    if (stream === undefined || stream.hasStarted) return;
    const line = this.#lineOf(rankName(stream), nowMs);
    stream.hasStarted = true;
    stream.startsAtMs = nowMs;
    stream.areas = { ...line.areas };
    line.now.streams += 1;
    line.now.kvTokens += stream.kvTokens;
  }

  /** It has ended. Returns what that says of the rank, when it says something. */
  ended(planId: string, outputTokens: number, nowMs: number): DecodeObservation | undefined {
    const stream = this.#plans.get(planId);
    if (stream === undefined) return undefined;
    const name = rankName(stream);
    const line = this.#lineOf(name, nowMs);
    this.#plans.delete(planId);
    line.streams.delete(stream);
    if (line.streams.size === 0) this.#lines.delete(name);
    if (!stream.hasStarted) return undefined;
    line.now.streams -= 1;
    line.now.kvTokens -= stream.kvTokens;
    const durationMs = nowMs - stream.startsAtMs;
    if (outputTokens < LEAST_MEASURED_TOKENS || durationMs <= 0) return undefined;
    const load = {
      streams: (line.areas.streams - stream.areas.streams) / durationMs,
      kvTokens: (line.areas.kvTokens - stream.areas.kvTokens) / durationMs,
    };
    return { load, ms: durationMs / (outputTokens - 1) };
  }

  /**
   * What the rank decodes now.
   *
   * @param rank by {@link rankName}
   */
  load(rank: string): Readonly<DecodeLoad> {
    return this.#lines.get(rank)?.now ?? nothing;
  }

  /**
   * What the rank will decode at a time: those who have begun by then. Who ends until then is taken to be
   * followed by another, as happens where load matters.
   *
   * @param rank by {@link rankName}
   */
  loadAt(rank: string, atMs: number): DecodeLoad {
    const load = { streams: 0, kvTokens: 0 };
    for (const { hasStarted, startsAtMs, kvTokens } of this.#lines.get(rank)?.streams ?? []) {
      if (!hasStarted && startsAtMs > atMs) continue;
      load.streams += 1;
      load.kvTokens += kvTokens;
    }
    return load;
  }

  /**
   * Until the first of the rank's answers ends; one that should have ended is expected to go on as long again as it is late,
   * but no longer than it should have taken. Infinity where there is none.
   *
   * @param rank by {@link rankName}
   * @param tbtMs between two tokens
   */
  nextEndInMs(rank: string, tbtMs: number, nowMs: number): number {
    let least = Infinity;
    for (const { hasStarted, startsAtMs, outputTokens } of this.#lines.get(rank)?.streams ?? []) {
      if (!hasStarted) continue;
      const predictedMs = outputTokens * tbtMs;
      const leftMs = startsAtMs + predictedMs - nowMs;
      least = Math.min(least, leftMs >= 0 ? leftMs : Math.min(-leftMs, predictedMs));
    }
    return least;
  }

  forgetWorker(workerId: string): void {
    for (const [name, { streams }] of this.#lines) {
      if (!isRankOf(workerId, name)) continue;
      for (const { planId } of streams) this.#plans.delete(planId);
      this.#lines.delete(name);
    }
  }

  /** With its sums brought up to now. */
  #lineOf(rank: string, nowMs: number): Line {
    let line = this.#lines.get(rank);
    if (line === undefined) {
      const none = { streams: 0, kvTokens: 0 };
      line = { streams: new Set(), now: { ...none }, areas: { ...none }, atMs: nowMs };
      this.#lines.set(rank, line);
    }
    const elapsedMs = nowMs - line.atMs;
    line.areas.streams += line.now.streams * elapsedMs;
    line.areas.kvTokens += line.now.kvTokens * elapsedMs;
    line.atMs = nowMs;
    return line;
  }
}
