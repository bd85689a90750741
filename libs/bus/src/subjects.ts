import { BatonError, isWorkerId, workerIdRule } from '@baton/kv';

const PREFIX = 'baton.v1';

/** Kinds of messages; each has one subject per worker. docs/reference/subjects.md explains them. */
export type SubjectKind = 'beat' | 'delta' | 'snapshot' | 'transfer' | 'transferred' | 'cancel';

/** @throws BatonError `invalid_request` when the id cannot stand in a subject */
export function subjectOf(kind: SubjectKind, workerId: string): string {
  if (!isWorkerId(workerId)) {
    const shown = JSON.stringify(workerId.slice(0, 80));
    throw new BatonError('invalid_request', `worker_id ${shown} must be ${workerIdRule}`, {
      details: { field: 'worker_id' },
    });
  }
  return `${PREFIX}.${kind}.${workerId}`;
}

/** The kind's subjects of all workers. */
export function allSubjectsOf(kind: SubjectKind): string {
  return `${PREFIX}.${kind}.*`;
}

/** Worker id at the end of a subject of ours. */
export function workerIdOf(subject: string): string {
  return subject.slice(subject.lastIndexOf('.') + 1);
}
