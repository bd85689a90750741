import { expect, test } from 'vitest';
import type { baton } from '@baton/proto';
import { gatewayConfigSchema, PLAN_ANSWER_MS } from '../config.ts';
import { requestPlan } from './request-plan.ts';

/** What the conductor is asked when the gateway waits `limitMs` for its answer. */
async function asked(limitMs: number): Promise<baton.v1.IPlanRequest & { timeoutMs: number }> {
  const requests: (baton.v1.IPlanRequest & { timeoutMs: number })[] = [];
  const session = {
    connected: true,
    plan: (request: baton.v1.IPlanRequest, _signal: AbortSignal, timeoutMs: number) => {
      requests.push({ ...request, timeoutMs });
      return Promise.resolve({ requestId: 'r', refusal: { code: 'no_capacity' } });
    },
    report: () => undefined,
  };
  const { signal } = new AbortController();
  await expect(requestPlan(session, { model: 'm' }, limitMs, signal)).rejects.toMatchObject({
    code: 'no_capacity',
  });
  return requests[0] ?? { timeoutMs: 0 };
}

test('the conductor lets a request wait less than the gateway waits for its answer', async () => {
  const { timeLimits } = gatewayConfigSchema.parse({
    conductor: 'c',
    timeLimits: {},
    sloLimits: {},
    record: {},
  });
  for (const planMs of [timeLimits.planMs, 10_000, PLAN_ANSWER_MS + 1]) {
    const { maxWaitMs, timeoutMs } = await asked(planMs);
    expect(timeoutMs).toBe(planMs);
    expect(maxWaitMs).toBe(planMs - PLAN_ANSWER_MS);
  }
});

test('a gateway that hardly waits still says so, since 0 would leave it to the conductor', async () => {
  expect(await asked(1)).toMatchObject({ maxWaitMs: 1, timeoutMs: 1 });
});
