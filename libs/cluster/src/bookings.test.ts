import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Bookings, type Booking } from './bookings.ts';

const booking = (changes: Partial<Booking> = {}): Booking => ({
  workerId: 'w1',
  rank: 0,
  leg: 'decode',
  prefillTokens: 0,
  kvBlocks: 0,
  streams: 1,
  ...changes,
});
const zero = { prefillTokens: 0, kvBlocks: 0, streams: 0 };

test('the prefill leg is given back when the prompt is computed, the decode leg at the end', () => {
  const bookings = new Bookings();
  bookings.book('p1', [
    booking({ workerId: 'p', leg: 'prefill', prefillTokens: 100, kvBlocks: 2 }),
    booking({ workerId: 'd', kvBlocks: 4 }),
  ]);
  expect(bookings.booked('p', 0)).toEqual({ prefillTokens: 100, kvBlocks: 2, streams: 1 });
  bookings.prefillDone('p1');
  bookings.prefillDone('p1');
  expect(bookings.booked('p', 0)).toEqual(zero);
  expect(bookings.booked('d', 0)).toEqual({ prefillTokens: 0, kvBlocks: 4, streams: 1 });
  bookings.release('p1');
  bookings.release('p1');
  expect(bookings.booked('d', 0)).toEqual(zero);
  expect(bookings.size).toBe(0);
});

test('an aggregated leg gives back its prefill tokens and keeps the rest', () => {
  const bookings = new Bookings();
  bookings.book('p1', [booking({ prefillTokens: 50, kvBlocks: 3 })]);
  bookings.prefillDone('p1');
  expect(bookings.booked('w1', 0)).toEqual({ prefillTokens: 0, kvBlocks: 3, streams: 1 });
});

test('work that Baton did not send counts, work that has just ended does not', () => {
  const bookings = new Bookings();
  bookings.book('p1', [booking({ kvBlocks: 4 })]);
  bookings.release('p1');
  bookings.reconcile('w1', 0, { prefillTokens: 0, kvBlocks: 4, streams: 1 });
  expect(bookings.load('w1', 0)).toEqual(zero);
  bookings.reconcile('w1', 0, { prefillTokens: 10, kvBlocks: 4, streams: 1 });
  expect(bookings.load('w1', 0)).toEqual({ prefillTokens: 10, kvBlocks: 4, streams: 1 });
  expect(bookings.booked('w1', 0)).toEqual(zero);
  bookings.reconcile('w1', 0, zero);
  expect(bookings.load('w1', 0)).toEqual(zero);
});

test.each([[-1], [0.5], [NaN], [Infinity]])('a claim of %s is refused as a whole', (bad) => {
  const bookings = new Bookings();
  expect(() => bookings.book('p1', [booking(), booking({ kvBlocks: bad })])).toThrow(/kvBlocks/);
  expect(bookings.booked('w1', 0)).toEqual(zero);
});

test('one plan is booked once', () => {
  const bookings = new Bookings();
  bookings.book('p1', [booking()]);
  expect(() => bookings.book('p1', [booking()])).toThrow(/p1/);
});

const action = fc.record({
  do: fc.constantFrom('book', 'prefillDone', 'release', 'loseWorker', 'reconcile'),
  plan: fc.integer({ min: 0, max: 5 }),
  workers: fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 2 }),
  amount: fc.integer({ min: 0, max: 1000 }),
});

test('sums equal the live claims at any time, are never negative, and are zero at rest', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
      const bookings = new Bookings();
      const live = new Set<string>();
      for (const { do: what, plan, workers, amount } of actions) {
        const planId = `p${plan}`;
        const [first = 'a'] = workers;
        if (what === 'book' && !live.has(planId)) {
          const claims = workers.map((workerId, i) =>
            booking({ workerId, leg: i === 0 ? 'prefill' : 'decode', prefillTokens: amount }),
          );
          bookings.book(planId, claims);
        } else if (what === 'prefillDone') bookings.prefillDone(planId);
        else if (what === 'release') bookings.release(planId);
        else if (what === 'loseWorker') bookings.releaseWorker(first);
        else bookings.reconcile(first, 0, { prefillTokens: amount, kvBlocks: 0, streams: 0 });
        live.clear();
        const sums = new Map([...'abc'].map((id) => [id, { ...zero }]));
        for (let i = 0; i <= 5; i += 1) {
          for (const claim of bookings.ofPlan(`p${i}`)) {
            live.add(`p${i}`);
            const sum = sums.get(claim.workerId);
            if (sum === undefined) continue;
            sum.prefillTokens += claim.prefillTokens;
            sum.streams += claim.streams;
          }
        }
        for (const [id, sum] of sums) expect(bookings.booked(id, 0)).toEqual(sum);
      }
      for (const planId of live) bookings.release(planId);
      for (const id of 'abc') expect(bookings.booked(id, 0)).toEqual(zero);
      expect(bookings.size).toBe(0);
    }),
    { numRuns: 300 },
  );
});
