/** While a prefill worker is busy, classes and tenants decide who of those who wait is planned next. */
import { post, randomPrompt, type HttpAnswer } from '@baton/test-kit';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { expectIdle, MODEL, startFleet, type Fleet } from '../kit/fleet.ts';
import { planOf, plansOf, waiting } from '../kit/plans.ts';

/** What a tenant may have computed before others have their turn. */
const TURN_TOKENS = 8_192;
/** Takes several times as long as sending all others. */
const LONGEST_TOKENS = 7_800;

type Headers = Record<string, string>;
/** Tokens of a prompt, and what is said of it. */
type Asked = [number, Headers];

let fleet: Fleet;
let answers: Promise<HttpAnswer>[] = [];
beforeAll(async () => {
  // From here on an engine is given a prompt when it has nearly done the one before.
  fleet = await startFleet({ prefill: 1, decode: 1 });
  await ask(300, {});
});
afterEach(async () => {
  for (const { status } of await Promise.all(answers)) expect(status).toBe(200);
  answers = [];
  await expectIdle(fleet);
});
afterAll(() => fleet?.stop());

/** Each prompt has another length, by which its plan is found. */
function ask(promptTokens: number, headers: Headers): Promise<HttpAnswer> {
  const prompt = randomPrompt(promptTokens, promptTokens);
  const body = { model: MODEL, prompt, max_tokens: 2, ignore_eos: true };
  const answer = post(fleet.url, '/v1/completions', body, { headers });
  answers.push(answer);
  return answer;
}

/** Asks for all of them while the prefill worker computes the first. Gives them in the order of their plans. */
async function askAll(asked: readonly Asked[]): Promise<number[]> {
  const [first = 0] = asked[0] ?? [];
  for (const [sent, [promptTokens, headers]] of asked.entries()) {
    void ask(promptTokens, headers);
    if (sent === 0) await planOf(fleet, promptTokens);
    else await waiting(fleet, sent);
  }
  expect((await planOf(fleet, first)).state).toBe('planned');
  await Promise.all(answers);
  const lengths = new Set(asked.map(([promptTokens]) => promptTokens));
  const plans = (await plansOf(fleet)).filter((plan) => lengths.has(plan.promptTokens));
  return plans.map((plan) => plan.promptTokens);
}

test('who has the higher class is planned first, however late it came', async () => {
  const of = (priority: number): Headers => ({ 'x-baton-priority': String(priority) });
  const asked: Asked[] = [
    [400, of(9)],
    [500, {}],
    [401, of(9)],
    [501, of(5)],
    [600, of(1)],
  ];
  const last: Asked[] = [
    [700, of(0)],
    [402, of(8)],
    [601, of(1)],
  ];
  const planned = await askAll([[LONGEST_TOKENS, of(9)], ...asked, ...last]);
  // Within a class the shortest comes first, as far as that is known.
  const classes = new Map(
    [...asked, ...last].map(([length, { 'x-baton-priority': priority }]) => [
      length,
      priority ?? 'none',
    ]),
  );
  expect(planned.slice(1).map((length) => classes.get(length))).toEqual([
    ...['0', '1', '1', expect.stringMatching(/5|none/), expect.stringMatching(/5|none/)],
    ...['8', '9', '9'],
  ]);
});

test('a tenant that asks for much does not delay the only request of another behind all of it', async () => {
  const of = (tenant: string): Headers => ({ 'x-baton-tenant': tenant });
  const flood = Array.from({ length: 11 }, (_, i): Asked => [1_000 + i, of('many')]);
  // The longest and the last to come.
  const single = 1_100;
  const planned = await askAll([[LONGEST_TOKENS + 1, of('many')], ...flood, [single, of('one')]]);
  expect(planned).toHaveLength(flood.length + 2);
  const before = planned.slice(1, planned.indexOf(single));
  expect(before.length).toBeLessThanOrEqual(Math.ceil(TURN_TOKENS / 1_000));
  expect(before).toEqual(flood.slice(0, before.length).map(([promptTokens]) => promptTokens));
});
