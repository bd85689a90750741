import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  greedy,
  load,
  PagesUnderTest,
  prefill,
  promptOf,
  requestFor,
  ThreadUnderTest,
  tinyModel,
} from '../testing/inference-test-kit.ts';
import type { InferenceEvent } from './inference-port.ts';

const model = tinyModel();
const open = (): ThreadUnderTest => new ThreadUnderTest({ modelPath: model.modelPath });
const alone = open();
const prefiller = open();
const decoder = open();
let pages: PagesUnderTest;

beforeAll(async () => {
  const { pageBytes } = await alone.ready;
  await Promise.all([prefiller.ready, decoder.ready]);
  pages = new PagesUnderTest(model.folder, pageBytes, 200);
  for (const one of [prefiller, decoder]) one.send({ type: 'arena', arena: pages.mapping });
});
afterAll(async () => {
  await Promise.all([alone.stop(), prefiller.stop(), decoder.stop()]);
  pages.close();
  model.clean();
});

let count = 0;
const name = (): string => `request-${(count += 1)}`;
const distributions = (events: InferenceEvent[]): object[] =>
  events.flatMap((event) => (event.type === 'token' ? [{ ...event.top }] : []));

// What other streams in a step do to the last bits is another matter: test/e2e/normal-mode.test.ts.
test.each([1, 63, 64, 65, 320, 700])(
  'with equal batch shapes a handover of %i tokens changes no bit of any distribution',
  async (length) => {
    const sampling = { ...greedy, topLogprobs: 8 };
    const prompt = promptOf(length, length % 7);
    const ask = (handover: boolean) =>
      requestFor(name(), prompt, { sampling, handover, salt: name() });
    const expected = distributions((await alone.run(ask(false))).events);
    expect(expected).toHaveLength(24);
    const computed = await prefill(prefiller, pages, ask(false));
    const handed = await load(decoder, ask(true), computed);
    expect(handed.accounting.computedTokens).toBe(0);
    const events = [...computed.finished.events, ...handed.events];
    expect(distributions(events)).toEqual(expected);
  },
);
