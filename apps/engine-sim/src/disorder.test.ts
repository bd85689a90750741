import { eventually, send } from '@baton/test-kit';
import { expect, test } from 'vitest';
import type { Fault } from './faults/fault.ts';
import { ask, COMPLETIONS, FOR_DECODE, MODEL, prefill, tokensIn } from './testing/asking.ts';
import { startedPair, tokensOf } from './testing/started-fleet.ts';
import type { StandIn } from './stand-in.ts';

const REQUESTS = 100;
const AT_ONCE = 10;
const SEED = 20_261_130;
/** Of a request on a quiet machine, about. */
const USUAL_MS = 20;

/** Numbers below `below`, the same ones for a seed. */
function drawsOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test('whatever goes wrong with whichever request, in the end nothing is left and answers are right', async () => {
  const { fleet, p, d } = await startedPair({
    ...{ blocks: 80, speedUp: 200, maxSequences: 6 },
    nixl: { leaseMs: 100, bandwidthBytesPerSec: 1e7 },
  });
  const draw = drawsOf(SEED);
  const faults = (): Fault[] => [
    { kind: 'hang' },
    { kind: 'reset' },
    { kind: 'status', status: 503 },
    { kind: 'delay', delayMs: draw(2_000) },
    { kind: 'cut', afterTokens: draw(6) },
    { kind: 'stall', afterTokens: draw(6) },
    { kind: 'malformed_sse', afterTokens: draw(6) },
    { kind: 'error_event', afterTokens: draw(6) },
    { kind: 'no_parameters' },
    { kind: 'transfer_failure' },
  ];
  const startMs = performance.now();
  await ask(p, { prompt: tokensOf(99, 100), max_tokens: 8 });
  // On a busy machine others are as slow as we are.
  const usualMs = Math.max(USUAL_MS, performance.now() - startMs);
  /** True when the whole answer came. */
  const tried = async (engine: StandIn, body: object, id: string): Promise<string | undefined> => {
    const signal = AbortSignal.timeout(USUAL_MS + draw(20 * usualMs));
    try {
      const headers = { 'x-request-id': id };
      const answer = await send(engine.url, COMPLETIONS, body, { headers, signal });
      return answer.ok ? await answer.text() : undefined;
    } catch (error) {
      // Cut off by the stand-in or by our own impatience: both are meant.
      expect(error).toBeInstanceOf(Error);
      return undefined;
    }
  };
  const one = async (i: number): Promise<boolean> => {
    const fault = faults()[draw(14)];
    if (fault !== undefined) (draw(2) === 0 ? p : d).arm(fault);
    const prompt = tokensOf(draw(6), 20 + draw(300));
    const body = { model: MODEL, prompt, stream: draw(2) === 0, max_tokens: 8 };
    const cut = { ...body, stream: false, max_tokens: 1, kv_transfer_params: FOR_DECODE };
    const before = await tried(p, cut, `r${i}`);
    if (before === undefined) return false;
    const { kv_transfer_params } = JSON.parse(before) as { kv_transfer_params: object | null };
    // Some leave here, and what was kept expires.
    if (kv_transfer_params === null || draw(8) === 0) return false;
    return (await tried(d, { ...body, kv_transfer_params }, `r${i}`)) !== undefined;
  };
  let done = 0;
  let whole = 0;
  const inLine = async (): Promise<void> => {
    while (done < REQUESTS) {
      done += 1;
      if (await one(done)) whole += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, inLine));
  expect(whole).toBeGreaterThan(0);
  expect(whole).toBeLessThan(REQUESTS);
  for (const engine of [p, d]) engine.faults.clear();
  await eventually(() => expect(fleet.leaks()).toEqual([]));
  // A decode that comes after the lease is the only thing that a slow test may do wrong.
  const expected = ['lease_expired', 'used_after_expiry', 'wrong_kv'];
  expect(fleet.violations.kinds.filter((kind) => !expected.includes(kind))).toEqual([]);
  const body = { prompt: tokensOf(77, 300), max_tokens: 10 };
  const kv_transfer_params = await prefill(p, body, 'last');
  const decoded = await ask(d, { ...body, kv_transfer_params }, 'last');
  expect(tokensIn(decoded)).toEqual(tokensIn(await ask(p, body)));
});
