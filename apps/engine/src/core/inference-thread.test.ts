import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { KEY_BYTES, keyAt, keyHex } from '@baton/kv';
import { LlamaModel, tinyModelTokens, writeUnsplittableModel } from '@baton/llama';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  greedy,
  load,
  PagesUnderTest,
  prefill,
  promptOf,
  requestFor,
  seeded,
  SEGMENT_TOKENS,
  ThreadUnderTest,
  tinyModel,
} from '../testing/inference-test-kit.ts';
import type { InferenceEvent } from './inference-port.ts';

const model = tinyModel();
const threads: ThreadUnderTest[] = [];
function open(options: object = {}): ThreadUnderTest {
  const thread = new ThreadUnderTest({ modelPath: model.modelPath, ...options });
  threads.push(thread);
  return thread;
}
const prefiller = open();
const decoder = open();
let pages: PagesUnderTest;

beforeAll(async () => {
  const { pageBytes } = await prefiller.ready;
  pages = new PagesUnderTest(model.folder, pageBytes, 1000);
  for (const one of [prefiller, decoder]) one.send({ type: 'arena', arena: pages.mapping });
});
afterAll(async () => {
  await Promise.all(threads.map((thread) => thread.stop()));
  pages.close();
  model.clean();
});

let count = 0;
const name = (): string => `request-${(count += 1)}`;
const tokensOf = (thread: ThreadUnderTest, requestId: string): InferenceEvent[] =>
  thread.events.filter((event) => event.type === 'token' && event.requestId === requestId);

test('the facts fit the model', async () => {
  const reader = new LlamaModel(model.modelPath, { vocabOnly: true });
  const { modelRevision } = reader.facts;
  reader.close();
  expect(await prefiller.ready).toMatchObject({
    modelRevision,
    dtype: 'f16',
    layers: 2,
    maxModelTokens: 8192,
    capacityBlocks: 256,
    maxSequences: 32,
  });
});

describe('normal mode, 32 streams at once', () => {
  test('imported KV equals exported KV, and what comes after agrees with a control', async () => {
    const sampling = { ...greedy, topLogprobs: 0 };
    const legs = Array.from({ length: 32 }, (_, i) => {
      const prompt = promptOf(100 + i * 5, i);
      return requestFor(name(), prompt, { sampling, maxOutputTokens: 4, salt: name() });
    });
    const computed = await Promise.all(legs.map((leg) => prefill(prefiller, pages, leg)));
    const exported = computed.map(({ segments }) =>
      [...segments.values()].map((page) => Buffer.from(pages.page(page))),
    );
    const handed = await Promise.all(
      legs.map((leg, i) => {
        const from = computed[i];
        if (from === undefined) throw new Error('nothing was prefilled');
        return load(decoder, { ...leg, handover: true }, from);
      }),
    );
    const controls = await Promise.all(
      legs.map((leg) => decoder.run({ ...leg, requestId: name(), ...freshKeys(leg) })),
    );
    for (const [i, leg] of legs.entries()) {
      const segments = Math.floor(leg.promptTokens.length / SEGMENT_TOKENS);
      expect(exported[i]).toHaveLength(segments);
      // Exported again from the cache of the other engine, to other pages.
      const taken = pages.take(segments);
      const exportId = name();
      const again = decoder.next((e) => e.type === 'cachedExported' && e.exportId === exportId);
      const keys = leg.segmentKeys;
      decoder.send({ type: 'exportCached', exportId, keys, pages: taken });
      const event = await again;
      const bytes = event.type === 'cachedExported' ? event.segments.map((p) => pages.page(p)) : [];
      expect(bytes).toHaveLength(segments);
      for (const [k, one] of bytes.entries()) {
        expect(Buffer.compare(one, exported[i]?.[k] ?? Buffer.alloc(0))).toBe(0);
      }
      // The distribution of the first tokens agrees within the noise of batch shapes.
      const logprobs = (events: InferenceEvent[]): number[] =>
        events.flatMap((e) => (e.type === 'token' && e.logprob !== undefined ? [e.logprob] : []));
      const own = [
        ...logprobs(computed[i]?.finished.events ?? []),
        ...logprobs(handed[i]?.events ?? []),
      ];
      const control = logprobs(controls[i]?.events ?? []);
      expect(own).toHaveLength(4);
      expect(Math.abs((own[0] ?? 0) - (control[0] ?? 9))).toBeLessThan(0.05);
    }
  });

  test('no sequence sees another one: each answers as it does alone', async () => {
    const ask = (i: number, salt: string) => {
      const prompt = promptOf(100, 0);
      prompt.fill(261 + i, 0, 90);
      return requestFor(name(), prompt, { maxOutputTokens: 1, salt });
    };
    const firsts = new Set<number>();
    const together = await Promise.all(
      Array.from({ length: 32 }, (_, i) => decoder.run(ask(i, name()))),
    );
    for (const [i, { tokens }] of together.entries()) {
      const alone = await decoder.run(ask(i, name()));
      expect(tokens).toEqual(alone.tokens);
      firsts.add(tokens[0] ?? -1);
    }
    expect(firsts.size).toBeGreaterThan(4);
  });
});

