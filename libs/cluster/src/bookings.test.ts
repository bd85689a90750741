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
  expect(() => bookings.book('p1', [])).not.toThrow();
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

test('a report that comes again with another beat says nothing new', () => {
  const bookings = new Bookings();
  bookings.book('p1', [booking({ streams: 2 })]);
  const told = { prefillTokens: 0, kvBlocks: 0, streams: 2 };
  bookings.reconcile('w1', 0, told, 7);
  bookings.release('p1');
  for (let beat = 0; beat < 3; beat += 1) bookings.reconcile('w1', 0, told, 7);
  expect(bookings.load('w1', 0)).toEqual(zero);
  bookings.reconcile('w1', 0, told, 8);
  bookings.reconcile('w1', 0, told, 9);
  expect(bookings.load('w1', 0).streams).toBe(2);
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

/** The same by hand: every live claim in a list. */
class NaiveBookings {
  claims: { planId: string; claim: Booking }[] = [];

  book(planId: string, bookings: readonly Booking[]): void {
    this.claims.push(...bookings.map((claim) => ({ planId, claim })));
  }

  isLive(planId: string): boolean {
    return this.claims.some((entry) => entry.planId === planId);
  }

  release(planId: string): void {
    this.claims = this.claims.filter((entry) => entry.planId !== planId);
  }

  releaseWorker(workerId: string): void {
    this.claims = this.claims.filter(({ claim }) => claim.workerId !== workerId);
  }

  prefillDone(planId: string): void {
    this.claims = this.claims.flatMap((entry) => {
      if (entry.planId !== planId) return entry;
      const { claim } = entry;
      return claim.leg === 'prefill' ? [] : { planId, claim: { ...claim, prefillTokens: 0 } };
    });
  }

  booked(workerId: string): typeof zero {
    const own = this.claims.flatMap(({ claim }) => (claim.workerId === workerId ? claim : []));
    const sum = (field: keyof typeof zero) => own.reduce((all, claim) => all + claim[field], 0);
    return {
      prefillTokens: sum('prefillTokens'),
      kvBlocks: sum('kvBlocks'),
      streams: sum('streams'),
    };
  }
}

test('sums equal the live claims at any time, are never negative, and are zero at rest', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
      const bookings = new Bookings();
      const naive = new NaiveBookings();
      const both = [bookings, naive];
      for (const { do: what, plan, workers, amount } of actions) {
        const planId = `p${plan}`;
        const [first = 'a'] = workers;
        if (what === 'book' && !naive.isLive(planId)) {
          const claims = workers.map((workerId, i) => {
            const leg = i === 0 ? 'prefill' : 'decode';
            return booking({ workerId, leg, prefillTokens: amount, kvBlocks: amount % 7 });
          });
          for (const one of both) one.book(planId, claims);
        } else if (what === 'prefillDone') for (const one of both) one.prefillDone(planId);
        else if (what === 'release') for (const one of both) one.release(planId);
        else if (what === 'loseWorker') for (const one of both) one.releaseWorker(first);
        else bookings.reconcile(first, 0, { prefillTokens: amount, kvBlocks: 0, streams: 0 });
        for (const id of 'abc') expect(bookings.booked(id, 0)).toEqual(naive.booked(id));
      }
      for (let i = 0; i <= 5; i += 1) bookings.release(`p${i}`);
      for (const id of 'abc') expect(bookings.booked(id, 0)).toEqual(zero);
      // Nothing is remembered of a plan that is over: it could be booked anew.
      for (let i = 0; i <= 5; i += 1) bookings.book(`p${i}`, []);
    }),
    { numRuns: 300 },
  );
});
