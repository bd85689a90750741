import type { EventCounter, IndexStatus, SyncCounters, WorkerKnowledge } from '@baton/core';
import { createMetrics, type MetricReport, type Metrics } from '@baton/telemetry';
import type { FastifyInstance } from 'fastify';
import type { IntakeCounters } from './knowledge-intake.ts';

export interface ConductorMetricsSource {
  index: () => IndexStatus;
  intake: () => Readonly<IntakeCounters>;
}

/** What the conductor says of itself at each scrape. */
export function conductorMetrics({ index, intake }: ConductorMetricsSource): Metrics {
  return createMetrics({
    process: 'conductor',
    observe: (report) => {
      const status = index();
      reportIndex(status, report);
      for (const worker of status.workers) reportWorker(worker, report);
      report('indexWaitingInputs', intake().waiting);
      report('indexUnqueuedInputs', intake().unqueued);
    },
  });
}

/** Times a look-up in the index. */
export function timedMatch<T>(metrics: Metrics, match: () => T): T {
  const startMs = performance.now();
  try {
    return match();
  } finally {
    metrics.record('indexMatchDuration', (performance.now() - startMs) / 1000);
  }
}

/** `GET /metrics` for Prometheus. */
export function metricsRoute(app: FastifyInstance, metrics: Metrics): void {
  app.get('/metrics', async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.scrape()),
  );
}

function reportIndex(status: IndexStatus, report: MetricReport): void {
  const { stats } = status;
  report('indexSegments', stats.segments);
  for (const [tier, replicas] of Object.entries(status.replicas)) {
    report('indexReplicas', replicas, { tier });
  }
  report('indexResumePoints', status.resumePoints);
  report('indexReplicaLimit', status.limits.maxReplicas);
  report('indexLeavingReplicas', stats.leavingReplicas);
  report('indexSize', stats.sizeBytes);
  report('indexHolderSets', stats.holderSets);
  report('indexEvictedSegments', stats.evictedSegments);
  report('indexEvictedReplicas', stats.evictedReplicas);
  report('indexRefusedStores', stats.refusedStores);
  report('indexAbsentRemovals', stats.absentRemovals);
  report('indexIgnoredChanges', stats.ignoredOps);
  report('indexStrayMessages', status.strayMessages);
}

function reportWorker({ workerId, sync, events }: WorkerKnowledge, report: MetricReport): void {
  const labels = { worker: workerId };
  const count = (name: EventCounter): number => events[name] ?? 0;
  report('indexUnresolvedBlocks', count('unresolvedBlocks'), labels);
  report('indexEventGaps', count('eventGaps'), labels);
  report('indexReplayedBatches', count('replayedBatches'), labels);
  report('indexEventResets', count('eventResets'), labels);
  report('indexEventDecodeFailures', count('eventDecodeFailures'), labels);
  report('indexEventMismatches', count('eventMismatches'), labels);
  if (sync === undefined) return;
  report('indexSynced', sync.synced ? 1 : 0, labels);
  report('indexIncomplete', sync.incomplete ? 1 : 0, labels);
  report('indexWaitingKeys', sync.waitingKeys, labels);
  reportCounters(sync.counters, workerId, report);
}

function reportCounters(counters: SyncCounters, worker: string, report: MetricReport): void {
  report('indexGaps', counters.gaps, { worker });
  report('indexDuplicates', counters.duplicates, { worker });
  report('indexStale', counters.stale, { worker });
  report('indexMismatches', counters.mismatches, { worker });
  report('indexSnapshots', counters.snapshots, { worker });
  report('indexSnapshotFailures', counters.snapshotFailures, { worker });
  report('indexDecodeFailures', counters.decodeFailures, { worker });
  for (const [resyncCause, snapshots] of Object.entries(counters.resyncs)) {
    report('indexResyncs', snapshots, { worker, resyncCause });
  }
}
