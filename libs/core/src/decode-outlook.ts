import { canDecode, type WorkerRecord } from '@baton/cluster';
import type { Match } from '@baton/index';
import {
  DecodeBook,
  DecodeWork,
  prefillMs,
  RecentMean,
  type Choice,
  type FleetView,
  type LearnedDecodeCost,
  type PlanQuery,
  type RankView,
  type TbtObjective,
} from '@baton/scheduling';
import { computing, kindOf } from './fleet-views.ts';
import type { PlanRequest } from './inputs.ts';
import type { CoreOptions } from './options.ts';
import type { PlanRecord } from './plan-book.ts';

/** What ranks will decode when a prompt is computed, and how quickly tokens will come then. */
export class DecodeOutlook {
  readonly #options: CoreOptions;
  readonly #costs = new DecodeBook();
  readonly #work = new DecodeWork();
  readonly #outputs = new RecentMean();

  constructor(options: CoreOptions) {
    this.#options = options;
  }

  /** Name of what predicts the lengths of answers. */
  get predictor(): string {
    return this.#outputs.name;
  }

  learned(): LearnedDecodeCost[] {
    return this.#costs.learned();
  }

  /**
   * What is promised of the time between tokens; undefined where nothing is. Decode is taken to begin when
   * the quickest rank could have computed the prompt.
   *
   * @param modelSloMs ms; Infinity for none
   */
  objective(
    request: PlanRequest,
    modelSloMs: number,
    fleet: FleetView,
    match: Match,
    segmentTokens: number,
    nowMs: number,
  ): TbtObjective | undefined {
    const { model, promptTokens, maxOutputTokens, tbtSloMs: sloMs = modelSloMs } = request;
    if (sloMs === Infinity) return undefined;
    const held = Math.min(match.knownSegments * segmentTokens, promptTokens - 1);
    const soonestMs = computing(fleet).reduce(
      (least, { cost, queueMs }) =>
        Math.min(least, queueMs + prefillMs(cost, promptTokens - held, held)),
      Infinity,
    );
    const isPredicted = this.#options.decodeLoad === 'predicted';
    const atMs = nowMs + this.#options.dispatchDelayMs + soonestMs;
    const kvTokens = this.#kvTokens(model, promptTokens, maxOutputTokens);
    const predictedMs = ({ name, facts, foreign }: RankView): number | undefined => {
      const load = isPredicted ? this.#work.loadAt(name, atMs) : this.#work.load(name);
      return this.#costs.tbtMs(kindOf(facts), {
        streams: load.streams + foreign.streams + 1,
        kvTokens: load.kvTokens + foreign.kvBlocks * facts.layout.blockTokens + kvTokens,
      });
    };
    return { sloMs, predictedMs };
  }

  give(planId: string, model: string, query: PlanQuery, choice: Choice): void {
    const { promptTokens, maxOutputTokens, nowMs } = query;
    const { workerId, rank } = choice.decode;
    const startsAtMs = nowMs + this.#options.dispatchDelayMs + choice.predictedTtftMs;
    const outputTokens = this.#outputs.predict(model, maxOutputTokens);
    const kvTokens = this.#kvTokens(model, promptTokens, maxOutputTokens);
    this.#work.give({ planId, workerId, rank, kvTokens, outputTokens, startsAtMs }, nowMs);
  }

  /** Until the first answer ends that a rank of the fleet decodes; Infinity while no time between tokens was measured. */
  nextEndInMs({ ranks }: FleetView, nowMs: number): number {
    return ranks.reduce((least, { name, facts, state }) => {
      const tbtMs = this.#costs.tbtMs(kindOf(facts), this.#work.load(name));
      if (tbtMs === undefined || state !== 'ready' || !canDecode(facts)) return least;
      return Math.min(least, this.#work.nextEndInMs(name, tbtMs, nowMs));
    }, Infinity);
  }

  /** The first token of a plan is there. */
  started(planId: string, nowMs: number): void {
    this.#work.started(planId, nowMs);
  }

  /**
   * What an answer that came to its end took is learned.
   *
   * @param worker that decoded it; undefined when it is gone
   */
  ended(plan: PlanRecord, worker: WorkerRecord | undefined, nowMs: number): void {
    const observed = this.#work.ended(plan.planId, plan.outputTokens, nowMs);
    if (plan.state !== 'finished') return;
    this.#outputs.observe(plan.model, plan.outputTokens);
    if (worker === undefined || observed === undefined) return;
    this.#costs.observe(kindOf(worker.facts), observed.load, observed.ms);
  }

  forgetWorker(workerId: string): void {
    this.#work.forgetWorker(workerId);
  }

  /** While the answer grows: the prompt, and half of what is predicted. */
  #kvTokens(model: string, promptTokens: number, maxOutputTokens: number): number {
    return promptTokens + this.#outputs.predict(model, maxOutputTokens) / 2;
  }
}
