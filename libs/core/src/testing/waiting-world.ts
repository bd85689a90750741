import { KEY_BYTES } from '@baton/kv';
import { PrefillWork } from '@baton/scheduling';
import { createCore, type Core } from '../core.ts';
import type { Effect, PlanAnswer, PlanRefusal } from '../effects.ts';
import type { CoreInput, KvDelta, PlanPhase, PlanRequest } from '../inputs.ts';
import type { CoreOptions } from '../options.ts';
import { FakeAgent } from './fake-agent.ts';
import { numberedKeys } from './small-fleet.ts';

const SEGMENT_TOKENS = 64;
/** Leases are longer than any test. */
const LEASE_MS = 60_000;

type Asked = Partial<Omit<PlanRequest, 'requestId'>> & { session?: string };

/**
 * A core with a fleet, for tests of who waits: workers report that prompts cost 1 ms a token, if nothing else is said,
 * and what ranks were given is reckoned beside the core.
 */
export class WaitingWorld {
  readonly core: Core;
  readonly agents: FakeAgent[];
  /** Those who have no answer. */
  readonly waiting = new Map<string, PlanRequest>();
  readonly answers = new Map<string, PlanAnswer | PlanRefusal>();
  /** Plans whose prompt is not computed, as far as was reported. */
  readonly computing = new Set<string>();
  /** Look-ups in the index. */
  matches = 0;
  nowMs = 0;
  /** As reported by every worker; 0 while none has measured anything. */
  readonly #tokensPerSec: number;
  readonly #work = new PrefillWork();
  readonly #sessions = new Map<string, string>();
  #requests = 0;
  #keys = 0;

  constructor(agents: FakeAgent[], options: Partial<CoreOptions> = {}, tokensPerSec = 1_000) {
    this.#tokensPerSec = tokensPerSec;
    this.core = createCore({
      instanceId: 'c',
      planLeaseMs: LEASE_MS,
      maxLeaseMs: LEASE_MS,
      aroundMatch: (match) => {
        this.matches += 1;
        return match();
      },
      ...options,
    });
    this.agents = agents;
    for (const agent of agents) this.beat(agent);
  }

