/**
 * In the normal mode many sequences share each step, so floating-point results differ in the last bits. What must hold
 * all the same: each stream computes what its own prompt says, and no stream sees another's KV. Log probabilities show
 * it: they agree with a control engine within TOLERANCE, while another stream's prompt gives others.
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

const STREAMS = 32;
const OUTPUT_TOKENS = 16;
/**
 * Largest difference of a log probability that is put down to batch shapes. Not derived: 0.064 was seen, a bound of 0.05
 * failed on it; a neighbour's prompt must lie beyond it, which each run checks.
 */
const TOLERANCE = 0.2;
const ALTERNATIVES = 5;

let fleet: Fleet;
let control: ServiceProcess;

beforeAll(async () => {
  const model = await testModel();
  const args = ['--model', model, '--model-name', MODEL, '--threads', '1'];
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
    prompt: [...shared, ...randomPrompt(500 + i, 200 + 17 * i)],
    max_tokens: OUTPUT_TOKENS,
    temperature: 0,
    ignore_eos: true,
    stream: true,
    logprobs: ALTERNATIVES,
  };
}

/**
 * Largest difference up to the first token at which two greedy answers part; where they part, the other's token must
 * have been as good within the tolerance.
 */
function largestDifference(answer: Completion, expected: Completion): number {
  let largest = 0;
  for (const [i, { token, logprob, top }] of answer.logprobs.entries()) {
    const other = expected.logprobs[i];
    if (other === undefined) return Infinity;
    if (other.token !== token) {
      const rival = top[other.token];
      return rival === undefined ? Infinity : Math.max(largest, logprob - rival);
    }
    largest = Math.max(largest, Math.abs(logprob - other.logprob));
  }
  return largest;
}

test.each([
  ['without a shared prefix', 0],
  ['with a shared prefix', 640],
])('32 streams at once %s', async (_, shared) => {
  const prefix = randomPrompt(400, shared);
  const requests = Array.from({ length: STREAMS }, (_value, i) => request(i, prefix));
  const answers = await Promise.all(requests.map((body) => complete(fleet.url, body)));
  const expected: Completion[] = [];
  for (const body of requests) {
    expected.push(await complete(control.endpoints['http'] ?? '', body));
  }
  const handedOver = answers.filter(
    ({ headers }) => headers.get('x-baton-prefill-worker') !== headers.get('x-baton-decode-worker'),
  );
  expect(handedOver.length).toBeGreaterThan(STREAMS / 4);
  for (const [i, answer] of answers.entries()) {
    expect(answer.logprobs, `stream ${i}`).toHaveLength(OUTPUT_TOKENS);
    expect(largestDifference(answer, expected[i] as Completion), `stream ${i}`).toBeLessThan(
      TOLERANCE,
    );
    // The measure is worth something: a neighbour's prompt does not pass it.
    const foreign = expected[(i + 1) % STREAMS] as Completion;
    expect(largestDifference(answer, foreign), `stream ${i}, foreign`).toBeGreaterThan(TOLERANCE);
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
});
