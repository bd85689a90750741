import { KEY_BYTES, keyCount, keyHex } from '@baton/kv';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { InferenceEngine } from './inference-engine.ts';
import { promptOf, requestFor, SEGMENT_TOKENS } from '../testing/inference-test-kit.ts';
import type { GenerationRequest, InferenceEvent } from './inference-port.ts';
import type { Completion, ComputePiece, KvMemory, KvSequence } from './kv-memory.ts';
import { MAX_WAITING } from './scheduler.ts';

const CELLS = 1024;
const END_TOKEN = 0;
const PAGE_BYTES = 16;

/** Counts cells like the real one; KV is the number of tokens. */
class FakeMemory implements KvMemory<number> {
  readonly capacityBlocks = CELLS / SEGMENT_TOKENS;
  readonly cachesDecoded = true;
  decodesAlone = false;
  readonly segmentBytes = PAGE_BYTES;
  readonly bytesPerToken = 1;
  readonly cached = new Set<string>();
  readonly open_ = new Set<FakeSequence>();
  readonly steps: ComputePiece[][] = [];

  get usedBlocks(): number {
    return this.open_.size;
  }

  get freeCells(): number {
    let used = 0;
    for (const { reserved } of this.open_) used += reserved;
    return CELLS - used;
  }

  open(): KvSequence {
    const sequence = new FakeSequence(this);
    this.open_.add(sequence);
    return sequence;
  }

  compute(pieces: readonly ComputePiece[]): (number | undefined)[] {
    this.steps.push([...pieces]);
    return pieces.map(({ sequence, tokens, from, wantsLogits }) => {
      const own = sequence as FakeSequence;
      expect(own.isReleased).toBe(false);
      expect(from).toBe(own.length);
      own.length += tokens.length;
      expect(own.length).toBeLessThanOrEqual(own.reserved);
      return wantsLogits ? own.length : undefined;
    });
  }

  exportCached(): undefined {
    return undefined;
  }

  close(): void {}
}

class FakeSequence implements KvSequence {
  length = 0;
  reserved = 0;
  cachedSegments = 0;
  isReleased = false;
  readonly #memory: FakeMemory;

  constructor(memory: FakeMemory) {
    this.#memory = memory;
  }

  adopt(key: Uint8Array): boolean {
    if (!this.#memory.cached.has(keyHex(key))) return false;
    this.length += SEGMENT_TOKENS;
    this.cachedSegments += 1;
    return true;
  }

  reserve(tokens: number): boolean {
    if (tokens - this.reserved > this.#memory.freeCells) return false;
    this.reserved = Math.max(this.reserved, tokens);
    return true;
  }

  import(bytes: Uint8Array, to: number): string | undefined {
    if (bytes[0] !== 1) return 'damaged';
    this.length = to;
    return undefined;
  }

  complete(key: Uint8Array): Completion {
    this.cachedSegments += 1;
    if (this.#memory.cached.has(keyHex(key))) return 'known';
    this.#memory.cached.add(keyHex(key));
    return 'stored';
  }

  export(_from: number, _to: number, into: Uint8Array): number {
    into.fill(1);
    return into.length;
  }

  release(): void {
    expect(this.isReleased).toBe(false);
    this.isReleased = true;
    this.#memory.open_.delete(this);
  }
}

function engineUnderTest(maxSequences = 4) {
  const memory = new FakeMemory();
  const events: InferenceEvent[] = [];
  const arena = new Uint8Array(PAGE_BYTES * 64).fill(1);
  let samplers = 0;
  let now = 0;
  const engine = new InferenceEngine<number>({
    memory,
    sampling: {
      vocabSize: 400,
      isEndOfGeneration: (token) => token === END_TOKEN,
      open: () => {
        samplers += 1;
        return {
          sample: (length) => ({ token: length % 50, logprob: undefined, top: undefined }),
          close: () => (samplers -= 1),
        };
      },
    },
    segmentTokens: SEGMENT_TOKENS,
    maxModelTokens: CELLS,
    maxSequences,
    mixedPrefillTokens: 128,
    purePrefillTokens: 256,
    openArena: () => ({ bytes: arena, close: () => undefined }),
    emit: (event) => events.push(event),
    nowMs: () => (now += 1),
  });
  engine.handle({ type: 'arena', arena: { path: 'x', sizeBytes: 1, pageBytes: PAGE_BYTES } });
  const finish = (): void => {
    for (let i = 0; engine.step(); i += 1) if (i > 5000) throw new Error('it never rests');
  };
  return { engine, memory, events, finish, openSamplers: () => samplers };
}

const request = fc.record({
  length: fc.integer({ min: 1, max: 600 }),
  seed: fc.nat(4),
  maxOutputTokens: fc.integer({ min: 1, max: 90 }),
  ignoreEos: fc.boolean(),
  kind: fc.constantFrom('plain', 'load', 'handover', 'export', 'resume'),
});

const command = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('submit' as const), request }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('import', 'badImport', 'loadEnded', 'granted', 'cancel'),
      which: fc.nat(),
    }),
  },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('step' as const), count: fc.nat(6) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('arenaGone' as const) }) },
);

