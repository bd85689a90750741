/**
 * What a worker may be called: the id is part of NATS subjects and of file names, so nothing that either of them reads
 * as a separator or a wildcard.
 */
export const workerIdPattern = /^[A-Za-z0-9_-]{1,64}$/;

/** {@link workerIdPattern} for people, as in "must be …". */
export const workerIdRule = '1 to 64 of A-Z a-z 0-9 _ -';

export function isWorkerId(text: string): boolean {
  return workerIdPattern.test(text);
}
