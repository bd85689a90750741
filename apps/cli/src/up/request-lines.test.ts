import { expect, it } from 'vitest';
import type { RequestRecord } from '../render/request-line.ts';
import { bytesOfPlan, RequestLines } from './request-lines.ts';

const request = (requestId: string, more: Partial<RequestRecord> = {}): RequestRecord => ({
  requestId,
  planId: `plan-${requestId}`,
  mode: 'disaggregated',
  finishedAtMs: 0,
  ...more,
});

it('shows requests in their order, with the bytes that moved', async () => {
  const shown: [string, number | undefined][] = [];
  const answers = new Map<string, (bytes: number) => void>();
  const lines = new RequestLines({
    movedBytes: (planId) => new Promise((resolve) => answers.set(planId, resolve)),
    show: ({ requestId, movedBytes }) => shown.push([requestId, movedBytes]),
  });
  lines.add(request('a'));
  lines.add(request('b', { mode: 'aggregated' }));
  lines.add(request('c'));
  answers.get('plan-c')?.(3);
  answers.get('plan-a')?.(1);
  await lines.settled();
  expect(shown).toEqual([
    ['a', 1],
    ['b', 0],
    ['c', 3],
  ]);
});

it('shows them all the same when nobody knows, and asks for few at a time', async () => {
  let asked = 0;
  let shown = 0;
  const lines = new RequestLines({
    movedBytes: () => {
      asked++;
      return Promise.reject(new Error('no answer'));
    },
    show: ({ movedBytes }) => {
      expect(movedBytes).toBeUndefined();
      shown++;
    },
  });
  for (let i = 0; i < 100; i++) lines.add(request(String(i)));
  await lines.settled();
  expect(shown).toBe(100);
  expect(asked).toBeLessThanOrEqual(16);
});

it('sums the bytes of a plan', () => {
  expect(bytesOfPlan({ transfers: [{ bytes: 2 }, {}, null, { bytes: 3 }] })).toBe(5);
  expect(bytesOfPlan({ transfers: [] })).toBe(0);
  expect(bytesOfPlan({ error: {} })).toBeUndefined();
});
