/**
 * In the normal mode many sequences share each step, and the shape of a batch decides about the last bits of what is
 * computed. What must hold all the same: each stream computes what its own prompt says, and no stream sees another's KV.
 * A stream alone agrees with a control engine to the last bit. Many at once agree within what the control engine itself
 * does when it gets them at once, without Baton; another stream's prompt is far beyond that.
 */
import {
  complete,
  randomPrompt,
  startService,
  type Completion,
  type CompletionBody,
  type ServiceProcess,
} from '@baton/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectIdle, getJson, MODEL, startFleet, testModel, type Fleet } from '../kit/fleet.ts';

const STREAMS = 16;
const OUTPUT_TOKENS = 16;
/** So many at once the control engine gets, for the batch shapes. */
const CONTROL_AT_ONCE = 8;
/** Of the control engine: what its requests need together. Each step looks at all that is in use, cached or not. */
const CONTROL_TOKENS = 8_192;
/** The fleet's batches have yet other shapes: the largest of their differences may be so many times the control's. */
const MARGIN = 5;
const ALTERNATIVES = 5;

let fleet: Fleet;
let control: ServiceProcess;

beforeAll(async () => {
  const model = await testModel();
  const args = [
    ...['--model', model, '--model-name', MODEL, '--threads', '1'],
    ...['--kv-capacity-tokens', String(CONTROL_TOKENS)],
  ];
  [fleet, control] = await Promise.all([
    startFleet({ model }),
    startService('engine', 'control engine', args),
  ]);
});
afterAll(async () => {
  await Promise.all([fleet?.stop(), control?.stop()]);
});

/** Prompts that differ from their first token on, or share a beginning and then differ. */
function request(i: number, shared: readonly number[]): CompletionBody {
  return {
    model: MODEL,
    prompt: [...shared, ...randomPrompt(500 + i, 140 + 8 * i)],
    max_tokens: OUTPUT_TOKENS,
    temperature: 0,
    ignore_eos: true,
    stream: true,
    logprobs: ALTERNATIVES,
  };
}

/**
 * Largest difference of a log probability up to the first token at which two greedy answers part: where two tokens are
 * nearly as good, the last bits decide between them. Of both tokens, both answers must think alike.
 */
function largestDifference(answer: Completion, expected: Completion): number {
  let largest = 0;
  for (const [i, { token, top }] of answer.logprobs.entries()) {
    const other = expected.logprobs[i];
    if (other === undefined) return Infinity;
    for (const name of [token, other.token]) {
      const difference = (top[name] ?? Infinity) - (other.top[name] ?? -Infinity);
      largest = Math.max(largest, Math.abs(difference));
    }
    if (token !== other.token) break;
  }
  return largest;
}

/** Asks the control engine, so many at a time; what one round has cached no other one finds. */
async function askControl(requests: CompletionBody[], atOnce: number): Promise<Completion[]> {
  const answers: Completion[] = [];
  for (let from = 0; from < requests.length; from += atOnce) {
    const asked = requests
      .slice(from, from + atOnce)
      .map((body) => ({ ...body, cache_salt: `${atOnce} at once` }))
      .map((body) => complete(control.endpoints['http'] ?? '', body));
    answers.push(...(await Promise.all(asked)));
  }
  return answers;
}

const isHandover = ({ headers }: Completion): boolean =>
  headers.get('x-baton-prefill-worker') !== headers.get('x-baton-decode-worker');

test.each([200, 320, 1_000])('a stream alone, of %d tokens, agrees to the last bit', async (n) => {
  const body = { ...request(0, []), prompt: randomPrompt(n, n) };
  const answer = await complete(fleet.url, body);
  expect(isHandover(answer)).toBe(true);
  const [expected] = await askControl([body], 1);
  expect(answer.logprobs).toHaveLength(OUTPUT_TOKENS);
  expect(answer.logprobs).toEqual(expected?.logprobs);
});

test.each([
  ['without a shared prefix', 0],
  ['with a shared prefix', 320],
])(
  'many streams at once %s',
  async (_, shared) => {
    const prefix = randomPrompt(400, shared);
    const requests = Array.from({ length: STREAMS }, (_value, i) => request(i, prefix));
    const answers = await Promise.all(requests.map((body) => complete(fleet.url, body)));
    expect(answers.filter(isHandover).length).toBeGreaterThan(STREAMS / 4);
    const expected = await askControl(requests, 1);
    const largest = (others: Completion[]): number =>
      Math.max(...others.map((other, i) => largestDifference(other, expected[i] as Completion)));
    const byShape = largest(await askControl(requests, CONTROL_AT_ONCE));
    expect(byShape).toBeGreaterThan(0);
    for (const answer of answers) expect(answer.logprobs).toHaveLength(OUTPUT_TOKENS);
    expect(largest(answers)).toBeLessThan(MARGIN * byShape);
    // The measure is worth something: a neighbour's prompt does not pass it.
    for (const [i, answer] of answers.entries()) {
      const foreign = expected[(i + 1) % STREAMS] as Completion;
      expect(largestDifference(answer, foreign)).toBeGreaterThan(MARGIN * byShape);
    }
    await expectIdle(fleet);
    // Every byte that left one worker came to another, and none was refused by its checksum.
    const { workers } = await getJson<{ workers: { counters: Record<string, number> }[] }>(
      `${fleet.adminUrl}/workers`,
    );
    const sum = (name: string): number =>
      workers.reduce((total, { counters }) => total + (counters[name] ?? NaN), 0);
    expect(sum('bytesIn')).toBeGreaterThan(0);
    expect(sum('bytesOut')).toBe(sum('bytesIn'));
    expect(sum('checksumFailures') + sum('pullsFailed') + sum('handoversFailed')).toBe(0);
  },
  180_000,
);
