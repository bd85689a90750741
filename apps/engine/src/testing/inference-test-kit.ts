/** For tests: an inference thread driven by promises, and an arena between two of them in place of the agents. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { KEY_BYTES, keyCount, keyHex, rootKey, segmentKeys } from '@baton/kv';
import { writeTinyModel } from '@baton/llama';
import type { TinyModelOptions } from '@baton/llama';
import { createArena } from '@baton/tier-store';
import type {
  ArenaMapping,
  GenerationRequest,
  HandoverState,
  InferenceCommand,
  InferenceEvent,
  InferenceFacts,
  InferenceThreadOptions,
  PromptAccounting,
  SamplingParams,
} from '../core/inference-port.ts';
import { InferenceThread } from '../core/inference-thread.ts';

export const SEGMENT_TOKENS = 64;

export const greedy: SamplingParams = {
  temperature: 0,
  topP: 1,
  topK: 0,
  minP: 0,
  seed: 1,
  presencePenalty: 0,
  frequencyPenalty: 0,
  topLogprobs: -1,
};

export const seeded: SamplingParams = {
  ...greedy,
  temperature: 0.9,
  topP: 0.95,
  topK: 60,
  minP: 0.01,
  seed: 4711,
  presencePenalty: 0.3,
  frequencyPenalty: 0.2,
};

/** A request for a prompt; `salt` keeps it from what other requests have cached. */
export function requestFor(
  requestId: string,
  promptTokens: Int32Array,
  options: Partial<GenerationRequest> & { salt?: string } = {},
): GenerationRequest {
  const { salt, ...rest } = options;
  const root = rootKey({ tokenization: 'test', salt });
  return {
    requestId,
    promptTokens,
    rootKey: root,
    segmentKeys: segmentKeys(root, promptTokens, SEGMENT_TOKENS),
    sampling: greedy,
    maxOutputTokens: 24,
    ignoreEos: true,
    resumeTokens: new Int32Array(0),
    load: false,
    handover: false,
    exportFromSegment: undefined,
    ...rest,
  };
}

/** Tokens of the tiny model that look random; equal seeds give prompts of which one is a prefix of the other. */
export function promptOf(length: number, seed = 0): Int32Array {
  return Int32Array.from(
    { length },
    (_, i) => 261 + ((i * (31 + seed * 2) + seed * 7 + (i >> 3)) % 90),
  );
}

export interface Finished {
  tokens: number[];
  outcome: string;
  code: string | undefined;
  message: string | undefined;
  accounting: PromptAccounting;
  events: InferenceEvent[];
}

type Page = { page: number; bytes: number; checksum: number };

/** One thread with its requests. */
export class ThreadUnderTest {
  readonly thread: InferenceThread;
  readonly ready: Promise<InferenceFacts>;
  /** In order, those of all requests. */
  readonly events: InferenceEvent[] = [];
  /** Hex keys that the events say are cached. */
  readonly cached = new Set<string>();
  readonly #watchers = new Set<(event: InferenceEvent) => void>();

  constructor(options: Partial<InferenceThreadOptions> & { modelPath: string }) {
    this.thread = new InferenceThread({
      cells: 16_384,
      maxModelTokens: 8192,
      maxSequences: 32,
      segmentTokens: SEGMENT_TOKENS,
      threads: 1,
      reproducible: false,
      ...options,
    });
    this.ready = this.next((event) => event.type === 'ready' || event.type === 'fatal').then(
      (event) => {
        if (event.type === 'ready') return event.facts;
        throw new Error(event.type === 'fatal' ? event.message : event.type);
      },
    );
    this.ready.catch(() => undefined);
    this.thread.onEvent((event) => {
      this.events.push(event);
      this.#follow(event);
      for (const watcher of [...this.#watchers]) watcher(event);
    });
  }

  send(command: InferenceCommand): void {
    this.thread.send(command);
  }

  /** The next event from now on for which this holds. */
  next(holds: (event: InferenceEvent) => boolean): Promise<InferenceEvent> {
    return new Promise((resolve) => {
      const watcher = (event: InferenceEvent): void => {
        if (!holds(event)) return;
        this.#watchers.delete(watcher);
        resolve(event);
      };
      this.#watchers.add(watcher);
    });
  }

  watch(watcher: (event: InferenceEvent) => void): void {
    this.#watchers.add(watcher);
  }

  /** Submits and waits for the end. */
  run(request: GenerationRequest): Promise<Finished> {
    const finished = this.finished(request.requestId);
    this.send({ type: 'submit', request });
    return finished;
  }

  async finished(requestId: string): Promise<Finished> {
    const events: InferenceEvent[] = [];
    const collect = (event: InferenceEvent): void => {
      if ('requestId' in event && event.requestId === requestId) events.push(event);
    };
    this.#watchers.add(collect);
    const ended = await this.next(
      (event) =>
        event.type === 'fatal' || (event.type === 'ended' && event.requestId === requestId),
    );
    this.#watchers.delete(collect);
    if (ended.type !== 'ended') throw new Error(ended.type === 'fatal' ? ended.message : '');
    const tokens = events.flatMap((event) => (event.type === 'token' ? [event.token] : []));
    const { outcome, code, message, accounting } = ended;
    return { tokens, outcome, code, message, accounting, events };
  }

  /** The last load that was reported once nothing is left to do. */
  async rest(): Promise<Extract<InferenceEvent, { type: 'load' }>['load']> {
    const isRest = (event: InferenceEvent | undefined): boolean =>
      event?.type === 'load' && event.load.running + event.load.waiting === 0;
    const last = this.events.findLast((event) => event.type === 'load');
    const event = isRest(last) ? last : await this.next(isRest);
    if (event?.type !== 'load') throw new Error('no load');
    return event.load;
  }

  stop(): Promise<void> {
    return this.thread.stop();
  }

  #follow(event: InferenceEvent): void {
    if (event.type !== 'stored' && event.type !== 'removed') return;
    for (let i = 0; i < keyCount(event.keys); i += 1) {
      const hex = keyHex(event.keys.subarray(i * KEY_BYTES, (i + 1) * KEY_BYTES));
      if (event.type === 'stored') this.cached.add(hex);
      else this.cached.delete(hex);
    }
  }
}

/** Pages in shared memory between threads: what agents do, without agents. */
export class PagesUnderTest {
  readonly mapping: ArenaMapping;
  readonly bytes: Uint8Array;
  readonly #close: () => void;
  #next = 0;
  readonly #pageCount: number;