test('whatever comes in whatever order, each request ends once, and then nothing is held', () => {
  fc.assert(
    fc.property(fc.array(command, { maxLength: 80 }), (commands) => {
      const { engine, memory, events, finish, openSamplers } = engineUnderTest();
      const requests: GenerationRequest[] = [];
      for (const one of commands) {
        if (one.do === 'submit') {
          const { length, seed, kind, ...rest } = one.request;
          const submitted = requestFor(`r${requests.length}`, promptOf(length, seed), {
            ...rest,
            load: kind === 'load',
            handover: kind === 'handover',
            exportFromSegment: kind === 'export' ? 0 : undefined,
            resumeTokens: Int32Array.from(kind === 'resume' ? [1, 2] : []),
          });
          requests.push(submitted);
          engine.handle({ type: 'submit', request: submitted });
        } else if (one.do === 'step') {
          for (let i = 0; i < one.count; i += 1) engine.step();
        } else if (one.do === 'arenaGone') {
          engine.handle({ type: 'arena', arena: undefined });
        } else if ('which' in one) {
          const target = requests[one.which % Math.max(1, requests.length)];
          if (target) act(engine, events, one.do, target);
        }
      }
      finish();
      for (const { requestId } of requests) {
        const ends = events.filter((e) => e.type === 'ended' && e.requestId === requestId);
        expect(ends.length).toBeLessThanOrEqual(1);
        if (ends.length === 0) engine.handle({ type: 'cancel', requestId });
        finish();
      }
      const ended = events.flatMap((e) => (e.type === 'ended' ? [e] : []));
      expect(ended.map((e) => e.requestId).sort()).toEqual(requests.map((r) => r.requestId).sort());
      for (const { requestId, outcome, accounting: a } of ended) {
        // A request whose earlier output is all it asked for ends before anything is computed.
        if (!events.some((e) => e.type === 'prefilled' && e.requestId === requestId)) continue;
        if (outcome === 'stop' || outcome === 'length') {
          expect(a.heldTokens + a.importedTokens + a.computedTokens).toBe(a.promptTokens);
        }
      }
      expect(ended.filter((e) => e.code === 'internal_error')).toEqual([]);
      expect(memory.open_.size).toBe(0);
      expect(memory.freeCells).toBe(CELLS);
      expect(openSamplers()).toBe(0);
      checkOrder(events);
    }),
    { numRuns: 200 },
  );
});

function act(
  engine: InferenceEngine<number>,
  events: InferenceEvent[],
  what: string,
  { requestId, promptTokens, handover }: GenerationRequest,
): void {
  const held = events.find((e) => e.type === 'held' && e.requestId === requestId);
  const done = events.filter((e) => e.type === 'imported' && e.ok && e.requestId === requestId);
  const index = (held?.type === 'held' ? held.segments : 0) + done.length;
  const segments = Math.floor(promptTokens.length / SEGMENT_TOKENS);
  if (what === 'cancel') engine.handle({ type: 'cancel', requestId });
  else if (what === 'badImport') {
    engine.handle({ type: 'importSegment', requestId, index, page: 1e6, bytes: PAGE_BYTES });
  } else if (what === 'import') {
    engine.handle({ type: 'importSegment', requestId, index, page: 3, bytes: PAGE_BYTES });
  } else if (what === 'loadEnded') {
    const state = {
      promptTokens: promptTokens.length,
      outputTokens: Int32Array.from([5]),
      seed: 1,
    };
    const tail = handover ? { page: 4, bytes: PAGE_BYTES, state } : undefined;
    engine.handle({ type: 'loadEnded', requestId, tail });
  } else {
    const pages = Array.from({ length: segments }, (_, i) => (i % 3 === 2 ? undefined : i));
    engine.handle({ type: 'granted', requestId, firstSegment: 0, pages, tailPage: 60 });
  }
}