  /** Keys that no other prompt has. */
  freshKeys(segments: number): Uint8Array {
    this.#keys += segments;
    return numberedKeys(this.#keys - segments, this.#keys);
  }

  /** Asks for a plan; the prompt is one of its own where no keys are given. Returns the request's id. */
  ask(promptTokens: number, { session = 'g1', ...asked }: Asked = {}): string {
    this.#requests += 1;
    const requestId = `r${this.#requests}`;
    const segments = Math.floor(promptTokens / SEGMENT_TOKENS);
    const request: PlanRequest = {
      requestId,
      model: 'tiny',
      segmentKeys: asked.segmentKeys?.subarray(0, segments * KEY_BYTES) ?? this.freshKeys(segments),
      promptTokens,
      maxOutputTokens: 1,
      excludeWorkers: [],
      traceparent: '',
      ...asked,
    };
    this.waiting.set(requestId, request);
    this.#sessions.set(requestId, session);
    this.#hear({ type: 'plan', sessionId: session, request });
    return requestId;
  }

  beat(agent: FakeAgent, pendingPrefillTokens = 0): void {
    const load = {
      rank: 0,
      runningSequences: 0,
      waitingSequences: 0,
      pendingPrefillTokens,
      kvUsedBlocks: 0,
      prefillTokensPerSec: this.#tokensPerSec,
      decodeTokensPerSec: 0,
      dramBytesPerSec: 0,
      ssdBytesPerSec: 0,
    };
    this.#hear({ type: 'beat', beat: agent.beat({ loads: [load], leaseMs: LEASE_MS }) });
  }

  delta(delta: KvDelta): void {
    this.#hear({ type: 'delta', delta });
  }

  leave(agent: FakeAgent): void {
    this.#work.forgetWorker(agent.facts.workerId, this.nowMs);
    this.#hear({ type: 'beat', beat: agent.beat({ state: 'leaving', leaseMs: LEASE_MS }) });
    agent.restart();
  }

  report(planId: string, phase: PlanPhase, outputTokens = 1): void {
    const isComputed = phase === 'prefilled' || phase === 'first_token';
    if (isComputed) this.#work.done(planId, this.nowMs);
    else if (phase !== 'progress') this.#work.dropped(planId, this.nowMs);
    if (phase !== 'progress') this.computing.delete(planId);
    const sessionId = this.#sessions.get(planId) ?? '';
    const report = { planId, phase, outputTokens, computedTokens: 1, ttftMs: 1, code: '' };
    this.#hear({ type: 'report', sessionId, report });
  }

  close(session: string): void {
    for (const id of [...this.#sessions].filter(([, of]) => of === session).map(([of]) => of)) {
      this.waiting.delete(id);
      this.computing.delete(id);
      this.#work.dropped(id, this.nowMs);
    }
    this.#hear({ type: 'sessionClosed', sessionId: session });
  }

  /** Whether orders reach agents. */
  bus(connected: boolean): void {
    this.#hear({ type: 'bus', connected });
  }

  tick(atMs = this.nowMs): void {
    this.nowMs = atMs;
    this.#hear({ type: 'tick' });
  }

  /** Until the rank is done with all that it was given, reckoned here. */
  queueMs(workerId: string): number {
    return this.#work.line({ workerId, rank: 0 }).queueMs(this.nowMs);
  }

  /** The prompt that is computed first, in engines that take exactly as long as predicted, and when. */
  nextEnd(): [planId: string, atMs: number] {
    let next: [string, number] = ['', Infinity];
    for (const { facts } of this.agents) {
      const [first, ...rest] = this.#work.givenToWorker(facts.workerId);
      if (first === undefined) continue;
      const restMs = rest.reduce((sum, { ms }) => sum + ms, 0);
      const atMs = this.nowMs + this.queueMs(facts.workerId) - restMs;
      if (atMs < next[1]) next = [first.planId, atMs];
    }
    return next;
  }

  plan(requestId: string): PlanAnswer | undefined {
    const answer = this.answers.get(requestId);
    return answer?.kind === 'planned' ? answer : undefined;
  }

  refusal(requestId: string): PlanRefusal | undefined {
    const answer = this.answers.get(requestId);
    return answer?.kind === 'refused' ? answer : undefined;
  }

  #hear(input: CoreInput): void {
    for (const effect of this.core.step(input, this.nowMs)) this.#act(effect);
  }

  #act(effect: Effect): void {
    if (effect.type !== 'planReply') return;
    const { reply, sessionId } = effect;
    this.answers.set(reply.requestId, reply);
    const request = this.waiting.get(reply.requestId);
    this.waiting.delete(reply.requestId);
    if (reply.kind === 'refused') return;
    const { planId } = reply;
    const choice = this.core.view.plan(planId)?.choice;
    if (choice === undefined || request === undefined) throw new Error(`no plan ${planId}`);
    this.computing.add(planId);
    this.#sessions.set(planId, sessionId);
    const { workerId, rank, heldSegments, prefillTokens, prefillMs } = choice.prefill;
    const prefill = {
      planId,
      workerId,
      rank,
      keys: request.segmentKeys,
      readySegments: heldSegments,
      contextTokens: 0,
      newTokens: prefillTokens,
      ms: prefillMs,
      delayMs: 10,
      isFetching: false,
    };
    this.#work.give(prefill, this.nowMs);
  }
}

/** Workers with room for everything that tests ask of decode. */
export function roomyAgent(workerId: string, role: 'prefill' | 'decode' | 'both'): FakeAgent {
  const limits = { kvCapacityBlocks: 100_000, maxSequences: 100_000, maxModelTokens: 1e6 };
  return new FakeAgent({ workerId, role, ...limits });
}
