import { keyAt, keyCount, rootKey, segmentKeys } from '@baton/kv';
import { expect, test } from 'vitest';
import { transferOrders, type TransferPlan } from './orders.ts';
import { TransferLedger, type TransferResult } from './transfer-ledger.ts';

const keys = segmentKeys(rootKey({ tokenization: 't' }), [1, 2, 3, 4, 5, 6], 1);
const plan = (changes: Partial<TransferPlan>): TransferPlan => ({
  planId: 'p1',
  keys,
  traceparent: '00-a-b-01',
  ...changes,
});
const handover = (heldSegments: number): NonNullable<TransferPlan['handover']> => ({
  sourceWorker: 'prefill',
  sourceAddress: 'p:1',
  destinationWorker: 'decode',
  heldSegments,
  timeoutMs: 1000,
});
const pull = {
  sourceWorker: 'other',
  sourceAddress: 'o:1',
  destinationWorker: 'prefill',
  firstSegment: 1,
  segments: 3,
  timeoutMs: 500,
};

test('a handover brings what decode lacks, contiguous to the end, and the tail', () => {
  const [order] = transferOrders(plan({ handover: handover(2) }));
  expect(order).toMatchObject({ reason: 'handover', withTail: true });
  expect(order?.destinationWorker).toBe('decode');
  expect(keyCount(order?.keys ?? keys)).toBe(4);
  expect(keyAt(order?.keys ?? keys, 0)).toEqual(keyAt(keys, 2));
});

test('a handover to a decode worker that holds all segments still brings the tail', () => {
  const [order] = transferOrders(plan({ handover: handover(6) }));
  expect(order).toMatchObject({ withTail: true });
  expect(order?.keys.length).toBe(0);
});

test('a pull brings its run only, never past the prompt, and goes to the prefill worker', () => {
  const orders = transferOrders(plan({ pulls: [pull], handover: handover(0) }));
  expect(orders.map((order) => [order.reason, order.destinationWorker])).toEqual([
    ['prefix', 'prefill'],
    ['handover', 'decode'],
  ]);
  expect(orders[0]).toMatchObject({ withTail: false });
  expect(keyCount(orders[0]?.keys ?? keys)).toBe(3);
  expect(keyAt(orders[0]?.keys ?? keys, 0)).toEqual(keyAt(keys, 1));
  const [long] = transferOrders(plan({ pulls: [{ ...pull, firstSegment: 5 }] }));
  expect(keyCount(long?.keys ?? keys)).toBe(1);
  expect(new Set(orders.map((order) => order.transferId)).size).toBe(2);
});

test('runs from several workers are orders of their own', () => {
  const pulls = [pull, { ...pull, sourceWorker: 'third', firstSegment: 4, segments: 2 }];
  const orders = transferOrders(plan({ pulls }));
  expect(orders.map(({ sourceWorker, keys: own }) => [sourceWorker, keyCount(own)])).toEqual([
    ['other', 3],
    ['third', 2],
  ]);
  expect(keyAt(orders[1]?.keys ?? keys, 0)).toEqual(keyAt(keys, 4));
  expect(orders.map(({ transferId }) => transferId)).toEqual(['p1-prefix', 'p1-prefix-2']);
});

test('an order owns its keys', () => {
  const copy = keys.slice();
  const [order] = transferOrders(plan({ keys: copy, handover: handover(0) }));
  copy.fill(0);
  expect(order?.keys).toEqual(keys);
});

const result = (changes: Partial<TransferResult> = {}): TransferResult => ({
  transferId: 'p1-handover',
  workerId: 'decode',
  status: 'done',
  segments: 4,
  bytes: 4000,
  durationMs: 3,
  bytesPerSec: 1e6,
  backend: 'tcp',
  code: '',
  ...changes,
});

function ledgerWithOne(): TransferLedger {
  const ledger = new TransferLedger();
  for (const order of transferOrders(plan({ handover: handover(2) }))) ledger.ordered(order, 100);
  return ledger;
}

test('a transfer ends once, and only by the agent that was ordered', () => {
  const ledger = ledgerWithOne();
  expect(ledger.finished(result({ workerId: 'stranger' }))).toBeUndefined();
  expect(ledger.finished(result())).toMatchObject({ status: 'done', bytes: 4000 });
  expect(ledger.finished(result())).toBeUndefined();
  expect(ledger.active()).toEqual([]);
  expect(ledger.totals()).toMatchObject({ ordered: 1, done: 1, segments: 4, bytes: 4000 });
});

test('refusal, silence and a lost destination end it, too', () => {
  const refused = ledgerWithOne();
  expect(refused.refused('p1-handover', 'arena_full')).toMatchObject({ code: 'arena_full' });
  const silent = ledgerWithOne();
  silent.expire(6099);
  expect(silent.active()).toHaveLength(1);
  silent.expire(6100);
  expect(silent.active()).toEqual([]);
  const lost = ledgerWithOne();
  lost.workerLost('prefill');
  expect(lost.active()).toHaveLength(1);
  lost.workerLost('decode');
  expect(lost.totals()).toMatchObject({ ordered: 1, failed: 1 });
});