/** Keys under which nothing of this request is cached. */
function freshKeys(leg: { promptTokens: Int32Array }) {
  const { rootKey, segmentKeys } = requestFor('', leg.promptTokens, { salt: name() });
  return { rootKey, segmentKeys };
}

test.each([false, true])(
  'while a 4,000-token prompt is computed, every stream gets a token at least every second step (reproducible: %s)',
  async (reproducible) => {
    const thread = open({ reproducible });
    const streams = Array.from({ length: 4 }, () => name());
    const running = streams.map((requestId, i) =>
      thread.run(requestFor(requestId, promptOf(30, i), { maxOutputTokens: 400, salt: name() })),
    );
    await Promise.all(
      streams.map((id) => thread.next((e) => e.type === 'token' && e.requestId === id)),
    );
    const long = requestFor(name(), promptOf(4000, 5), { maxOutputTokens: 1, salt: name() });
    const longKeys = new Set(
      Array.from({ length: 62 }, (_, i) => keyHex(keyAt(long.segmentKeys, i))),
    );
    await thread.run(long);
    // Each step of the long prompt stores segments of it.
    const steps: Map<string, number>[] = [new Map()];
    for (const event of thread.events) {
      const step = steps.at(-1);
      if (event.type === 'token') step?.set(event.requestId, 1);
      if (event.type === 'stored' && longKeys.has(keyHex(keyAt(event.keys, 0)))) {
        steps.push(new Map());
      }
    }
    expect(steps.length).toBeGreaterThan(10);
    for (let i = 2; i < steps.length - 1; i += 1) {
      for (const id of streams) {
        expect((steps[i]?.has(id) ?? false) || (steps[i - 1]?.has(id) ?? false)).toBe(true);
      }
    }
    for (const requestId of streams) thread.send({ type: 'cancel', requestId });
    await Promise.all(running);
  },
);

test('a cancel at any point ends the request once and leaves no cell in use', async () => {
  const thread = open({ cells: 2048, maxSequences: 6 });
  thread.send({ type: 'arena', arena: pages.mapping });
  const all: Promise<{ outcome: string }>[] = [];
  for (let i = 0; i < 40; i += 1) {
    const kind = i % 4;
    const request = requestFor(name(), promptOf(60 + ((i * 97) % 900), i % 5), {
      maxOutputTokens: 200,
      load: kind === 1,
      handover: kind === 2,
      exportFromSegment: kind === 3 ? 0 : undefined,
    });
    all.push(thread.run(request));
    // From "while it waits" to "while it decodes", and after the end.
    for (let k = 0; k < i % 9; k += 1) {
      await Promise.race([thread.next(() => true), setTimeout(5)]);
    }
    thread.send({ type: 'cancel', requestId: request.requestId });
  }
  const ends = await Promise.all(all);
  expect(ends.map(({ outcome }) => outcome)).toContain('aborted');
  const rest = await thread.rest();
  expect(rest).toMatchObject({ usedBlocks: 0, pendingPrefillTokens: 0 });
  // Everything fits again: one request that needs all cells.
  const big = await thread.run(requestFor(name(), promptOf(2000, 7), { maxOutputTokens: 48 }));
  expect(big.outcome).toBe('length');
  expect(big.tokens).toHaveLength(48);
});

