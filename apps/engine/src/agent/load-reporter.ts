import type { InferenceLoad } from '../core/inference-port.ts';
import type { AgentBridge } from './agent-bridge.ts';

/** How often the agent hears of a load that changes. */
const LOAD_REPORT_MS = 250;

/** Tells the agent the engine's load, when it has changed and when the agent is new. */
export class LoadReporter {
  readonly #agent: AgentBridge;
  readonly #load: () => InferenceLoad;
  readonly #timer: NodeJS.Timeout;
  #last = '';

  constructor(agent: AgentBridge, load: () => InferenceLoad) {
    this.#agent = agent;
    this.#load = load;
    this.#timer = setInterval(() => this.#report(), LOAD_REPORT_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #report(): void {
    const load = this.#load();
    const now = JSON.stringify([this.#agent.linkId, load]);
    if (now === this.#last) return;
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
        },
      },
    });
    if (sent) this.#last = now;
  }
}
