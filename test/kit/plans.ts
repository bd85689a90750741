import type { PlanRecord } from '@baton/core';
import { eventually } from '@baton/test-kit';
import { getJson, type Fleet } from './fleet.ts';

const MOST_PLANS = 256;

/** What the conductor planned or refused, in the order in which it did. */
export async function plansOf(fleet: Fleet): Promise<PlanRecord[]> {
  const { plans } = await getJson<{ plans: PlanRecord[] }>(
    `${fleet.adminUrl}/plans?limit=${MOST_PLANS}`,
  );
  return plans.sort((a, b) => numberOf(a) - numberOf(b));
}

/** The last plan of a prompt of so many tokens, once there is one: tests give each request another length. */
export function planOf(fleet: Fleet, promptTokens: number): Promise<PlanRecord> {
  return eventually(async () => {
    const plans = await plansOf(fleet);
    const found = plans.findLast((plan) => plan.promptTokens === promptTokens);
    if (found === undefined) throw new Error(`no plan for ${promptTokens} tokens`);
    return found;
  });
}

/** Waits until so many requests wait in the conductor for room. */
export function waiting(fleet: Fleet, count: number): Promise<void> {
  return eventually(async () => {
    const plans = await getJson<{ waiting: number }>(`${fleet.adminUrl}/plans`);
    if (plans.waiting !== count) throw new Error(`${plans.waiting} requests wait, not ${count}`);
  });
}

/** The conductor counts its plans in their ids. */
function numberOf({ planId }: PlanRecord): number {
  return Number(planId.slice(planId.lastIndexOf('-') + 1));
}
