import { setTimeout as delay } from 'node:timers/promises';
import { probeEngine, type EngineAccess } from '@baton/engine-clients';
import { toBatonError } from '@baton/kv';
import type { EngineHello } from '@baton/proto';
import type { AgentLog } from './agent-log.ts';
import { ASK_ENGINE_MS } from './core/agent-limits.ts';

/** Finds out how engines cut texts that cannot say it themselves, by their API: keys begin with it. */
export class EngineTokenizer {
  readonly #access: EngineAccess;
  readonly #log: AgentLog;
  readonly #signal: AbortSignal;

  constructor(access: EngineAccess, log: AgentLog, signal: AbortSignal) {
    this.#access = access;
    this.#log = log;
    this.#signal = signal;
  }

  /** The hello with its tokenization; undefined when the engine has gone before it was known, or this agent ends. */
  async complete(hello: EngineHello, isThere: () => boolean): Promise<EngineHello | undefined> {
    const { worker } = hello;
    if (worker.tokenization !== '') return hello;
    const { engineUrl } = worker;
    let said = '';
    while (isThere() && !this.#signal.aborted) {
      try {
        const asked = { engineUrl, access: this.#access, signal: this.#signal };
        const { tokenization } = await probeEngine(asked);
        return { ...hello, worker: { ...worker, tokenization } };
      } catch (error) {
        const { message } = toBatonError(error);
        const fields = { event: 'engine_unasked', engineUrl };
        if (message !== said) this.#log.info(fields, `waiting for the engine's API: ${message}`);
        said = message;
      }
      await delay(ASK_ENGINE_MS, undefined, { signal: this.#signal }).catch(() => undefined);
    }
    return undefined;
  }
}
