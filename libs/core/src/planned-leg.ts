import type { WorkerRecord } from '@baton/cluster';
import type { Choice } from '@baton/scheduling';
import type { PlannedLeg } from './effects.ts';

/** What a gateway has to know of a leg's worker; of one that is gone as good as nothing. */
export function plannedLeg(
  { workerId, rank, heldSegments }: Choice['prefill'],
  segmentTokens: number,
  record: Pick<WorkerRecord, 'facts' | 'loads' | 'epoch'> | undefined,
): PlannedLeg {
  const { facts, loads = [], epoch } = record ?? {};
  const { engineUrl = '', engine = '', layout, meetingPoint, pairOnly = false } = facts ?? {};
  const { connector = '', blockTokens = 0 } = layout ?? {};
  return {
    ...{ workerId, heldTokens: heldSegments * segmentTokens },
    ...{ engineUrl, engine, connector, blockTokens, meetingPoint, pairOnly },
    rank: loads.length > 1 ? rank : undefined,
    epoch,
  };
}
