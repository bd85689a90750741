/** A promised time between tokens, by a header: who decodes already is given no answer that would break it. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  eventually,
  post,
  randomPrompt,
  send,
  startService,
  type ServiceProcess,
} from '@baton/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectIdle, getJson, MODEL, startFleet, type Fleet } from '../kit/fleet.ts';
import { planOf, waiting } from '../kit/plans.ts';

const HEADER = 'x-baton-slo-tbt-ms';
const COMPLETIONS = '/v1/completions';
const TOO_SLOW = 'tokens would come slower than promised';
/** Of an answer that the conductor learns from, and how long engines are stopped in it. */
const LEARNED_TOKENS = 8;
const SLOW_MS = 600;
/** No engine that decodes already is taken to keep it. */
const PROMISED_MS = 20;
const PROMISED = { [HEADER]: String(PROMISED_MS) };
/** Of its limit the gateway keeps five seconds to itself: its requests wait for no longer than the rest. */
const IMPATIENT_PLAN_MS = 5_300;

let fleet: Fleet;
let impatient: ServiceProcess;

beforeAll(async () => {
  fleet = await startFleet({ prefill: 1, decode: 2 });
  const conductor = fleet.conductor.endpoints['grpc'] ?? '';
  const limits = ['--time-limits-plan-ms', String(IMPATIENT_PLAN_MS)];
  const args = ['--conductor', conductor, '--port', '0', ...limits];
  impatient = await startService('gateway', 'impatient gateway', args);
  await learn();
});
afterAll(async () => {
  await impatient?.stop();
  await fleet?.stop();
});

const body = (promptTokens: number, maxTokens: number): object => ({
  ...{ model: MODEL, prompt: randomPrompt(promptTokens, promptTokens) },
  ...{ max_tokens: maxTokens, ignore_eos: true },
});

/** Lets an answer take long, on whichever machine this runs: engines are stopped before its second token. */
async function learn(): Promise<void> {
  const decoders = ['decode-1', 'decode-2'].map((id) => fleet.worker(id).engine);
  // A quick engine may be done before it is stopped.
  await eventually(async () => {
    const answer = { ...body(200, LEARNED_TOKENS), stream: true };
    const started = await send(fleet.url, COMPLETIONS, answer);
    await started.body?.getReader().read();
    for (const engine of decoders) engine.pause();
    await sleep(SLOW_MS);
    for (const engine of decoders) engine.resume();
    await expectIdle(fleet);
    expect(await learnedMs()).toBeGreaterThan(2 * PROMISED_MS);
  });
}

/** What a step is taken to need, whatever is in it. */
async function learnedMs(): Promise<number> {
  const { decodeCosts } = await getJson<{ decodeCosts: { cost: { fixedMs: number } }[] }>(
    `${fleet.adminUrl}/policies`,
  );
  return decodeCosts[0]?.cost.fixedMs ?? 0;
}

interface Stream {
  decode: string;
  leave: () => void;
}

/** An answer that goes on until it is left. */
async function stream(promptTokens: number, headers: Record<string, string>): Promise<Stream> {
  const leaving = new AbortController();
  const asked = { ...body(promptTokens, 7_500), stream: true };
  const response = await send(fleet.url, COMPLETIONS, asked, { headers, signal: leaving.signal });
  expect(response.status).toBe(200);
  const decode = response.headers.get('x-baton-decode-worker') ?? '';
  return { decode, leave: () => leaving.abort() };
}

test.each(['', '4', '10001', '-50', '1e3', '50.5', 'fast', '99999999999999999999'])(
  'a header of "%s" is refused with its name',
  async (value) => {
    const { status, body: answer } = await post(fleet.url, COMPLETIONS, body(200, 2), {
      headers: { [HEADER]: value },
    });
    expect([status, answer.error?.param, answer.error?.code]).toEqual([
      ...[400, HEADER, 'invalid_request'],
    ]);
    expect(answer.error?.message).toContain(`${HEADER} must be a whole number from 5 to 10000`);
  },
);

test('the second goes elsewhere, the third waits or is refused, one without a promise is served', async () => {
  const first = await stream(201, PROMISED);
  const second = await stream(202, PROMISED);
  expect([first.decode, second.decode].sort()).toEqual(['decode-1', 'decode-2']);
  expect((await planOf(fleet, 202)).explanation?.ineligible).toEqual([
    { workerId: first.decode, reason: TOO_SLOW },
  ]);

  const tooSlow = ['decode-1', 'decode-2'].map((workerId) => ({ workerId, reason: TOO_SLOW }));
  const inVain = await post(impatient.endpoints['http'] ?? '', COMPLETIONS, body(203, 2), {
    headers: PROMISED,
  });
  expect([inVain.status, inVain.body.error?.code]).toEqual([429, 'no_capacity']);
  expect(Number(inVain.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  const refused = await planOf(fleet, 203);
  expect([refused.state, refused.endReason]).toEqual(['refused', 'no_capacity']);
  expect(refused.explanation?.ineligible).toEqual(tooSlow);

  const unpromised = await post(fleet.url, COMPLETIONS, body(204, LEARNED_TOKENS - 1));
  expect(unpromised.body.usage?.completion_tokens).toBe(LEARNED_TOKENS - 1);
  expect((await planOf(fleet, 204)).explanation?.ineligible).toEqual([]);

  const patient = post(fleet.url, COMPLETIONS, body(205, 2), { headers: PROMISED });
  await waiting(fleet, 1);
  for (const promptTokens of [201, 202]) {
    expect((await planOf(fleet, promptTokens)).state).toBe('streaming');
  }
  first.leave();
  const served = await patient;
  expect(served.status).toBe(200);
  expect(served.headers.get('x-baton-decode-worker')).toBe(first.decode);
  second.leave();
  await expectIdle(fleet);
});