  constructor(folder: string, pageBytes: number, pageCount: number) {
    const file = path.join(folder, `baton-arena-test-${Math.random().toString(36).slice(2)}`);
    const arena = createArena({ path: file, pageBytes, pageCount });
    this.bytes = arena.bytes;
    this.mapping = { path: file, sizeBytes: pageBytes * pageCount, pageBytes };
    this.#pageCount = pageCount;
    this.#close = () => arena.close();
  }

  take(count: number): number[] {
    if (this.#next + count > this.#pageCount) this.#next = 0;
    const pages = Array.from({ length: count }, (_, i) => this.#next + i);
    this.#next += count;
    return pages;
  }

  page({ page, bytes }: { page: number; bytes: number }): Uint8Array {
    const from = page * this.mapping.pageBytes;
    return this.bytes.subarray(from, from + bytes);
  }

  close(): void {
    this.#close();
  }
}

export interface Prefilled {
  segments: Map<number, Page>;
  tail: { page: number; bytes: number; state: HandoverState } | undefined;
  finished: Finished;
}

/** Runs a prefill leg on `thread`, its KV to pages. */
export async function prefill(
  thread: ThreadUnderTest,
  pages: PagesUnderTest,
  request: GenerationRequest,
  exportFromSegment = 0,
): Promise<Prefilled> {
  const { requestId, promptTokens } = request;
  const segments = Math.floor(promptTokens.length / SEGMENT_TOKENS);
  const taken = pages.take(segments - exportFromSegment + 1);
  const running = thread.run({ ...request, maxOutputTokens: 1, exportFromSegment });
  thread.send({
    type: 'granted',
    requestId,
    firstSegment: exportFromSegment,
    pages: taken.slice(0, -1),
    tailPage: taken.at(-1),
  });
  const finished = await running;
  const result: Prefilled = { segments: new Map(), tail: undefined, finished };
  for (const event of finished.events) {
    if (event.type === 'exported') result.segments.set(event.index, event);
    if (event.type === 'prefilled') result.tail = event.tail;
  }
  return result;
}

/** Runs a leg on `thread` that takes from pages what it lacks. */
export async function load(
  thread: ThreadUnderTest,
  request: GenerationRequest,
  from: Prefilled,
): Promise<Finished & { held: number }> {
  const { requestId, promptTokens, handover } = request;
  const isHeld = (event: InferenceEvent): boolean =>
    event.type === 'held' && event.requestId === requestId;
  const heldEvent = thread.next(isHeld);
  const running = thread.run({ ...request, load: true });
  const event = await heldEvent;
  const held = event.type === 'held' ? event.segments : 0;
  const wanted = Math.floor((promptTokens.length - (handover ? 0 : 1)) / SEGMENT_TOKENS);
  for (let index = held; index < wanted; index += 1) {
    const page = from.segments.get(index);
    if (page === undefined) break;
    thread.send({ type: 'importSegment', requestId, index, page: page.page, bytes: page.bytes });
  }
  thread.send({ type: 'loadEnded', requestId, tail: handover ? from.tail : undefined });
  return { ...(await running), held };
}

/** A model file and a folder that go when `clean` is called. */
export function tinyModel(options?: TinyModelOptions): {
  modelPath: string;
  folder: string;
  clean: () => void;
} {
  const folder = mkdtempSync(path.join(tmpdir(), 'baton-inference-'));
  const modelPath = path.join(folder, 'tiny.gguf');
  writeTinyModel(modelPath, options);
  return { modelPath, folder, clean: () => rmSync(folder, { recursive: true }) };
}
