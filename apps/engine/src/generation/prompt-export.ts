import { KEY_BYTES } from '@baton/kv';
import type { AgentBridge, ReservedPages } from '../agent/agent-bridge.ts';
import type { InferenceCommand } from '../core/inference-port.ts';
import type { RequestEvent } from './inference-client.ts';

export interface PromptExportOptions {
  requestId: string;
  planId: string;
  promptTokens: number;
  segmentTokens: number;
  segmentKeys: Uint8Array;
  /** Segments before this one are known to be on the other side. */
  firstSegment: number;
  agent: AgentBridge;
  send(command: Exclude<InferenceCommand, { type: 'submit' }>): void;
}

type Exported = Extract<RequestEvent, { type: 'exported' }>;
type Prefilled = Extract<RequestEvent, { type: 'prefilled' }>;

/**
 * Hands a prompt's KV to the agent while it is computed: asks for pages, passes them to the inference thread, and
 * reports each one that is filled, the handover's tail and state last. When there are no pages or the agent goes away,
 * prefill goes on without it.
 */
export class PromptExport {
  readonly #options: PromptExportOptions;
  readonly #linkId: number;
  #granted = false;

  constructor(options: PromptExportOptions) {
    this.#options = options;
    this.#linkId = options.agent.linkId;
  }

  get firstSegment(): number {
    return this.#options.firstSegment;
  }

  begin(): void {
    const { requestId, planId, segmentKeys, firstSegment, agent } = this.#options;
    const keys = segmentKeys.subarray(firstSegment * KEY_BYTES);
    const request = { requestId, planId, keys, tail: this.#hasTail() };
    agent.reserve(request, (reply) => this.#grant(reply));
  }

  exported(event: Exported): void {
    const { requestId, planId, agent } = this.#options;
    const { key, page, bytes, checksum } = event;
    agent.send({ commit: { requestId, planId, key, page, bytes, checksum } }, this.#linkId);
  }

  prefilled(event: Prefilled): void {
    const { requestId, planId, agent } = this.#options;
    if (!this.#granted || !event.tail) return;
    const { page, bytes, checksum, state } = event.tail;
    const tail = {
      page,
      bytes,
      checksum,
      state: {
        promptTokens: state.promptTokens,
        outputTokenIds: Array.from(state.outputTokens),
        seed: state.seed,
      },
    };
    agent.send({ handoverReady: { requestId, planId, tail } }, this.#linkId);
  }

  #grant(reply: ReservedPages | undefined): void {
    const { requestId, firstSegment, agent, send } = this.#options;
    const isCurrent = agent.linkId === this.#linkId && agent.connected;
    this.#granted = reply !== undefined && isCurrent;
    send({
      type: 'granted',
      requestId,
      firstSegment,
      pages: this.#granted ? (reply?.pages ?? []) : [],
      tailPage: this.#granted && this.#hasTail() ? reply?.tailPage : undefined,
    });
  }

  #hasTail(): boolean {
    return this.#options.promptTokens % this.#options.segmentTokens !== 0;
  }
}
