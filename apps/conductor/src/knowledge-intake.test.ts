import { setImmediate as turn } from 'node:timers/promises';
import type { CoreInput } from '@baton/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { KnowledgeIntake } from './knowledge-intake.ts';

const MiB = 1024 * 1024;
const epoch = { startedAtMs: 1, nonce: 0 };
const tick: CoreInput = { type: 'tick' };

let taken: CoreInput[];
/** What one step costs, and the clock that it moves. */
let stepMs: number;
let nowMs: number;
let work: number;
let fail: boolean;
let faults: unknown[];
let intake: KnowledgeIntake;

beforeEach(() => {
  [taken, stepMs, nowMs, work, fail, faults] = [[], 0, 0, 0, false, []];
  intake = new KnowledgeIntake({
    step: (input) => {
      taken.push(input);
      nowMs += stepMs;
      if (input.type === 'work') work -= 1;
      if (fail) throw new Error('no');
    },
    hasWork: () => work > 0,
    now: () => nowMs,
    onFault: (error) => faults.push(error),
  });
});
afterEach(() => intake.close());

function delta(seq: number, bytes: number): CoreInput {
  const ops = [{ kind: 'store' as const, tier: 1, rank: 0, keys: new Uint8Array(bytes) }];
  return { type: 'delta', delta: { workerId: 'w', epoch, seq, ops } };
}

const seqs = (): number[] =>
  taken.flatMap((input) => (input.type === 'delta' ? [input.delta.seq] : []));

test('inputs are taken in their order, soon, and not by the one who brings them', async () => {
  intake.offer(delta(1, 16));
  intake.offer(tick);
  intake.offer(delta(2, 16));
  expect(taken).toEqual([]);
  await turn();
  expect(taken).toMatchObject([{ delta: { seq: 1 } }, tick, { delta: { seq: 2 } }]);
  expect(intake.counters.waiting).toBe(0);
});

test('after a slice others get a turn, between inputs and between pieces of work', async () => {
  stepMs = 4;
  work = 5;
  for (let seq = 1; seq <= 6; seq += 1) intake.offer(delta(seq, 16));
  const perTurn: number[] = [];
  for (let before = 0; work > 0 || intake.counters.waiting > 0; before = taken.length) {
    await turn();
    if (taken.length > before) perTurn.push(taken.length - before);
  }
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(3);
  expect(taken).toHaveLength(11);
  expect(seqs()).toEqual([1, 2, 3, 4, 5, 6]);
});

test('work goes on however much comes in', async () => {
  stepMs = 10;
  work = 3;
  for (let seq = 1; seq <= 20; seq += 1) intake.offer(delta(seq, 16));
  for (let i = 0; i < 4; i += 1) await turn();
  expect(work).toBe(0);
  expect(intake.counters.waiting).toBeGreaterThan(10);
});

test('what waits is bounded in bytes and in number; what is too much is taken at once and in order', () => {
  for (let seq = 1; seq <= 40; seq += 1) intake.offer(delta(seq, MiB));
  expect(seqs()).toEqual(Array.from({ length: 24 }, (_, i) => i + 1));
  expect(intake.counters).toMatchObject({ waiting: 16, unqueued: 24 });
  for (let i = 0; i < 70_000; i += 1) intake.offer(tick);
  expect(intake.counters.waiting).toBeLessThanOrEqual(65_536);
});

test('an input that fails does not take the others with it', async () => {
  fail = true;
  intake.offer(tick);
  intake.offer(tick);
  await turn();
  expect(taken).toHaveLength(2);
  expect(faults).toHaveLength(2);
});

test('after the end nothing is taken', async () => {
  intake.offer(tick);
  intake.close();
  await turn();
  expect(taken).toEqual([]);
});
