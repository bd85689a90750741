import { KEY_BYTES, keyAt, keyHex, segmentKeys } from '@baton/kv';
import type { GenerationRequest, PromptAccounting } from './inference-port.ts';
import type { KvSequence } from './kv-memory.ts';
import type { SampledToken, TokenSampler } from './token-sampling.ts';

/**
 * waiting: not admitted · loading: imports come · computing: takes part in steps · granting: the prompt is computed and
 * the pages for its export have not been granted yet.
 */
export type RequestPhase = 'waiting' | 'loading' | 'computing' | 'granting';

/** One request from submission to its end. What is computed next follows from tokens and `sequence.length` alone. */
export class RequestState<L> {
  readonly request: GenerationRequest;
  /** Place in the order of arrival. */
  readonly arrival: number;
  readonly segmentTokens: number;
  phase: RequestPhase = 'waiting';
  sequence: KvSequence | undefined;
  sampler: TokenSampler<L> | undefined;
  /** Output tokens, those of before included; the KV of the last one does not exist yet. */
  readonly outputs: number[];
  seed: number;
  /** True once `prefilled` was reported: what is computed of the prompt after that is not counted. */
  prefilled = false;
  /** True once `held` was reported. */
  announced = false;
  computeMs = 0;
  heldTokens = 0;
  importedTokens = 0;
  computedTokens = 0;
  /** The first token, while it waits for the export. */
  heldBack: SampledToken | undefined;
  /** Pages for segments by index; undefined until they are granted. */
  grantedPages: Map<number, number> | undefined;
  grantedTailPage: number | undefined;
  /** Next segment to export. */
  nextExport: number;
  readonly #promptKeys: Uint8Array;
  readonly #laterKeys: Uint8Array[] = [];

  constructor(request: GenerationRequest, arrival: number, segmentTokens: number) {
    this.request = request;
    this.arrival = arrival;
    this.segmentTokens = segmentTokens;
    this.outputs = Array.from(request.resumeTokens);
    this.seed = request.sampling.seed >>> 0;
    this.nextExport = request.exportFromSegment ?? 0;
    this.#promptKeys = request.segmentKeys;
  }

  get id(): string {
    return this.request.requestId;
  }

  get promptTokens(): number {
    return this.request.promptTokens.length;
  }

  get promptSegments(): number {
    return Math.floor(this.promptTokens / this.segmentTokens);
  }

  /** Positions whose tokens are known. */
  get knownTokens(): number {
    return this.promptTokens + this.outputs.length;
  }

  /** Positions that are not computed yet. */
  get missingTokens(): number {
    return this.knownTokens - (this.sequence?.length ?? 0);
  }

  /** Whole prompt segments that may come from elsewhere: at least one known token is always computed here. */
  get reusableSegments(): number {
    if (this.awaitsHandover) return this.promptSegments;
    return Math.min(this.promptSegments, Math.floor((this.knownTokens - 1) / this.segmentTokens));
  }

  get awaitsHandover(): boolean {
    return this.request.handover && this.outputs.length === 0;
  }

  get exports(): boolean {
    return this.request.exportFromSegment !== undefined;
  }

  get accounting(): PromptAccounting {
    const { promptTokens, heldTokens, importedTokens, computedTokens } = this;
    return { promptTokens, heldTokens, importedTokens, computedTokens };
  }

  /** Starts again from nothing: what was computed is gone, what was sampled stays. */
  restart(): void {
    this.sequence = undefined;
    this.phase = 'waiting';
    if (this.prefilled) return;
    this.heldTokens = 0;
    this.importedTokens = 0;
    this.computedTokens = 0;
  }

  tokens(from: number, to: number): Int32Array {
    const { promptTokens } = this.request;
    if (to <= promptTokens.length) return promptTokens.subarray(from, to);
    const tokens = new Int32Array(to - from);
    const prompt = promptTokens.subarray(from);
    tokens.set(prompt);
    const firstOutput = Math.max(0, from - promptTokens.length);
    tokens.set(this.outputs.slice(firstOutput, to - promptTokens.length), prompt.length);
    return tokens;
  }

  /** Key of a whole segment of known tokens, whether of the prompt or not. */
  segmentKey(index: number): Uint8Array {
    if (index < this.promptSegments) return keyAt(this.#promptKeys, index).slice();
    const later = index - this.promptSegments;
    const known = this.#laterKeys[later];
    if (known !== undefined) return known;
    const from = index * this.segmentTokens;
    const tokens = this.tokens(from, from + this.segmentTokens);
    const key = segmentKeys(this.parentKey(index), tokens, this.segmentTokens).slice(0, KEY_BYTES);
    this.#laterKeys[later] = key;
    return key;
  }

  parentKey(index: number): Uint8Array {
    return index === 0 ? this.request.rootKey : this.segmentKey(index - 1);
  }

  /** For the planner: the reusable segment that begins at a position, if a whole one does. */
  segmentAt(position: number): string | undefined {
    const index = position / this.segmentTokens;
    if (!Number.isInteger(index) || index >= this.reusableSegments) return undefined;
    return keyHex(this.segmentKey(index));
  }
}
