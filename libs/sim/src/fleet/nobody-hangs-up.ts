import type { CoreOptions } from '@baton/core';

/**
 * Of the core, for a load in which nobody hangs up: whoever is not served in time shows in the figures. Nor does the
 * gateway fall silent.
 */
export const nobodyHangsUp = {
  maxWaitMs: 1e12,
  maxWaiting: 1e7,
  maxLivePlans: 1e7,
  keptPlans: 1,
  planLeaseMs: 60_000,
} as const satisfies Partial<CoreOptions>;