test('a small cache evicts leaves first, and its events tell exactly what it holds', async () => {
  const thread = open({ cells: 1024, maxSequences: 4 });
  thread.send({ type: 'arena', arena: pages.mapping });
  const keys = new Map<string, { key: Uint8Array; parent: string | undefined }>();
  const cached = new Set<string>();
  thread.watch((event) => {
    if (event.type === 'stored') {
      let parent = event.isChainStart ? undefined : keyHex(event.parentKey);
      for (let i = 0; i < event.keys.length / KEY_BYTES; i += 1) {
        const hex = keyHex(keyAt(event.keys, i));
        expect(parent === undefined || cached.has(parent)).toBe(true);
        expect(cached.has(hex)).toBe(false);
        keys.set(hex, { key: keyAt(event.keys, i), parent });
        cached.add(hex);
        parent = hex;
      }
    }
    if (event.type === 'removed') {
      const hex = keyHex(event.keys);
      expect(cached.delete(hex)).toBe(true);
      expect([...cached].some((one) => keys.get(one)?.parent === hex)).toBe(false);
    }
  });
  for (let i = 0; i < 25; i += 1) {
    const prompt = promptOf(150 + ((i * 71) % 400), i % 6);
    await thread.run(requestFor(name(), prompt, { maxOutputTokens: 20 }));
    expect(cached.size).toBeLessThanOrEqual(16);
  }
  expect(keys.size).toBeGreaterThan(40);
  const known = [...keys.entries()];
  const exportId = name();
  const answer = thread.next((e) => e.type === 'cachedExported' && e.exportId === exportId);
  thread.send({
    type: 'exportCached',
    exportId,
    keys: new Uint8Array(Buffer.concat(known.map(([, { key }]) => key))),
    pages: pages.take(known.length),
  });
  const event = await answer;
  const held = event.type === 'cachedExported' ? event.segments.map((s) => keyHex(s.key)) : [];
  expect(held.sort()).toEqual([...cached].sort());
});

describe('damaged and missing KV', () => {
  test('a damaged segment is refused and computed instead', async () => {
    const leg = requestFor(name(), promptOf(300, 3), { salt: name() });
    const computed = await prefill(prefiller, pages, leg);
    const page = computed.segments.get(2);
    if (page === undefined) throw new Error('segment 2 was not exported');
    const bytes = pages.page(page);
    bytes[17] = (bytes[17] ?? 0) ^ 1;
    const pulled = await load(decoder, { ...leg, requestId: name() }, computed);
    const imports = pulled.events.flatMap((e) => (e.type === 'imported' ? [e.ok] : []));
    expect(imports).toEqual([true, true, false, false]);
    expect(pulled.accounting).toMatchObject({ importedTokens: 128, computedTokens: 172 });
    expect(pulled.outcome).toBe('length');
  });

  test.each<[string, (computed: Awaited<ReturnType<typeof prefill>>) => void]>([
    ['a missing segment', ({ segments }) => segments.delete(1)],
    ['a damaged tail', ({ tail }) => tail && pages.page(tail).fill(0)],
    ['no tail', (computed) => (computed.tail = undefined)],
    ['a state of another prompt', ({ tail }) => tail && (tail.state.promptTokens += 1)],
    ['a token that is none', ({ tail }) => tail && (tail.state.outputTokens[0] = -5)],
  ])(
    'a handover with %s fails with its code, and the leg can be computed again',
    async (_, spoil) => {
      const leg = requestFor(name(), promptOf(300, 4), { salt: name() });
      const computed = await prefill(prefiller, pages, leg);
      const first = computed.finished.tokens;
      spoil(computed);
      const failed = await load(decoder, { ...leg, requestId: name(), handover: true }, computed);
      expect(failed).toMatchObject({ outcome: 'failed', code: 'kv_transfer_failed', tokens: [] });
      const resumeTokens = Int32Array.from(first);
      const again = await decoder.run({ ...leg, requestId: name(), resumeTokens });
      expect([...first, ...again.tokens]).toHaveLength(24);
    },
  );

  test('a failed load of a handover fails, a failed prefix is computed', async () => {
    for (const handover of [true, false]) {
      const leg = requestFor(name(), promptOf(300, 4), { salt: name(), load: true, handover });
      const running = decoder.run(leg);
      const { requestId } = leg;
      decoder.send({ type: 'loadEnded', requestId, failure: 'timeout: nobody came' });
      const held = decoder.next((e) => e.type === 'held' && e.requestId === requestId);
      // Before `held` nothing counts: the request is not loading yet.
      await Promise.race([held, running]);
      decoder.send({ type: 'loadEnded', requestId, failure: 'timeout: nobody came' });
      const { outcome, message } = await running;
      expect(outcome).toBe(handover ? 'failed' : 'length');
      if (handover) expect(message).toContain('nobody came');
    }
  });
});

test('a prompt of whole segments hands over without a page for the tail', async () => {
  const leg = requestFor(name(), promptOf(128, 8), { salt: name() });
  const computed = await prefill(prefiller, pages, leg);
  expect(computed.tail).toMatchObject({ bytes: 0 });
  const handed = await load(decoder, { ...leg, requestId: name(), handover: true }, computed);
  expect(handed.tokens).toHaveLength(23);
});

