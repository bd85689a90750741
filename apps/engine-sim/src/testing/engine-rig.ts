import { fittedCost } from '@baton/sim';
import { VllmBlockNaming } from '../cache/block-names.ts';
import { VirtualClock } from '../engine/clock.ts';
import type { GenerationRequest } from '../engine/generation.ts';
import { SimEngine, type PoolEvent, type SimEngineOptions } from '../engine/sim-engine.ts';

/** 10 ms and 1 ms a token for a prompt, 5 ms a step of decoding. */
export const roundCost = fittedCost({
  ...{ name: 'round', kvBytesPerToken: 1, chunkTokens: 100, firstToken: 'decode' },
  prefill: { fixedMs: 10, perTokenMs: 1, perPairMs: 0 },
  decode: { fixedMs: 5, perSequenceMs: 0, perKvTokenMs: 0 },
});

/** An engine in virtual time and a log of what it says. */
export class EngineRig {
  readonly clock = new VirtualClock();
  readonly log: string[] = [];
  readonly events: PoolEvent[] = [];
  readonly tokens = new Map<string, number[]>();
  preemptions = 0;
  readonly engine: SimEngine;

  constructor(options: Partial<SimEngineOptions> = {}) {
    const ignored = (): void => undefined;
    this.engine = new SimEngine({
      ...{ model: 'm', blocks: 101, blockTokens: 4, maxSequences: 8, maxBatchTokens: 100 },
      ...{ meanAnswerTokens: 0, endToken: 257, naming: new VllmBlockNaming('0'), cost: roundCost },
      clock: this.clock,
      observer: {
        ...{ submitted: ignored, admitted: ignored, stepped: ignored, token: ignored },
        ...{ ended: ignored, preempted: () => (this.preemptions += 1) },
      },
      onCacheEvents: (events) => this.events.push(...events),
      onDeath: ignored,
      onWrongKv: ({ request }) => this.log.push(`${request.id} has wrong KV`),
      ...options,
    });
  }

  submit(id: string, promptTokens: readonly number[], more: Partial<GenerationRequest> = {}): void {
    const tokens: number[] = [];
    this.tokens.set(id, tokens);
    const say = (what: string): void => void this.log.push(`${this.clock.now()} ${id} ${what}`);
    this.engine.submit(
      {
        ...{
          id,
          answerId: id,
          promptTokens,
          maxOutputTokens: 1,
          minOutputTokens: 0,
          ignoreEos: false,
        },
        ...{ stopTokens: [], chain: { salt: undefined, adapter: undefined }, keepsKv: false },
        ...more,
      },
      {
        token: (token) => {
          tokens.push(token);
          if (tokens.length === 1) say('first token');
        },
        finished: (reason) => say(reason),
        failed: ({ status }) => say(String(status)),
      },
    );
  }
}

export function run(seed: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => seed * 1_000 + i);
}
