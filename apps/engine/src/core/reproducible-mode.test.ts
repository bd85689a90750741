import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  greedy,
  load,
  PagesUnderTest,
  prefill,
  promptOf,
  requestFor,
  seeded,
  ThreadUnderTest,
  tinyModel,
} from '../testing/inference-test-kit.ts';

const model = tinyModel();
const thread = (): ThreadUnderTest =>
  new ThreadUnderTest({ modelPath: model.modelPath, reproducible: true });
const alone = thread();
const prefiller = thread();
const decoder = thread();
let pages: PagesUnderTest;

beforeAll(async () => {
  const { pageBytes } = await alone.ready;
  await Promise.all([prefiller.ready, decoder.ready]);
  pages = new PagesUnderTest(model.folder, pageBytes, 1000);
  for (const one of [prefiller, decoder]) one.send({ type: 'arena', arena: pages.mapping });
});
afterAll(async () => {
  await Promise.all([alone.stop(), prefiller.stop(), decoder.stop()]);
  pages.close();
  model.clean();
});

// The longest prompts are asked in test/e2e/equality.test.ts.
const lengths = [1, 63, 64, 65, 319, 320, 321, 1000];
let count = 0;
const name = (): string => `request-${(count += 1)}`;

describe.each([
  ['greedy', greedy],
  ['seeded', seeded],
])('%s output is the same however the KV came about', (_, sampling) => {
  test.each(lengths)('prompt of %i tokens', async (length) => {
    const prompt = promptOf(length, length % 7);
    const ask = (options: object = {}) => requestFor(name(), prompt, { sampling, ...options });
    const salt = name();
    // On three threads at a time.
    const [reference, first, computed] = await Promise.all([
      alone.run(ask({ salt: name() })),
      decoder.run(ask({ salt })),
      prefill(prefiller, pages, ask({ salt: name() })),
    ]);
    expect(reference.tokens).toHaveLength(24);
    expect(new Set(reference.tokens).size).toBeGreaterThan(4);
    const whole = Math.floor(length / 64);
    const reusable = Math.floor((length - 1) / 64);

    expect(first.tokens).toEqual(reference.tokens);
    const again = await decoder.run(ask({ salt }));
    expect(again.tokens).toEqual(reference.tokens);
    expect(again.accounting.heldTokens).toBe(reusable * 64);

    expect(computed.finished.tokens).toEqual(reference.tokens.slice(0, 1));
    expect(computed.segments.size).toBe(whole);
    // The decode leg may have been given another seed: the one in the state counts.
    const otherSeed = { ...sampling, seed: 99 };
    const handed = await load(
      decoder,
      ask({ salt: name(), handover: true, sampling: otherSeed }),
      computed,
    );
    expect([...computed.finished.tokens, ...handed.tokens]).toEqual(reference.tokens);
    expect(handed.accounting).toEqual({
      promptTokens: length,
      heldTokens: 0,
      importedTokens: length,
      computedTokens: 0,
    });

    const pulled = await load(decoder, ask({ salt: name() }), computed);
    expect(pulled.tokens).toEqual(reference.tokens);
    expect(pulled.accounting.importedTokens).toBe(reusable * 64);
    expect(pulled.accounting.computedTokens).toBe(length - reusable * 64);

    for (const resumed of [1, 7]) {
      const resumeTokens = Int32Array.from(reference.tokens.slice(0, resumed));
      const rest = await decoder.run(ask({ salt: name(), resumeTokens }));
      expect(rest.tokens).toEqual(reference.tokens.slice(resumed));
      const warm = await decoder.run(ask({ salt, resumeTokens }));
      expect(warm.tokens).toEqual(reference.tokens.slice(resumed));
    }
  });

  test('32 at once, half of them with a shared prefix, one of 1,500 tokens', async () => {
    const prompts = Array.from({ length: 32 }, (_, i) => {
      if (i === 7) return promptOf(1500, 3);
      const prompt = promptOf(80 + ((i * 53) % 400), i % 2 === 0 ? 1 : i + 5);
      if (i % 2 === 0) prompt.set([270 + (i % 60)], prompt.length - 1);
      return prompt;
    });
    const ask = (prompt: Int32Array, salt: string) =>
      requestFor(name(), prompt, { sampling, salt, maxOutputTokens: 12 });
    const oneByOne = (async () => {
      const references: number[][] = [];
      for (const prompt of prompts) references.push((await alone.run(ask(prompt, name()))).tokens);
      return references;
    })();
    const salt = name();
    for (let round = 0; round < 2; round += 1) {
      const together = await Promise.all(prompts.map((prompt) => decoder.run(ask(prompt, salt))));
      expect(together.map(({ tokens }) => tokens)).toEqual(await oneByOne);
    }
    const handed = await Promise.all(
      prompts.map(async (prompt) => {
        const request = ask(prompt, salt);
        const computed = await prefill(prefiller, pages, request);
        const rest = await load(
          decoder,
          { ...request, requestId: name(), handover: true },
          computed,
        );
        return [...computed.finished.tokens, ...rest.tokens];
      }),
    );
    expect(handed).toEqual(await oneByOne);
  });
});

test('a decoded segment is no prefix of a later prompt: computed in one piece it could differ', async () => {
  const prompt = promptOf(100, 2);
  const salt = name();
  const first = await decoder.run(requestFor(name(), prompt, { salt, maxOutputTokens: 64 }));
  const chat = Int32Array.from([...prompt, ...first.tokens, ...promptOf(30, 4)]);
  const expected = await alone.run(requestFor(name(), chat, { salt: name() }));
  const second = await decoder.run(requestFor(name(), chat, { salt }));
  expect(second.accounting.heldTokens).toBe(64);
  expect(second.tokens).toEqual(expected.tokens);
});
