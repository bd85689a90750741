import type { AttributeKey } from './catalogue.ts';

export interface MetricDefinition {
  /** As in OpenTelemetry; Prometheus has underscores instead of dots, and `_total` behind counters. */
  name: string;
  /** Process that has it. */
  process: string;
  /** A counter counts up since the process, or the worker's incarnation, began. */
  kind: 'gauge' | 'counter' | 'histogram';
  /** UCUM: seconds, bytes, or what is counted in braces. */
  unit: string;
  doc: string;
  attributes: readonly AttributeKey[];
  /** Upper bounds of a histogram's buckets. */
  bounds?: readonly number[];
}

type Kind = MetricDefinition['kind'];

const ofIndex = (name: string, kind: Kind, unit: string, doc: string): MetricDefinition => ({
  name: `baton.index.${name}`,
  process: 'conductor',
  kind,
  unit,
  doc,
  attributes: [],
});

const ofWorker = (name: string, kind: Kind, unit: string, doc: string): MetricDefinition => ({
  ...ofIndex(name, kind, unit, doc),
  attributes: ['worker'],
});

const ofGateway = (name: string, kind: Kind, unit: string, doc: string): MetricDefinition => ({
  ...{ name: `baton.${name}`, process: 'gateway', kind, unit, doc },
  attributes: [],
});

