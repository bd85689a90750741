import type { AgentBridge } from '../agent/agent-bridge.ts';
import type {
  GenerationRequest,
  InferenceCommand,
  PromptAccounting,
} from '../core/inference-port.ts';
import { AsyncQueue } from './async-queue.ts';
import type { InferenceClient, RequestEvent } from './inference-client.ts';
import { legName } from './legs.ts';
import type { Leg } from './legs.ts';
import { PromptExport } from './prompt-export.ts';
import { PromptLoad } from './prompt-load.ts';

/** A request as the front has it; the rest of a {@link GenerationRequest} follows from its leg. */
export interface RunRequest extends Omit<
  GenerationRequest,
  'resumeTokens' | 'load' | 'handover' | 'exportFromSegment'
> {
  leg: Leg;
  /** W3C trace context that the request brought. */
  traceparent: string | undefined;
}

export type TokenEvent = Extract<RequestEvent, { type: 'token' }>;
export type EndedEvent = Extract<RequestEvent, { type: 'ended' }>;
export type RunOutput = TokenEvent | EndedEvent;

/** Where the prompt's tokens came from; the three sum to the prompt. */
export interface TokenAccounting {
  promptTokens: number;
  reusedTokens: number;
  transferredTokens: number;
  computedTokens: number;
}

export type RunOutcome = 'finished' | 'aborted' | 'failed';

/** Told what happens to a run, in order; must not throw. */
export interface RunObserver {
  submitted(run: RequestRun): void;
  /** The prompt's KV is there and, on legs that compute it, the first token is sampled. */
  prefilled(run: RequestRun, computeMs: number): void;
  token(run: RequestRun): void;
  ended(run: RequestRun, event: EndedEvent): void;
}

export interface RunContext {
  inference: InferenceClient;
  agent: AgentBridge | undefined;
  segmentTokens: number;
  observers: readonly RunObserver[];
}

/**
 * One request on its way through inference thread and agent. Tokens come out of `outputs`, `ended` last; whatever
 * happens, the agent is told that the request is over after the thread has let go of its pages.
 */
export class RequestRun {
  readonly request: RunRequest;
  readonly outputs = new AsyncQueue<RunOutput>();
  readonly #context: RunContext;
  readonly #load: PromptLoad;
  readonly #export: PromptExport | undefined;
  #accounting: PromptAccounting | undefined;
  #outputTokens = 0;
  #firstSampled: number | undefined;
  #stoppedHere = false;
  /** Whether the thread waits for what the agent has; decided once, the agent may come and go. */
  readonly #loads: boolean;
  #over = false;