test('a prefill leg waits for its pages; without an arena it ends without a tail', async () => {
  const thread = open();
  const leg = requestFor(name(), promptOf(100, 1), { maxOutputTokens: 1, exportFromSegment: 0 });
  const running = thread.run(leg);
  await thread.next((e) => e.type === 'stored');
  expect(thread.events.some((e) => e.type === 'prefilled')).toBe(false);
  thread.send({ type: 'arena', arena: undefined });
  const { events, outcome } = await running;
  expect(outcome).toBe('length');
  expect(events.filter((e) => e.type === 'exported')).toEqual([]);
  expect(events.find((e) => e.type === 'prefilled')).toMatchObject({ tail: undefined });
});

test('segments that are cached already leave, too, and only from the one that was asked for', async () => {
  const leg = requestFor(name(), promptOf(300, 6), { salt: name() });
  await prefiller.run({ ...leg, maxOutputTokens: 1 });
  const computed = await prefill(prefiller, pages, { ...leg, requestId: name() }, 2);
  expect([...computed.segments.keys()]).toEqual([2, 3]);
  expect(computed.finished.accounting.heldTokens).toBe(256);
});

test('an output ends at an end token unless that is to be ignored', async () => {
  const sampling = { ...seeded, temperature: 8, topP: 1, topK: 0, minP: 0 };
  const leg = { sampling, maxOutputTokens: 3000, ignoreEos: false };
  const stopped = await decoder.run(requestFor(name(), promptOf(5), leg));
  expect(stopped.outcome).toBe('stop');
  expect([tinyModelTokens.eos, tinyModelTokens.imEnd]).toContain(stopped.tokens.at(-1));
  const length = stopped.tokens.length;
  expect(length).toBeLessThan(3000);
  const ignoring = { ...leg, ignoreEos: true, maxOutputTokens: length + 5 };
  const goesOn = await decoder.run(requestFor(name(), promptOf(5), ignoring));
  expect(goesOn.outcome).toBe('length');
  expect(goesOn.tokens).toHaveLength(length + 5);
});

test('log probabilities come with the tokens, the chosen one first when greedy', async () => {
  const sampling = { ...greedy, topLogprobs: 3 };
  const { events } = await decoder.run(requestFor(name(), promptOf(20), { sampling }));
  const tokens = events.flatMap((e) => (e.type === 'token' ? [e] : []));
  expect(tokens).toHaveLength(24);
  for (const { token, logprob, top } of tokens) {
    expect(top).toHaveLength(3);
    expect(top?.[0]).toEqual({ token, logprob });
    expect(logprob).toBeLessThanOrEqual(0);
  }
});

test('commands that make no sense are dropped, and the thread goes on', async () => {
  const refused = decoder.next((e) => e.type === 'refused');
  for (const command of [{ type: 'nonsense' }, null, 7, { type: 'submit' }, {}]) {
    decoder.send(command as never);
  }
  await refused;
  decoder.send({ type: 'cancel', requestId: 'nobody' });
  decoder.send({ type: 'importSegment', requestId: 'nobody', index: 0, page: 0, bytes: 1 });
  decoder.send({ type: 'exportCached', exportId: 'x', keys: new Uint8Array(16), pages: [] });
  const { tokens } = await decoder.run(requestFor(name(), promptOf(10)));
  expect(tokens).toHaveLength(24);
});

test('an arena that cannot be mapped is refused, the old one is gone', async () => {
  const thread = open();
  const refused = thread.next((e) => e.type === 'refused');
  const missing = path.join(model.folder, 'nowhere');
  thread.send({ type: 'arena', arena: { path: missing, sizeBytes: 64, pageBytes: 64 } });
  expect(await refused).toMatchObject({ command: 'arena' });
  expect((await thread.run(requestFor(name(), promptOf(10)))).outcome).toBe('length');
});

test('a model that cannot be used is fatal with one sentence', async () => {
  const missing = path.join(model.folder, 'missing.gguf');
  await expect(open({ modelPath: missing }).ready).rejects.toThrow(`${missing} cannot be opened`);
  const window = path.join(model.folder, 'window.gguf');
  writeUnsplittableModel(window, 'sliding-window');
  await expect(open({ modelPath: window }).ready).rejects.toThrow('sliding-window');
});

test('requests beyond the sequences wait their turn, and all are answered', async () => {
  const thread = open({ maxSequences: 2, cells: 1024 });
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, i) =>
      thread.run(requestFor(name(), promptOf(40 + i * 20, i), { maxOutputTokens: 10 })),
    ),
  );
  expect(answers.map(({ tokens }) => tokens.length)).toEqual(new Array(12).fill(10));
  expect(tokensOf(thread, 'nobody')).toEqual([]);
});

test('stopping ends what runs as aborted', async () => {
  const thread = open();
  const running = thread.run(requestFor(name(), promptOf(10), { maxOutputTokens: 4000 }));
  await thread.next((e) => e.type === 'token');
  await thread.stop();
  expect((await running).outcome).toBe('aborted');
});
