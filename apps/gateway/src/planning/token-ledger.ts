import type { PromptAccounting } from '@baton/engine-protocols';
import { makeUsage, type Usage } from '@baton/openai';

/** What the legs of one request said about its tokens. */
export class TokenLedger {
  readonly #promptTokens: number;
  #reusedTokens: number | undefined;
  #transferredTokens = 0;
  #computedTokens = 0;
  #accounted = false;
  /** A leg ended of which nothing is known. */
  #unsaid = false;
  #cachedByEngine: number | undefined;
  /** Of the leg that answered last. */
  lastLeg: PromptAccounting | undefined;

  #sampledTokens = 0;
  #relayedChunks = 0;
  #outputTokens: number | undefined;

  constructor(promptTokens: number) {
    this.#promptTokens = promptTokens;
  }

  /** Once for each leg that answered; `last` when it was the answer's end. The first one tells what was reused. */
  addLeg(accounting: PromptAccounting | undefined, usage: Usage | undefined, last: boolean): void {
    this.lastLeg = accounting;
    if (accounting === undefined) {
      this.#unsaid ||= usage !== undefined;
      this.#cachedByEngine ??= usage?.prompt_tokens_details?.cached_tokens;
    } else {
      this.#accounted = true;
      this.#reusedTokens ??= accounting.reusedTokens;
      this.#transferredTokens += accounting.transferredTokens;
      // Each leg computes an end of the prompt, so the longest end is all that was computed.
      this.#computedTokens = Math.max(this.#computedTokens, accounting.computedTokens);
    }
    if (usage === undefined) return;
    if (last) this.#outputTokens = usage.completion_tokens;
    else this.#sampledTokens = usage.completion_tokens;
  }

  /** Chunks on the way to the client, by which progress is told while the count is not known. */
  relayed(chunks: number): void {
    this.#relayedChunks += chunks;
  }

  /** Of all legs; about right until the last leg has ended. */
  get outputTokens(): number {
    return this.#outputTokens ?? this.#sampledTokens + this.#relayedChunks;
  }

  get promptTokens(): number {
    return this.#promptTokens;
  }

  /** From the cache of the worker that answered first; undefined while no engine has said. */
  get reusedTokens(): number | undefined {
    return this.#reusedTokens;
  }

  /** Moved between workers: the prefix and the handover; undefined unless all legs have said. */
  get transferredTokens(): number | undefined {
    return this.#accounted && !this.#unsaid ? this.#transferredTokens : undefined;
  }

  /** By the legs that have said; undefined when none has. */
  get computedTokens(): number | undefined {
    return this.#accounted ? this.#computedTokens : undefined;
  }

  /** Prompt tokens that no engine computed for this request; undefined where none says so. */
  get cachedTokens(): number | undefined {
    if (!this.#accounted) return this.#cachedByEngine;
    return Math.max(0, this.#promptTokens - this.#computedTokens);
  }

  usage(): Usage {
    return makeUsage(this.#promptTokens, this.outputTokens, this.cachedTokens);
  }
}