/** Every metric of Baton's own. */
export const metricDefinitions = {
  requestsOpen: ofGateway('requests.open', 'gauge', '{request}', 'Requests that are being served.'),
  turnsKept: ofGateway(
    'turns.kept',
    'gauge',
    '{turn}',
    'Turns of conversations that decode workers keep for the prefill of the next one, as far as they are known.',
  ),
  turnsRead: ofGateway(
    'turns.read',
    'counter',
    '{turn}',
    'Those of which a prefill engine was told.',
  ),
  requestLogRecording: ofGateway(
    'request_log.recording',
    'gauge',
    '1',
    '1 while requests are recorded, 0 when the file cannot be written or is full.',
  ),
  requestLogLines: ofGateway('request_log.lines', 'counter', '{line}', 'Lines in the file.'),
  requestLogSize: ofGateway('request_log.size', 'gauge', 'By', 'Size of the file.'),
  requestLogHeld: ofGateway(
    'request_log.held',
    'gauge',
    '{request}',
    'Requests that have not ended, and those that wait for them.',
  ),
  requestLogCut: ofGateway(
    'request_log.cut',
    'counter',
    '{line}',
    'Lines of requests that went on, with the output until then.',
  ),
  requestLogLeftOut: {
    ...ofGateway('request_log.left_out', 'counter', '{request}', 'Requests without a line.'),
    attributes: ['leftOutReason'],
  },
  indexSegments: ofIndex('segments', 'gauge', '{segment}', 'Segments that somebody holds.'),
  indexReplicas: {
    ...ofIndex('replicas', 'gauge', '{replica}', 'Replicas of segments in each tier.'),
    attributes: ['tier'],
  },
  indexResumePoints: ofIndex(
    'resume_points',
    'gauge',
    '{segment}',
    'Segments at whose end a sequence of a hybrid model can be resumed.',
  ),
  indexReplicaLimit: ofIndex(
    'replica_limit',
    'gauge',
    '{replica}',
    'Replicas and resume points that there is room for.',
  ),
  indexLeavingReplicas: ofIndex(
    'leaving_replicas',
    'gauge',
    '{replica}',
    'Replicas that no longer count and whose room is still to be won back.',
  ),
  indexSize: ofIndex('size', 'gauge', 'By', 'Memory of the index.'),
  indexHolderSets: ofIndex('holder_sets', 'gauge', '{set}', 'Different sets of holders.'),
  indexEvictedSegments: ofIndex(
    'evicted_segments',
    'counter',
    '{segment}',
    'Segments left out because there was no room.',
  ),
  indexEvictedReplicas: ofIndex(
    'evicted_replicas',
    'counter',
    '{replica}',
    'Replicas left out because there was no room.',
  ),
  indexRefusedStores: ofIndex(
    'refused_stores',
    'counter',
    '{segment}',
    'Stores of ranks beyond those that there is room for.',
  ),
  indexAbsentRemovals: ofIndex(
    'absent_removals',
    'counter',
    '{segment}',
    'Removals of what was not there.',
  ),
  indexIgnoredChanges: ofIndex(
    'ignored_changes',
    'counter',
    '{change}',
    'Changes with an unknown tier or damaged keys.',
  ),
  indexStrayMessages: ofIndex(
    'stray_messages',
    'counter',
    '{message}',
    'Messages of workers that are not known, or no longer.',
  ),
  indexWaitingInputs: ofIndex(
    'waiting_inputs',
    'gauge',
    '{message}',
    'Messages of agents that wait for their turn.',
  ),
  indexUnqueuedInputs: ofIndex(
    'unqueued_inputs',
    'counter',
    '{message}',
    'Messages of agents that were taken before plans because too many waited.',
  ),
  indexMatchDuration: {
    ...ofIndex(
      'match.duration',
      'histogram',
      's',
      'Looking up a prompt in the index; counted from the first scrape on.',
    ),
    bounds: [1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2],
  },
  indexSynced: ofWorker(
    'synced',
    'gauge',
    '1',
    '1 when the index has everything that was heard of the worker.',
  ),
  indexIncomplete: ofWorker(
    'incomplete',
    'gauge',
    '1',
    "1 when some of the worker's entries were evicted.",
  ),
  indexWaitingKeys: ofWorker(
    'waiting_keys',
    'gauge',
    '{segment}',
    "Keys of changes that wait for a snapshot's end or for their turn.",
  ),
  indexGaps: ofWorker('gaps', 'counter', '{gap}', 'Times that deltas were missing.'),
  indexDuplicates: ofWorker('duplicates', 'counter', '{message}', 'Messages that came again.'),
  indexStale: ofWorker(
    'stale',
    'counter',
    '{message}',
    'Messages of another incarnation, or of a snapshot that nobody waits for.',
  ),
  indexMismatches: ofWorker(
    'mismatches',
    'counter',
    '{mismatch}',
    "Times that the worker's account was another than the index although no delta was missing.",
  ),
  indexResyncs: {
    ...ofWorker('resyncs', 'counter', '{snapshot}', 'Snapshots that were asked for.'),
    attributes: ['worker', 'resyncCause'],
  },
  indexSnapshots: ofWorker('snapshots', 'counter', '{snapshot}', 'Snapshots that were complete.'),
  indexSnapshotFailures: ofWorker(
    'snapshot_failures',
    'counter',
    '{snapshot}',
    'Snapshots that did not come, or were of no use.',
  ),
  indexDecodeFailures: ofWorker(
    'decode_failures',
    'counter',
    '{message}',
    'Messages of the worker that could not be read.',
  ),
  indexUnresolvedBlocks: ofWorker(
    'unresolved_blocks',
    'gauge',
    '{block}',
    'Blocks that the engine holds and whose content is not known.',
  ),
  indexEventGaps: ofWorker(
    'event_gaps',
    'counter',
    '{gap}',
    "Times that the engine's events were missing.",
  ),
  indexReplayedBatches: ofWorker(
    'replayed_batches',
    'counter',
    '{batch}',
    "Event batches that came again from the engine's buffer.",
  ),
  indexEventResets: ofWorker(
    'event_resets',
    'counter',
    '{reset}',
    "Times that what was known of a rank's cache was given up.",
  ),
  indexEventDecodeFailures: ofWorker(
    'event_decode_failures',
    'counter',
    '{event}',
    'Events of the engine that could not be read.',
  ),
  indexEventMismatches: ofWorker(
    'event_mismatches',
    'counter',
    '{block}',
    'Blocks whose name contradicts their content.',
  ),
} as const satisfies Record<string, MetricDefinition>;

export type MetricKey = keyof typeof metricDefinitions;
