import type { BlockName, BlockNaming } from '../cache/block-names.ts';
import type { BlockPool } from '../cache/block-pool.ts';
import { kvOf, readKv } from '../model/kv-model.ts';
import type { GenerationRequest, GenerationSink } from './generation.ts';

/** Where a request is: in line, waiting for another engine's KV, in the batch, or over. */
export type RunState = 'waiting' | 'loading' | 'running' | 'ended';

/** One request inside an engine. */
export class EngineRun {
  readonly request: GenerationRequest;
  readonly sink: GenerationSink;
  readonly arrivedMs: number;
  /** The prompt, then the answer. */
  readonly tokens: number[];
  state: RunState = 'waiting';
  blocks: number[] = [];
  /** Leading tokens whose KV is in the blocks. */
  computed = 0;
  /** Leading blocks that others can find. */
  named = 0;
  /** Prompt tokens that were in the cache when it was scheduled first. */
  cachedTokens = 0;
  /** Prompt tokens that came from another engine. */
  externalTokens = 0;
  preemptions = 0;
  /** A step has computed something since it was scheduled, or had to start over. */
  isBegun = false;
  scheduledMs: number | undefined;
  firstTokenMs: number | undefined;
  lastTokenMs: number | undefined;
  /** Another engine's KV has come, or is not wanted any more. */
  isRemoteOver: boolean;
  readonly #naming: BlockNaming;
  readonly #names: BlockName[] = [];
  readonly #start: number;
  #read: number;

  constructor(
    request: GenerationRequest,
    sink: GenerationSink,
    facts: { arrivedMs: number; naming: BlockNaming; start: number },
  ) {
    this.request = request;
    this.sink = sink;
    this.arrivedMs = facts.arrivedMs;
    this.tokens = [...request.promptTokens];
    this.isRemoteOver = request.remote === undefined;
    this.#naming = facts.naming;
    this.#start = facts.start;
    this.#read = facts.start;
  }

  get promptTokens(): number {
    return this.request.promptTokens.length;
  }

  get outputTokens(): number {
    return this.tokens.length - this.promptTokens;
  }

  /** Leading prompt tokens whose KV another engine has. */
  get remoteTokens(): number {
    return Math.min(this.request.remote?.tokens ?? Infinity, this.promptTokens);
  }

  /** What the sequence has read: the next token follows from it. */
  get read(): number {
    return this.#read;
  }

  /** Names of the first `count` blocks, all of whose tokens are known. */
  names(count: number, blockTokens: number): readonly BlockName[] {
    while (this.#names.length < count) {
      const from = this.#names.length * blockTokens;
      const tokens = this.tokens.slice(from, from + blockTokens);
      this.#names.push(this.#naming.name(this.#names.at(-1), tokens, this.request.chain));
    }
    return this.#names.slice(0, count);
  }

  /** Goes on behind KV that is in the first blocks, whatever it is. */
  goOnBehind(tokens: number, pool: BlockPool): void {
    this.#read = this.#start;
    for (let at = 0; at < tokens; at += 1) {
      this.#read = readKv(this.#read, pool.kv[this.#placeOf(at, pool)] ?? 0);
    }
    this.computed = tokens;
  }

  /** Whether what came from another engine is what this one would have computed. */
  isKvOfPrompt(pool: BlockPool): boolean {
    let read = this.#start;
    return this.request.promptTokens.slice(0, this.remoteTokens).every((token, at) => {
      const kv = kvOf(read, token);
      read = readKv(read, kv);
      return pool.kv[this.#placeOf(at, pool)] === kv;
    });
  }

  compute(tokens: number, pool: BlockPool): void {
    for (let at = this.computed; at < this.computed + tokens; at += 1) {
      const kv = kvOf(this.#read, this.tokens[at] ?? 0);
      pool.kv[this.#placeOf(at, pool)] = kv;
      this.#read = readKv(this.#read, kv);
    }
    this.computed += tokens;
    this.isBegun = true;
  }

  /** Its blocks are another's now: what was computed has to be computed again. */
  startOver(): void {
    this.blocks = [];
    this.computed = 0;
    this.named = 0;
    this.#read = this.#start;
    this.isBegun = false;
    this.preemptions += 1;
    this.state = 'waiting';
  }

  #placeOf(at: number, { blockTokens }: BlockPool): number {
    return (this.blocks[Math.floor(at / blockTokens)] ?? 0) * blockTokens + (at % blockTokens);
  }
}
