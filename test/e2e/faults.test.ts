/** A handover that goes wrong in every way that a network and a dying process know: the answer stays right. */
import { openFaultProxy, type Fault, type FaultProxy } from '@baton/transfer-engines/testing';
import {
  complete,
  eventually,
  freePort,
  randomPrompt,
  type Completion,
  type CompletionBody,
} from '@baton/test-kit';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { expectIdle, getJson, MODEL, startFleet, type Fleet } from '../kit/fleet.ts';

const STALL_MS = 1_000;
const PROMPT_TOKENS = 700;
/** Somewhere in the frames of a handover: in a header, in the first and in later segments. */
const PLACES = [0, 40, 5_000, 90_000];

let fleet: Fleet;
let proxy: FaultProxy;
let nextSeed = 1;

beforeAll(async () => {
  // The prefill agent listens on a port that is known before, and tells the others the proxy's.
  const transferPort = await freePort();
  proxy = await openFaultProxy({ host: '127.0.0.1', port: transferPort });
  fleet = await startFleet({
    prefill: 1,
    decode: 1,
    reproducible: true,
    agentArgs: (id) => [
      ...['--transfer-stall-ms', String(STALL_MS)],
      ...(id === 'prefill-1'
        ? ['--transfer-port', String(transferPort), '--transfer-advertise', proxy.address]
        : []),
    ],
  });
});
afterAll(async () => {
  await fleet?.stop();
  await proxy?.close();
});
beforeEach(() => {
  proxy.faultFor = () => undefined;
  proxy.cutAll();
});

interface Counters {
  checksumFailures: number;
  stalls: number;
  cuts: number;
  pullsFailed: number;
  handoversReceived: number;
  handoversFailed: number;
  tokensTransferred: number;
}

async function decodeCounters(): Promise<Counters> {
  const { workers } = await getJson<{ workers: { workerId: string; counters: Counters }[] }>(
    `${fleet.adminUrl}/workers`,
  );
  const decode = workers.find((worker) => worker.workerId === 'decode-1');
  if (decode === undefined) throw new Error('decode-1 is not there');
  return decode.counters;
}

/** Every other prompt is sampled, with a seed: the sampler's state has to survive a recomputation, too. */
const request = (prompt: number[]): CompletionBody => ({
  model: MODEL,
  prompt,
  max_tokens: 12,
  ignore_eos: true,
  ...((prompt[0] ?? 0) % 2 === 0 ? { temperature: 0 } : { temperature: 0.9, top_k: 40, seed: 5 }),
});

const ask = (prompt: number[]): Promise<Completion> =>
  complete(fleet.url, { ...request(prompt), stream: true });

/** What the decode engine alone says: computed from the prompt, without Baton. */
const expected = (prompt: number[]): Promise<Completion> =>
  complete(fleet.worker('decode-1').engine.endpoints['http'] ?? '', {
    ...request(prompt),
    cache_salt: 'alone',
  });

async function askWith(fault: Fault): Promise<void> {
  const prompt = randomPrompt(nextSeed++, PROMPT_TOKENS);
  proxy.faultFor = (): Fault => fault;
  const answer = await ask(prompt);
  proxy.faultFor = () => undefined;
  expect(answer.tokenIds).toEqual((await expected(prompt)).tokenIds);
  expect(answer.promptTokens).toBe(PROMPT_TOKENS);
  expect(answer.completionTokens).toBe(12);
}

test('without a fault the proxy is on the way and everything is handed over', async () => {
  const before = proxy.bytesDown;
  const prompt = randomPrompt(nextSeed++, PROMPT_TOKENS);
  const answer = await ask(prompt);
  expect(answer.tokenIds).toEqual((await expected(prompt)).tokenIds);
  expect(proxy.bytesDown - before).toBeGreaterThan(PROMPT_TOKENS * 256);
  await eventually(async () => expect((await decodeCounters()).handoversReceived).toBe(1));
});

test.each(PLACES)('a byte flipped at %d', async (at) => {
  const before = await decodeCounters();
  await askWith({ kind: 'flip', direction: 'down', at });
  await eventually(async () => {
    const after = await decodeCounters();
    expect(after.pullsFailed).toBeGreaterThan(before.pullsFailed);
  });
  await expectIdle(fleet);
});

test('a byte flipped in a payload is found by its checksum', async () => {
  const before = await decodeCounters();
  await askWith({ kind: 'flip', direction: 'down', at: 7_777 });
  await eventually(async () => {
    expect((await decodeCounters()).checksumFailures).toBeGreaterThan(before.checksumFailures);
  });
});

test.each(PLACES)('cut at byte %d', async (at) => {
  const before = await decodeCounters();
  await askWith({ kind: 'cut', direction: 'down', at });
  await eventually(async () => {
    expect((await decodeCounters()).cuts).toBeGreaterThan(before.cuts);
  });
  await expectIdle(fleet);
});

test.each([0, 20_000])('stalled at byte %d', async (at) => {
  const before = await decodeCounters();
  await askWith({ kind: 'stall', direction: 'down', at });
  await eventually(async () => {
    expect((await decodeCounters()).stalls).toBeGreaterThan(before.stalls);
  });
  await expectIdle(fleet);
});

test('a request that stalls on its way to the source', async () => {
  await askWith({ kind: 'stall', direction: 'up', at: 10 });
  await expectIdle(fleet);
});

test.each(['decode-1', 'prefill-1'])('the agent of %s dies under load', async (id) => {
  const worker = fleet.worker(id);
  const prompts = Array.from({ length: 6 }, () => randomPrompt(nextSeed++, 2 * PROMPT_TOKENS));
  const answers = prompts.map((prompt) => ask(prompt).catch((error: Error) => error));
  // As soon as bytes move, so that it is in the middle of something.
  const moved = proxy.bytesDown;
  await eventually(() => expect(proxy.bytesDown).toBeGreaterThan(moved));
  await worker.agent.kill();
  for (const [i, answer] of (await Promise.all(answers)).entries()) {
    // A clear error is allowed, garbage is not.
    if (answer instanceof Error) expect(answer.message).toMatch(/"code"|worker|unavailable/i);
    else expect(answer.tokenIds).toEqual((await expected(prompts[i] ?? [])).tokenIds);
  }
  await fleet.startAgent(worker);
  await fleet.ready();
  const again = randomPrompt(nextSeed++, PROMPT_TOKENS);
  expect((await ask(again)).tokenIds).toEqual((await expected(again)).tokenIds);
  await expectIdle(fleet);
});
