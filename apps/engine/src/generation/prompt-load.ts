import { KEY_BYTES } from '@baton/kv';
import type { baton } from '@baton/proto';
import type { AgentBridge, LoadOutcome } from '../agent/agent-bridge.ts';
import type { InferenceCommand } from '../core/inference-port.ts';

/** Silence after which a prefix counts as missing: computing it is then the better deal. */
const PREFIX_LOAD_TIMEOUT_MS = 2_000;
/** Silence after which a handover has failed. The prefill before it may be long and may have to wait its turn. */
const HANDOVER_TIMEOUT_MS = 120_000;

export interface PromptLoadOptions {
  requestId: string;
  planId: string;
  handover: boolean;
  promptTokens: number;
  /** Leading prompt tokens that are there once prefix transfers of the plan are done. */
  prefixTokens: number;
  /** Tokens after the prompt that are known and will be computed. */
  resumeTokens: number;
  segmentTokens: number;
  /** Packed keys of the prompt's whole segments. */
  segmentKeys: Uint8Array;
  agent: AgentBridge | undefined;
  send(command: Exclude<InferenceCommand, { type: 'submit' }>): void;
}

/**
 * Brings into the engine's cache what the agent has of a prompt: after `held` asks for the rest, passes each page on to
 * the inference thread, gives it back when it is read, and tells the thread when no more will come.
 */
export class PromptLoad {
  readonly #options: PromptLoadOptions;
  readonly #transferred = new Set<number>();
  #linkId = -1;
  #firstSegment = 0;
  #transferredTokens = 0;
  #tailTokens = 0;
  #tailPage: number | undefined;
  #state: baton.v1.ISequenceState | undefined;

  constructor(options: PromptLoadOptions) {
    this.#options = options;
  }

  /** Prompt tokens that came over a transfer of this plan, tail included. */
  get transferredTokens(): number {
    return this.#transferredTokens + this.#tailTokens;
  }

  /** Output tokens that the other engine sampled; known once a handover is complete. */
  get handedTokens(): Int32Array {
    return Int32Array.from(this.#state?.outputTokenIds ?? []);
  }

  /** The inference thread has said what it holds. */
  begin(heldSegments: number): void {
    const { agent, requestId, planId, handover } = this.#options;
    this.#firstSegment = heldSegments;
    const count = this.#wantedSegments() - heldSegments;
    if (!agent?.responsive || (count <= 0 && !handover)) {
      this.#end({ status: 'missing', message: 'no agent to load from' });
      return;
    }
    this.#linkId = agent.linkId;
    const { segmentKeys, prefixTokens, segmentTokens } = this.#options;
    const start = heldSegments * KEY_BYTES;
    const prefixSegments = Math.floor(prefixTokens / segmentTokens) - heldSegments;
    const expectedSegments = Math.max(0, Math.min(prefixSegments, count));
    // An agent waits for the orders of a plan that it is told of; where none was made, what it holds is all there is.
    const hasOrder = handover || expectedSegments > 0;
    agent.load(
      {
        requestId,
        planId: hasOrder ? planId : '',
        keys: segmentKeys.subarray(start, start + Math.max(count, 0) * KEY_BYTES),
        expectedSegments,
        firstSegment: heldSegments,
        handover,
        timeoutMs: handover ? HANDOVER_TIMEOUT_MS : PREFIX_LOAD_TIMEOUT_MS,
      },
      {
        onSegment: (segment) => {
          const index = this.#firstSegment + segment.index;
          if (segment.transferred) this.#transferred.add(index);
          const { page, bytes } = segment;
          this.#options.send({ type: 'importSegment', requestId, index, page, bytes });
        },
        onEnd: (outcome) => this.#end(outcome),
      },
    );
  }

  /** The thread has read a page, or refused its bytes. */
  imported(event: { index: number; page: number; ok: boolean }): void {
    const { agent, requestId, segmentTokens } = this.#options;
    if (event.ok && this.#transferred.has(event.index)) this.#transferredTokens += segmentTokens;
    agent?.send({ release: { requestId, pages: [event.page] } }, this.#linkId);
  }

  /** The thread has read the tail: its page goes back, too. */
  tailRead(): void {
    if (this.#tailPage === undefined) return;
    const { agent, requestId } = this.#options;
    agent?.send({ release: { requestId, pages: [this.#tailPage] } }, this.#linkId);
    this.#tailPage = undefined;
  }

  /** Nothing that the agent still sends for this request matters. */
  forget(): void {
    this.#options.agent?.forgetLoad(this.#options.requestId);
  }

  /** A prefix never covers the last known token, whose logits are needed; a handover brings what follows from it. */
  #wantedSegments(): number {
    const { promptTokens, resumeTokens, segmentTokens, handover } = this.#options;
    const known = handover ? promptTokens : promptTokens + resumeTokens - 1;
    return Math.floor(Math.min(promptTokens, known) / segmentTokens);
  }

  #end(outcome: LoadOutcome): void {
    const { requestId, handover, promptTokens, segmentTokens, send } = this.#options;
    if (!handover) return send({ type: 'loadEnded', requestId });
    const tail = outcome.status === 'complete' ? outcome.tail : undefined;
    const failure =
      outcome.status === 'complete'
        ? this.#wrongState(tail?.state ?? undefined)
        : `${outcome.status}: ${outcome.message}`;
    if (!tail || failure !== undefined) {
      return send({ type: 'loadEnded', requestId, failure: failure ?? 'no tail' });
    }
    this.#state = tail.state ?? undefined;
    this.#tailTokens = promptTokens % segmentTokens;
    this.#tailPage = (tail.bytes ?? 0) > 0 ? (tail.page ?? 0) : undefined;
    return send({
      type: 'loadEnded',
      requestId,
      tail: {
        page: tail.page ?? 0,
        bytes: tail.bytes ?? 0,
        state: {
          promptTokens,
          outputTokens: this.handedTokens,
          seed: this.#state?.seed ?? 0,
        },
      },
    });
  }

  #wrongState(state: baton.v1.ISequenceState | undefined): string | undefined {
    const { promptTokens } = this.#options;
    if (!state) return 'the handover has no state';
    if (state.promptTokens !== promptTokens) {
      return `the handover is for ${state.promptTokens} prompt tokens, not ${promptTokens}`;
    }
    return (state.outputTokenIds ?? []).length > 0 ? undefined : 'the handover has no token';
  }
}