/** held, then prefilled, then tokens one after the other, then the end and nothing more. */
function checkOrder(events: InferenceEvent[]): void {
  const phase = new Map<string, number>();
  const nextIndex = new Map<string, number>();
  for (const event of events) {
    if (!('requestId' in event)) continue;
    const id = event.requestId;
    const now = phase.get(id) ?? 0;
    expect(now, `${event.type} after the end`).toBeLessThan(4);
    if (event.type === 'held') expect(now).toBe(0);
    if (event.type === 'exported') expect(now).toBe(1);
    if (event.type === 'imported' && event.ok) expect(now).toBe(1);
    if (event.type === 'prefilled') expect(now).toBe(1);
    if (event.type === 'token') {
      expect(now).toBe(2);
      const expected = nextIndex.get(id) ?? event.outputIndex;
      expect(event.outputIndex).toBe(expected);
      nextIndex.set(id, expected + 1);
    }
    const next = { held: 1, prefilled: 2, ended: 4 }[event.type as string];
    if (next !== undefined) phase.set(id, next);
  }
}

test('each decoding sequence gets a token in every step while a long prompt is computed', () => {
  const { engine, memory } = engineUnderTest();
  const submit = (id: string, length: number, maxOutputTokens: number): void =>
    engine.handle({
      type: 'submit',
      request: requestFor(id, promptOf(length, length), { maxOutputTokens }),
    });
  submit('a', 20, 100);
  submit('b', 30, 100);
  engine.step();
  submit('long', 700, 10);
  memory.steps.length = 0;
  while (engine.step() && memory.steps.length < 6);
  for (const pieces of memory.steps.slice(0, 5)) {
    expect(pieces.filter(({ tokens }) => tokens.length === 1)).toHaveLength(2);
    const prompt = pieces.filter(({ tokens }) => tokens.length > 1);
    expect(prompt.reduce((sum, { tokens }) => sum + tokens.length, 0)).toBe(128);
  }
});

test('where tokens decode alone, earlier output is computed token by token, the prompt in segments', () => {
  const { engine, memory, finish, events } = engineUnderTest();
  memory.decodesAlone = true;
  const resumeTokens = Int32Array.from({ length: 90 }, (_, i) => 1 + (i % 40));
  const submitted = requestFor('r', promptOf(150, 1), { maxOutputTokens: 93, resumeTokens });
  engine.handle({ type: 'submit', request: submitted });
  finish();
  const sizes = memory.steps.flat().map(({ tokens }) => tokens.length);
  expect(sizes).toEqual([64, 64, 22, ...new Array<number>(92).fill(1)]);
  const indexes = events.flatMap((e) => (e.type === 'token' ? [e.outputIndex] : []));
  expect(indexes).toEqual([90, 91, 92]);
});

test('a handover that is awaited is no prompt to compute, a prefix that is loaded is', () => {
  const pendingWith = (handover: boolean): number | undefined => {
    const { engine, events } = engineUnderTest();
    const request = requestFor('r', promptOf(300, 1), { load: true, handover });
    engine.handle({ type: 'submit', request });
    for (let i = 0; i < 400; i++) engine.step();
    const loads = events.flatMap((event) => (event.type === 'load' ? [event.load] : []));
    return loads.at(-1)?.pendingPrefillTokens;
  };
  expect(pendingWith(true)).toBe(0);
  expect(pendingWith(false)).toBe(300);
});

