import { setTimeout as delay } from 'node:timers/promises';
import { lookAtAdapters, type EngineAccess } from '@baton/engine-clients';
import { toBatonError } from '@baton/kv';
import type { EngineAdapters } from '@baton/worker-knowledge';
import type { AgentLog } from './agent-log.ts';
import { ADAPTER_ANSWER_MS, ADAPTER_LOOK_MS } from './core/agent-limits.ts';

export interface AdapterWatchOptions {
  engineUrl: string;
  access: EngineAccess;
  /** What is found goes there. */
  adapters: EngineAdapters;
  log: AgentLog;
  signal: AbortSignal;
}

/** Looks again and again at which LoRA adapters a vLLM has: its connector hears of one with its first request. */
export class AdapterWatch {
  readonly #options: AdapterWatchOptions;
  #said = '';

  constructor(options: AdapterWatchOptions) {
    this.#options = options;
  }

  /** Until the engine has gone or the signal is aborted; never rejects. */
  async run(isThere: () => boolean): Promise<void> {
    const { signal } = this.#options;
    while (isThere() && !signal.aborted) {
      await delay(ADAPTER_LOOK_MS, undefined, { signal, ref: false }).catch(() => undefined);
      if (isThere() && !signal.aborted) await this.look();
    }
  }

  /** What is known stays when the engine does not answer; never rejects. */
  async look(): Promise<void> {
    const { engineUrl, access, adapters, log, signal } = this.#options;
    try {
      const asked = { engineUrl, access, timeoutMs: ADAPTER_ANSWER_MS, signal };
      adapters.heard('vllm', await lookAtAdapters(asked));
      this.#said = '';
    } catch (error) {
      if (signal.aborted) return;
      const { message } = toBatonError(error);
      const fields = { event: 'adapters_unknown', engineUrl };
      if (message !== this.#said) log.info(fields, `its LoRA adapters are not known: ${message}`);
      this.#said = message;
    }
  }
}
