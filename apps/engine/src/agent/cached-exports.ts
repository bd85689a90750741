import { KEY_BYTES } from '@baton/kv';
import type { InferenceClient, SharedEvent } from '../generation/inference-client.ts';
import type { AgentBridge } from './agent-bridge.ts';

/** Exports that the agent may have asked for at once; more are answered with nothing. */
const MAX_OPEN_EXPORTS = 256;

/** Answers the agent's wish for segments that only the engine's own cache holds. */
export class CachedExports {
  readonly #inference: InferenceClient;
  readonly #agent: AgentBridge;
  /** Export → link on which it was asked for: its pages mean nothing on another one. */
  readonly #open = new Map<string, number>();

  constructor(inference: InferenceClient, agent: AgentBridge) {
    this.#inference = inference;
    this.#agent = agent;
    inference.onShared((event) => {
      if (event.type === 'cachedExported') this.#done(event);
    });
  }

  begin(request: { exportId: string; keys: Uint8Array; pages: number[] }): void {
    const { exportId, keys, pages } = request;
    const isSound = keys.length === pages.length * KEY_BYTES;
    if (!isSound || this.#open.size >= MAX_OPEN_EXPORTS || this.#inference.death !== undefined) {
      this.#agent.send({ exportReply: { exportId, exported: 0 } });
      return;
    }
    this.#open.set(exportId, this.#agent.linkId);
    this.#inference.send({ type: 'exportCached', exportId, keys, pages });
  }

  #done(event: Extract<SharedEvent, { type: 'cachedExported' }>): void {
    const { exportId, segments } = event;
    const linkId = this.#open.get(exportId);
    if (linkId === undefined) return;
    this.#open.delete(exportId);
    for (const { key, page, bytes, checksum } of segments) {
      this.#agent.send(
        { commit: { requestId: exportId, planId: '', key, page, bytes, checksum } },
        linkId,
      );
    }
    this.#agent.send({ exportReply: { exportId, exported: segments.length } }, linkId);
  }
}