  constructor(request: RunRequest, context: RunContext) {
    this.request = request;
    this.#context = context;
    const { requestId, leg, promptTokens, segmentKeys } = request;
    const { agent, segmentTokens } = context;
    const shared = {
      requestId,
      planId: leg.planId,
      prefixTokens: leg.prefixTokens,
      promptTokens: promptTokens.length,
      segmentTokens,
      segmentKeys,
      send: (command: Exclude<InferenceCommand, { type: 'submit' }>) => this.#send(command),
    };
    this.#loads = leg.kind === 'decode' || agent?.responsive === true;
    const resumeTokens = leg.kind === 'recompute' ? leg.resumeTokens.length : 0;
    this.#load = new PromptLoad({
      ...shared,
      resumeTokens,
      handover: leg.kind === 'decode',
      agent,
    });
    if (leg.kind === 'prefill' && agent?.responsive) {
      const firstSegment = Math.min(
        Math.floor(leg.decodeHeldTokens / segmentTokens),
        Math.floor(promptTokens.length / segmentTokens),
      );
      this.#export = new PromptExport({ ...shared, firstSegment, agent });
    }
    this.#outputTokens = resumeTokens;
  }

  /** Tokens sampled elsewhere before this leg; for a handover known once it has started. */
  get earlierTokens(): Int32Array {
    const { leg } = this.request;
    return leg.kind === 'recompute' ? leg.resumeTokens : this.#load.handedTokens;
  }

  /** Output tokens of the whole request so far, those sampled elsewhere included. */
  get outputTokens(): number {
    return Math.max(this.#outputTokens, this.earlierTokens.length);
  }

  /** Prompt tokens that the engine's own cache held. */
  get localTokens(): number {
    return this.#accounting?.heldTokens ?? 0;
  }

  /** What a prefill leg hands over: its one token, once it is sampled. */
  get sampledTokens(): number[] {
    return this.#firstSampled === undefined ? [] : [this.#firstSampled];
  }

  get accounting(): TokenAccounting {
    const promptTokens = this.request.promptTokens.length;
    const computedTokens = this.#accounting?.computedTokens ?? 0;
    const transferredTokens = this.#load.transferredTokens;
    const reusedTokens = Math.max(0, promptTokens - computedTokens - transferredTokens);
    return { promptTokens, reusedTokens, transferredTokens, computedTokens };
  }

  /** @throws BatonError when the inference thread is dead. */
  begin(): void {
    this.#context.inference.submit(this.#generationRequest(), (event) => this.#receive(event));
    for (const observer of this.#context.observers) observer.submitted(this);
    this.#export?.begin();
  }

  /** The client has what it wants (a stop string): ends the run as finished. */
  finish(): void {
    this.#stoppedHere = true;
    this.#cancel();
  }

  /** The client went away. */
  abort(): void {
    this.#cancel();
  }

  /** How a run that ended this way is counted. */
  outcomeOf(event: EndedEvent): RunOutcome {
    if (event.outcome === 'failed') return 'failed';
    return event.outcome === 'aborted' && !this.#stoppedHere ? 'aborted' : 'finished';
  }

  #generationRequest(): GenerationRequest {
    const { leg, ...request } = this.request;
    const { requestId, promptTokens, rootKey, segmentKeys, sampling, maxOutputTokens, ignoreEos } =
      request;
    return {
      requestId,
      promptTokens,
      rootKey,
      segmentKeys,
      sampling,
      maxOutputTokens,
      ignoreEos,
      resumeTokens: leg.kind === 'recompute' ? leg.resumeTokens : new Int32Array(),
      load: this.#loads,
      handover: leg.kind === 'decode',
      exportFromSegment: this.#export?.firstSegment,
    };
  }

  #cancel(): void {
    if (!this.#over) this.#send({ type: 'cancel', requestId: this.request.requestId });
  }

  #send(command: Exclude<InferenceCommand, { type: 'submit' }>): void {
    this.#context.inference.send(command);
  }

  #receive(event: RequestEvent): void {
    switch (event.type) {
      case 'held':
        return this.#loads ? this.#load.begin(event.segments) : undefined;
      case 'imported':
        return this.#load.imported(event);
      case 'exported':
        return this.#export?.exported(event);
      case 'prefilled':
        this.#accounting = event.accounting;
        this.#load.tailRead();
        this.#export?.prefilled(event);
        for (const observer of this.#context.observers) observer.prefilled(this, event.computeMs);
        return undefined;
      case 'token':
        this.#outputTokens = event.outputIndex + 1;
        this.#firstSampled ??= event.token;
        for (const observer of this.#context.observers) observer.token(this);
        return this.outputs.push(event);
      case 'ended':
        return this.#end(event);
    }
  }

  #end(event: EndedEvent): void {
    this.#over = true;
    this.#load.forget();
    this.#accounting ??= event.accounting;
    const { requestId, leg } = this.request;
    const { promptTokens, reusedTokens, transferredTokens, computedTokens } = this.accounting;
    this.#context.agent?.send({
      ended: {
        requestId,
        planId: leg.planId,
        leg: legName(leg),
        outcome: this.outcomeOf(event),
        promptTokens,
        reusedTokens,
        transferredTokens,
        computedTokens,
        outputTokens: this.outputTokens,
      },
    });
    for (const observer of this.#context.observers) observer.ended(this, event);
    this.outputs.push(event);
  }
}
