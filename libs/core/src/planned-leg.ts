import type { WorkerFacts } from '@baton/cluster';
import type { PlannedLeg } from './effects.ts';

/** What a gateway has to know of a leg's worker; of one that is gone as good as nothing. */
export function plannedLeg(
  workerId: string,
  heldTokens: number,
  facts: WorkerFacts | undefined,
): PlannedLeg {
  const { engineUrl = '', engine = '', layout, meetingPoint, pairOnly = false } = facts ?? {};
  const { connector = '', blockTokens = 0 } = layout ?? {};
  const spoken = { engineUrl, engine, connector, blockTokens };
  return { workerId, heldTokens, ...spoken, meetingPoint, pairOnly };
}
