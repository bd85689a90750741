import { LINK_WORD_MS } from '@baton/engine-link';
import type { InferenceLoad } from '../core/inference-port.ts';
import type { AgentBridge } from './agent-bridge.ts';

/** How often the agent hears of a load that changes. */
const LOAD_REPORT_MS = 250;
/** Of one that does not: for the agent, an engine that says nothing is hung. A timer may be late. */
const REPEAT_MS = LINK_WORD_MS - LOAD_REPORT_MS;

/** Tells the agent the engine's load: at once when the agent is new, soon when it has changed, and again and again. */
export class LoadReporter {
  readonly #agent: AgentBridge;
  readonly #load: () => InferenceLoad;
  readonly #timer: NodeJS.Timeout;
  #last = '';
  #saidAtMs = -Infinity;

  constructor(agent: AgentBridge, load: () => InferenceLoad) {
    this.#agent = agent;
    this.#load = load;
    this.#timer = setInterval(() => this.report(), LOAD_REPORT_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Does nothing when there is nothing new and the last word is not long ago. */
  report(): void {
    const load = this.#load();
    const now = JSON.stringify([this.#agent.linkId, load]);
    const nowMs = performance.now();
    if (now === this.#last && nowMs - this.#saidAtMs < REPEAT_MS) return;
    const sent = this.#agent.send({
      load: {
        load: {
          rank: 0,
          runningSequences: load.running,
          waitingSequences: load.waiting,
          pendingPrefillTokens: load.pendingPrefillTokens,
          kvUsedBlocks: load.usedBlocks,
          prefillTokensPerSec: load.prefillTokensPerSec,
          decodeTokensPerSec: load.decodeTokensPerSec,
          dramBytesPerSec: load.dramBytesPerSec,
        },
      },
    });
    if (!sent) return;
    this.#last = now;
    this.#saidAtMs = nowMs;
  }
}
