/** While a prefill worker is busy, classes and tenants decide who of those who wait is planned next. */
import { post, randomPrompt, type HttpAnswer } from '@baton/test-kit';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { expectIdle, MODEL, slowTestModel, startFleet, type Fleet } from '../kit/fleet.ts';
import { planOf, plansOf, waiting } from '../kit/plans.ts';

/** What a tenant may have computed before others have their turn. */
const TURN_TOKENS = 8_192;
/** Takes several times as long as sending all others. */
const LONGEST_TOKENS = 6_000;

type Headers = Record<string, string>;
/** Tokens of a prompt, and what is said of it. */
type Asked = [number, Headers];

let fleet: Fleet;
let answers: Promise<HttpAnswer>[] = [];
beforeAll(async () => {
  // From here on an engine is given a prompt when it has nearly done the one before.
  fleet = await startFleet({ prefill: 1, decode: 1, model: await slowTestModel() });
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
  // Its class can be read off a prompt's length; without a header it is 5.
  const of = (priority: number, i: number): Asked => [
    300 + 10 * priority + i,
    priority === 5 ? {} : { 'x-baton-priority': String(priority) },
  ];
  const busy: Asked = [LONGEST_TOKENS, { 'x-baton-priority': '9' }];
  const asked = [of(9, 1), of(5, 1), of(9, 2), of(1, 1), of(5, 2), of(0, 1), of(8, 1), of(1, 2)];
  const [, ...planned] = await askAll([busy, ...asked]);
  const classes = planned.map((promptTokens) => Math.floor((promptTokens - 300) / 10));
  expect(classes).toEqual([0, 1, 1, 5, 5, 8, 9, 9]);
});

test('a tenant that asks for much does not delay the only request of another behind all of it', async () => {
  const of = (tenant: string): Headers => ({ 'x-baton-tenant': tenant });
  const flood = Array.from({ length: 11 }, (_, i): Asked => [1_000 + i, of('many')]);
  // The longest and the last to come.
  const single = 1_100;
  const planned = await askAll([[LONGEST_TOKENS + 1, of('many')], ...flood, [single, of('one')]]);
  expect(planned).toHaveLength(flood.length + 2);
  // The first one had been given to the worker before.
  const before = planned.indexOf(single) - 1;
  expect(before).toBeLessThanOrEqual(Math.ceil(TURN_TOKENS / 1_000));
});