test('siblings with one prefix compute it once', () => {
  const { engine, finish, events } = engineUnderTest(8);
  for (let i = 0; i < 6; i += 1) {
    const prompt = Int32Array.from([...promptOf(128, 1), 300 + i, 1]);
    const submitted = requestFor(`r${i}`, prompt, { maxOutputTokens: 2 });
    engine.handle({ type: 'submit', request: submitted });
  }
  finish();
  const computed = events.flatMap((e) => (e.type === 'ended' ? [e.accounting.computedTokens] : []));
  expect(computed.reduce((a, b) => a + b)).toBe(128 + 6 * 2);
});

test('stored segments are announced in chain order with their tokens', () => {
  const { engine, finish, events } = engineUnderTest();
  const prompt = promptOf(300, 1);
  const submitted = requestFor('r', prompt, { maxOutputTokens: 100 });
  engine.handle({ type: 'submit', request: submitted });
  finish();
  let parent = submitted.rootKey;
  const tokens: number[] = [];
  for (const event of events) {
    if (event.type !== 'stored') continue;
    expect(Buffer.compare(event.parentKey, parent)).toBe(0);
    expect(event.isChainStart).toBe(tokens.length === 0);
    expect(event.tokens).toHaveLength(keyCount(event.keys) * SEGMENT_TOKENS);
    parent = event.keys.slice(-KEY_BYTES);
    tokens.push(...event.tokens);
  }
  // 300 of the prompt and 99 of the output have KV: 6 whole segments.
  expect(tokens).toHaveLength(6 * SEGMENT_TOKENS);
  expect(tokens.slice(0, 300)).toEqual([...prompt]);
});

test('the youngest gives way when cells run out, and what it has said stays', () => {
  const { engine, finish, events, memory } = engineUnderTest();
  for (const id of ['old', 'young']) {
    const prompt = promptOf(400, id.length);
    const submitted = requestFor(id, prompt, { maxOutputTokens: 300, ignoreEos: true });
    engine.handle({ type: 'submit', request: submitted });
  }
  finish();
  const tokens = (id: string) =>
    events.flatMap((e) => (e.type === 'token' && e.requestId === id ? [e.outputIndex] : []));
  for (const id of ['old', 'young']) {
    expect(tokens(id)).toEqual(Array.from({ length: 300 }, (_, i) => i));
  }
  const restarts = memory.steps.filter((pieces) => pieces.some(({ tokens: t }) => t.length > 64));
  expect(restarts).toEqual([]);
  const order = events.flatMap((e) => (e.type === 'ended' ? [e.requestId] : []));
  expect(order).toEqual(['old', 'young']);
});

test('what cannot be run is refused with a code', () => {
  const { engine, events } = engineUnderTest(1);
  const refuse = (id: string, submitted: GenerationRequest): string | undefined => {
    engine.handle({ type: 'submit', request: { ...submitted, requestId: id } });
    const end = events.find((e) => e.type === 'ended' && e.requestId === id);
    return end?.type === 'ended' ? end.code : undefined;
  };
  const good = requestFor('x', promptOf(100));
  expect(refuse('empty', requestFor('x', new Int32Array(0)))).toBe('invalid_request');
  expect(refuse('long', requestFor('x', promptOf(CELLS)))).toBe('context_length_exceeded');
  expect(refuse('none', { ...good, maxOutputTokens: 0 })).toBe('invalid_request');
  expect(refuse('token', requestFor('x', Int32Array.from([1, 400])))).toBe('invalid_request');
  expect(refuse('negative', requestFor('x', Int32Array.from([-1])))).toBe('invalid_request');
  expect(refuse('keys', { ...good, segmentKeys: new Uint8Array(0) })).toBe('invalid_request');
  for (const wrong of [{ topP: 0 }, { temperature: -1 }, { topK: 0.5 }, { minP: 2 }]) {
    const sampling = { ...good.sampling, ...wrong };
    expect(refuse(JSON.stringify(wrong), { ...good, sampling })).toBe('invalid_request');
  }
  for (let i = 0; i < MAX_WAITING; i += 1) expect(refuse(`w${i}`, good)).toBeUndefined();
  expect(refuse('one more', good)).toBe('queue_full');
  expect(() => engine.handle({ type: 'submit', request: { ...good, requestId: 'w0' } })).toThrow();
  engine.stop();
  expect(events.filter((e) => e.type === 'ended' && e.outcome === 'aborted')).toHaveLength(1024);
});
