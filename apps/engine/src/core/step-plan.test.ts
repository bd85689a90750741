import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planPrefill } from './step-plan.ts';

const SEGMENT = 64;

interface Candidate {
  name: number;
  chain: number;
  position: number;
  end: number;
  segmentAt(position: number): string | undefined;
}

const candidate = (name: number, chain: number, position: number, end: number): Candidate => ({
  name,
  chain,
  position,
  end,
  segmentAt: (at) =>
    at % SEGMENT === 0 && at + SEGMENT < end ? `${chain}/${at / SEGMENT}` : undefined,
});

const candidates = fc
  .array(fc.record({ chain: fc.nat(3), done: fc.nat(5), size: fc.integer({ min: 1, max: 700 }) }), {
    maxLength: 8,
  })
  .map((all) =>
    all.map(({ chain, done, size }, name) =>
      candidate(name, chain, done * SEGMENT, done * SEGMENT + size),
    ),
  );

test('pieces are gapless, end with segments, keep to the budget and never compute a segment twice', () => {
  fc.assert(
    fc.property(candidates, fc.integer({ min: 1, max: 600 }), (all, budget) => {
      const pieces = planPrefill(all, budget, SEGMENT);
      const at = new Map(all.map((one) => [one, one.position]));
      const segments: string[] = [];
      let total = 0;
      for (const { candidate: one, from, to } of pieces) {
        expect(from).toBe(at.get(one));
        expect(to > from && to <= one.end).toBe(true);
        expect(to % SEGMENT === 0 || to === one.end).toBe(true);
        expect(to - from).toBeLessThanOrEqual(SEGMENT);
        expect(total).toBeLessThan(budget);
        const segment = one.segmentAt(from);
        if (segment !== undefined) segments.push(segment);
        total += to - from;
        at.set(one, to);
      }
      expect(new Set(segments).size).toBe(segments.length);
      // Nothing is left undone while there is budget, except what a sibling computes.
      if (total < budget) {
        for (const one of all) {
          const next = at.get(one) ?? 0;
          expect(next === one.end || segments.includes(one.segmentAt(next) ?? '')).toBe(true);
        }
      }
    }),
  );
});

test('the oldest prompt moves in every step, however many short ones come', () => {
  const long = candidate(0, 0, 0, 4000);
  for (let step = 0; long.position < long.end; step += 1) {
    const short = Array.from({ length: 20 }, (_, i) => candidate(i + 1, step * 100 + i, 0, 50));
    const pieces = planPrefill([long, ...short], 256, SEGMENT);
    expect(pieces[0]?.candidate).toBe(long);
    expect(pieces.slice(1).every((piece) => piece.candidate !== long)).toBe(true);
    long.position = pieces[0]?.to ?? 0;
    expect(step).toBeLessThan(63);
  }
});

test('after the oldest, the prompt with the least left comes first', () => {
  const all = [candidate(0, 0, 0, 900), candidate(1, 1, 0, 500), candidate(2, 2, 0, 120)];
  const order = planPrefill(all, 300, SEGMENT).map(({ candidate: one }) => one.name);
  expect(order).toEqual([0, 2, 2, 1, 1]);
});
