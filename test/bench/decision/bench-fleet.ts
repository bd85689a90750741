import { sampleBeat, type RankLoad, type Role } from '@baton/cluster';
import { createCore, type Core, type Effect, type PlanRequest } from '@baton/core';
import { KEY_BYTES, SeededRandom, Tier } from '@baton/kv';
import { randomFillSync } from 'node:crypto';

const WORKERS = 64;
const REPLICAS = 1_000_000;
/** Prompts of 8,192 tokens: a system prompt that all share, and one of many documents. */
const PROMPT_SEGMENTS = 128;
const SYSTEM_SEGMENTS = 16;
const SEGMENT_TOKENS = 64;
const DOCUMENTS = 7_800;
/** Of the requests, so many ask about a document that nobody has seen. */
const NEW_SHARE = 0.1;
const QUESTION_TOKENS = 20;
/** The way to an engine. */
const DISPATCH_MS = 10;
const MODEL = 'tiny';

export interface Step {
  us: number;
  planned: number;
}

interface Running {
  planId: string;
  endsAtMs: number;
}

/**
 * 32 prefill and 32 decode workers whose caches together hold a million segments, and a conductor's core
 * that has heard of all of them. Engines take as long as predicted.
 */
export class BenchFleet {
  readonly core: Core;
  nowMs = 0;
  #running: Running[] = [];
  #requests = 0;
  readonly #random = new SeededRandom(12_345);
  readonly #deltas = new Array<number>(WORKERS).fill(0);
  readonly #system = randomKeys(SYSTEM_SEGMENTS);
  readonly #documents = Array.from({ length: DOCUMENTS }, () =>
    randomKeys(PROMPT_SEGMENTS - SYSTEM_SEGMENTS),
  );

  constructor(policy: string) {
    this.core = createCore({
      instanceId: 'bench',
      maxLivePlans: 1e6,
      maxWaiting: 1e6,
      maxWaitMs: 1e9,
      keptPlans: 64,
    });
    this.core.treat(undefined, { policy: policy as 'kv-centric' });
    this.beats();
    for (let worker = 0; worker < WORKERS; worker += 1) this.#fill(worker);
  }

  /** Every worker reports its load. */
  beats(): void {
    for (let worker = 0; worker < WORKERS; worker += 1) {
      const facts = {
        workerId: workerId(worker),
        role: roleOf(worker),
        kvCapacityBlocks: 1e6,
        maxSequences: 1e6,
        maxModelTokens: 1e6,
      };
      const lastDeltaSeq = this.#deltas[worker] as number;
      const beat = sampleBeat(facts, { loads: [load], leaseMs: 60_000, lastDeltaSeq });
      this.core.step({ type: 'beat', beat }, this.nowMs);
    }
  }

  /** A request arrives; microseconds of the step, and how many requests it planned. */
  arrive(): Step {
    const request = this.#request();
    return this.#timed(() => this.core.step({ type: 'plan', sessionId: 's', request }, this.nowMs));
  }

  /** The prefill that ends next does, and its worker is given others. Undefined when nothing runs. */
  endOne(): Step | undefined {
    const next = this.#running.reduce<Running | undefined>(
      (first, one) => (first === undefined || one.endsAtMs < first.endsAtMs ? one : first),
      undefined,
    );
    if (next === undefined) return undefined;
    this.#running = this.#running.filter((one) => one !== next);
    this.nowMs = Math.max(this.nowMs, next.endsAtMs);
    const { planId } = next;
    const report = { planId, outputTokens: 1, computedTokens: 1, ttftMs: 1, code: '' } as const;
    const tell = (phase: 'first_token' | 'finished'): Effect[] =>
      this.core.step({ type: 'report', sessionId: 's', report: { ...report, phase } }, this.nowMs);
    const step = this.#timed(() => tell('first_token'));
    this.#note(tell('finished'));
    return step;
  }

  get waiting(): number {
    return this.core.view.plans().waiting;
  }

  #timed(step: () => Effect[]): Step {
    const startedAt = performance.now();
    const effects = step();
    const us = (performance.now() - startedAt) * 1_000;
    return { us, planned: this.#note(effects) };
  }

  /** How many requests were planned. */
  #note(effects: readonly Effect[]): number {
    let planned = 0;
    for (const effect of effects) {
      if (effect.type !== 'planReply') continue;
      planned += 1;
      const { reply } = effect;
      if (reply.kind === 'refused') throw new Error(`refused: ${reply.code} ${reply.message}`);
      this.#running.push({
        planId: reply.planId,
        endsAtMs: this.nowMs + DISPATCH_MS + reply.predictedTtftMs,
      });
    }
    return planned;
  }

  #request(): PlanRequest {
    this.#requests += 1;
    const isNew = this.#random.share() < NEW_SHARE;
    const known = this.#random.oneOf(this.#documents);
    const document = isNew ? randomKeys(PROMPT_SEGMENTS - SYSTEM_SEGMENTS) : known;
    return {
      requestId: `r${this.#requests}`,
      model: MODEL,
      segmentKeys: Buffer.concat([this.#system, document]),
      promptTokens: PROMPT_SEGMENTS * SEGMENT_TOKENS + QUESTION_TOKENS,
      maxOutputTokens: 100,
      excludeWorkers: [],
      traceparent: '',
    };
  }

  #fill(worker: number): void {
    const perWorker = REPLICAS / WORKERS;
    for (let held = 0; held < perWorker; held += PROMPT_SEGMENTS - SYSTEM_SEGMENTS) {
      const document = this.#random.oneOf(this.#documents);
      const seq = (this.#deltas[worker] as number) + 1;
      this.#deltas[worker] = seq;
      const keys = held === 0 ? Buffer.concat([this.#system, document]) : document;
      const ops = [{ kind: 'store', tier: Tier.HBM, rank: 0, keys } as const];
      const epoch = { startedAtMs: 1, nonce: 0 };
      const delta = { workerId: workerId(worker), epoch, seq, ops };
      this.core.step({ type: 'delta', delta }, this.nowMs);
      while (this.core.hasWork) this.core.step({ type: 'work' }, this.nowMs);
    }
  }
}

const load: RankLoad = {
  rank: 0,
  runningSequences: 0,
  waitingSequences: 0,
  pendingPrefillTokens: 0,
  kvUsedBlocks: 0,
  prefillTokensPerSec: 10_000,
  decodeTokensPerSec: 100,
  dramBytesPerSec: 0,
  ssdBytesPerSec: 0,
};

function workerId(worker: number): string {
  return `worker-${worker}`;
}

function roleOf(worker: number): Role {
  return worker % 2 === 0 ? 'prefill' : 'decode';
}

function randomKeys(segments: number): Uint8Array {
  return randomFillSync(new Uint8Array(segments * KEY_BYTES));
}
