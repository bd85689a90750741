import { KEY_BYTES } from '@baton/kv';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SEGMENT, sampleKeys } from '../testing/fleet-sample.ts';
import { PrefillWork, type GivenPrefill } from './prefill-work.ts';

const a = { workerId: 'a', rank: 0 };
const b = { workerId: 'b', rank: 0 };

/** 100 ms for each of ten segments, there at once. */
function prefill(planId: string, changes: Partial<GivenPrefill> = {}): GivenPrefill {
  return {
    planId,
    ...a,
    keys: sampleKeys('tok', 10),
    readySegments: 0,
    contextTokens: 0,
    newTokens: 10 * SEGMENT,
    ms: 1_000,
    delayMs: 0,
    isFetching: false,
    ...changes,
  };
}

/** Family of a prompt, where it leaves the sample's, and its length, in segments. */
type Shape = [family: string, at: number, length: number];

/** Keys of a prompt that leaves the sample's after so many segments. */
function branch(at: number, segments: number, family = 'branch'): Uint8Array {
  const keys = sampleKeys('tok', segments).slice();
  if (at < segments)
    keys.set(sampleKeys(`${family} ${at}`, segments).subarray(at * KEY_BYTES), at * KEY_BYTES);
  return keys;
}

function workOf(...given: GivenPrefill[]): PrefillWork {
  const work = new PrefillWork();
  for (const one of given) work.give(one, 0);
  return work;
}

describe('until a rank is done', () => {
  test('time passes for the one at its head only, after the way to it', () => {
    const work = workOf(prefill('p1', { delayMs: 10 }), prefill('p2', { ms: 400, delayMs: 10 }));
    const at = (nowMs: number): number => work.line(a).queueMs(nowMs);
    expect([at(0), at(10), at(510), at(1_010)]).toEqual([1_410, 1_400, 900, 400]);
    expect(work.line(b).queueMs(0)).toBe(0);
    work.done('p1', 1_010);
    expect([at(1_010), at(1_110)]).toEqual([400, 300]);
    work.done('p2', 1_400);
    expect(at(1_400)).toBe(0);
  });

  test('one that comes to an idle rank later waits for its own way only', () => {
    const work = workOf(prefill('p1'));
    work.give(prefill('p2', { ms: 400, delayMs: 50 }), 990);
    work.done('p1', 1_000);
    expect(work.line(a).queueMs(1_000)).toBe(440);
    expect(work.line(a).queueMs(1_140)).toBe(300);
  });

  test('ranks of one worker have lines of their own', () => {
    const work = workOf(prefill('p1'), prefill('p2', { rank: 1, ms: 300 }));
    expect([work.line(a).queueMs(100), work.line({ ...a, rank: 1 }).queueMs(100)]).toEqual([
      900, 200,
    ]);
  });

  test('one that is late is expected to take as long again as it is late', () => {
    const work = workOf(prefill('p1'));
    const lateBy = [0, 15, 500, 5_000].map((lateMs) => work.line(a).queueMs(1_000 + lateMs));
    expect(lateBy).toEqual([0, 15, 500, 5_000]);
  });

  test('progress says how much is left, and is never taken back', () => {
    const work = workOf(prefill('p1'));
    work.progress('p1', 2, 100);
    expect([work.line(a).queueMs(100), work.line(a).queueMs(150)]).toEqual([800, 750]);
    work.progress('p1', 1, 200);
    work.progress('p1', 2, 200);
    expect(work.line(a).queueMs(200)).toBe(700);
    expect(work.progressOf('p1')).toBe(2);
    work.progress('p1', 99, 300);
    expect([work.progressOf('p1'), work.line(a).queueMs(300)]).toEqual([10, 0]);
    expect(work.line(a).queueMs(340)).toBe(40);
  });

  test('progress is counted from what was ready; what has no whole segment to compute shows none', () => {
    const work = workOf(
      prefill('p1', { readySegments: 8, ms: 200 }),
      prefill('p2', { readySegments: 10, ms: 7 }),
    );
    work.progress('p1', 8, 50);
    expect(work.progressOf('p1')).toBe(8);
    work.progress('p1', 9, 50);
    expect(work.line(a).queueMs(50)).toBe(107);
    work.progress('p2', 10, 60);
    expect([work.progressOf('p2'), work.progressOf('nobody')]).toEqual([10, 0]);
  });

  test('progress of one that is not at the head lets no time pass for it', () => {
    const work = workOf(prefill('p1'), prefill('p2'));
    work.progress('p2', 5, 100);
    expect(work.line(a).queueMs(600)).toBe(400 + 500);
  });

  test('one that waits for what is brought stands still until that has come', () => {
    const work = workOf(prefill('p1', { isFetching: true, delayMs: 10 }), prefill('p2'));
    expect([work.line(a).queueMs(0), work.line(a).queueMs(700)]).toEqual([2_000, 2_000]);
    work.fetched('p1', 700);
    expect(work.line(a).queueMs(800)).toBe(1_900);
    work.fetched('nobody', 800);
  });

  test('what is brought while others are before it lets no time pass for it', () => {
    const work = workOf(prefill('p1'), prefill('p2', { isFetching: true }));
    work.fetched('p2', 300);
    expect(work.line(a).queueMs(300)).toBe(1_700);
    work.done('p1', 900);
    expect(work.line(a).queueMs(1_000)).toBe(900);
  });

  test('who is dropped from the head makes room for the next, in the middle for nobody', () => {
    const work = workOf(prefill('p1'), prefill('p2'), prefill('p3'));
    work.dropped('p2', 100);
    expect(work.line(a).queueMs(100)).toBe(900 + 1_000);
    work.dropped('p1', 200);
    expect(work.line(a).queueMs(300)).toBe(900);
    work.dropped('p1', 300);
    expect(work.givenToWorker('a').map(({ planId }) => planId)).toEqual(['p3']);
  });

  test('it is the sum of what is given and not ended, whatever ends, and in whatever order', () => {
    const event = fc.record({
      do: fc.constantFrom('give', 'give', 'done', 'dropped', 'progress'),
      which: fc.nat(20),
      ms: fc.integer({ min: 1, max: 500 }),
      rank: fc.nat(1),
    });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        const work = new PrefillWork();
        const model: GivenPrefill[] = [];
        /** Three segments are new: so many thirds are left. */
        const left = new Map<string, number>();
        events.forEach(({ do: what, which, ms, rank }, i) => {
          if (what === 'give') {
            const given = prefill(`p${i}`, { ms, rank, keys: sampleKeys(`f${which % 4}`, 3) });
            model.push(given);
            work.give(given, 0);
          } else if (what === 'progress') {
            const one = model[which % Math.max(1, model.length)];
            if (one === undefined) return;
            work.progress(one.planId, 1 + (which % 3), 0);
            left.set(one.planId, Math.min(left.get(one.planId) ?? 3, 2 - (which % 3)));
          } else {
            const [gone] = model.splice(which % Math.max(1, model.length), 1);
            if (gone !== undefined) work[what](gone.planId, 0);
          }
          for (const at of [0, 1]) {
            const line = model.filter((one) => one.rank === at);
            const sum = line.reduce(
              (total, { planId, ms: all }) => total + (all * (left.get(planId) ?? 3)) / 3,
              0,
            );
            expect(work.line({ ...a, rank: at }).queueMs(0)).toBeCloseTo(sum, 6);
          }
          expect(new Set(work.givenToWorker('a').map(({ planId }) => planId))).toEqual(
            new Set(model.map(({ planId }) => planId)),
          );
        });
      }),
    );
  });
});

describe('what a duration says', () => {
  test('from when it began, at the head', () => {
    const work = workOf(
      prefill('p1', { delayMs: 10 }),
      prefill('p2', { contextTokens: 64, newTokens: 576 }),
    );
    expect(work.done('p1', 900)).toEqual({ newTokens: 640, contextTokens: 0, ms: 890 });
    expect(work.done('p2', 1_500)).toEqual({ newTokens: 576, contextTokens: 64, ms: 600 });
    expect(work.done('p2', 1_500)).toBeUndefined();
  });

  test('nothing when something was brought first, or when it ended before those ahead of it', () => {
    const work = workOf(prefill('p1', { isFetching: true }), prefill('p2'));
    expect(work.done('p2', 500)).toBeUndefined();
    work.fetched('p1', 600);
    expect(work.done('p1', 900)).toBeUndefined();
  });
});

describe('prefixes that are coming', () => {
  test('as much as the prompts share, ready when the last shared segment is', () => {
    const work = workOf(prefill('p0', { ms: 300, keys: sampleKeys('other', 4) }), prefill('p1'));
    const [coming] = work.coming(branch(6, 20), 100);
    expect(coming).toEqual({ planId: 'p1', ...a, segments: 6, readyInMs: 200 + 600 });
    work.done('p0', 300);
    expect(work.coming(branch(6, 20), 500)).toMatchObject([{ readyInMs: 400 }]);
    work.progress('p1', 6, 550);
    expect(work.coming(branch(6, 20), 550)).toMatchObject([{ segments: 6, readyInMs: 0 }]);
  });

  test('a twin shares everything; a shorter prompt all of itself', () => {
    const work = workOf(prefill('p1'));
    expect(work.coming(sampleKeys('tok', 10), 0)).toMatchObject([
      { segments: 10, readyInMs: 1_000 },
    ]);
    expect(work.coming(sampleKeys('tok', 4), 0)).toMatchObject([{ segments: 4, readyInMs: 400 }]);
  });

  test('what was there before is not coming, and what is told apart earlier shares nothing', () => {
    const work = workOf(prefill('p1', { readySegments: 6, ms: 400 }));
    expect(work.coming(branch(6, 20), 0)).toEqual([]);
    expect(work.coming(sampleKeys('other', 20), 0)).toEqual([]);
    expect(work.coming(branch(8, 20), 0)).toMatchObject([{ segments: 8, readyInMs: 200 }]);
    expect(work.coming(new Uint8Array(0), 0)).toEqual([]);
  });

  test('each rank that computes it is named, with where it is in that rank’s line', () => {
    const work = workOf(
      prefill('p1'),
      prefill('p2', b),
      prefill('p3', { ...b, readySegments: 2, ms: 800 }),
    );
    const coming = work.coming(sampleKeys('tok', 10), 500);
    expect(coming.map(({ planId, readyInMs }) => [planId, readyInMs]).sort()).toEqual([
      ['p1', 500],
      ['p2', 500],
      ['p3', 1_300],
    ]);
  });

  test('one that is finished counts until its events have come, then no more', () => {
    const work = workOf(prefill('p1'));
    work.done('p1', 1_000);
    const found = { planId: 'p1', ...a, segments: 5, readyInMs: 0 };
    expect(work.coming(branch(5, 9), 2_000)).toEqual([found]);
    expect(work.coming(branch(5, 9), 2_001)).toEqual([]);
  });

  test('one that is dropped vanishes at once, also while a twin goes on', () => {
    const work = workOf(prefill('p1'), prefill('p2', b));
    work.dropped('p1', 10);
    expect(work.coming(sampleKeys('tok', 10), 10).map(({ planId }) => planId)).toEqual(['p2']);
    work.dropped('p2', 10);
    expect(work.coming(sampleKeys('tok', 10), 10)).toEqual([]);
  });

  test('of a worker that is lost nothing is coming, finished or not, and others are as before', () => {
    const work = workOf(
      prefill('p1'),
      prefill('p2'),
      prefill('p3', { rank: 1 }),
      prefill('p4', b),
      prefill('p5', { workerId: 'aa', keys: sampleKeys('other', 2) }),
    );
    work.done('p1', 900);
    work.forgetWorker('a', 950);
    expect(work.coming(sampleKeys('tok', 10), 950).map(({ planId }) => planId)).toEqual(['p4']);
    expect([work.line(a).queueMs(950), work.line({ ...a, rank: 1 }).queueMs(950)]).toEqual([0, 0]);
    expect([work.givenToWorker('a').length, work.givenToWorker('aa').length]).toEqual([0, 1]);
    // What was computed there is not known of by anybody.
    expect(work.done('p2', 960)).toBeUndefined();
  });

  test('whatever is given and ended, it is what a look at all of them finds', () => {
    const event = fc.record({
      do: fc.constantFrom('give', 'give', 'done', 'dropped', 'pass'),
      which: fc.nat(20),
      at: fc.nat(6),
      family: fc.constantFrom('x', 'y'),
      ready: fc.nat(6),
      segments: fc.integer({ min: 0, max: 6 }),
    });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        const work = new PrefillWork();
        let model: { given: GivenPrefill; shape: Shape; untilMs: number }[] = [];
        let nowMs = 0;
        events.forEach(({ do: what, which, at, family, ready, segments }, i) => {
          if (what === 'pass') nowMs += 400;
          else if (what === 'give') {
            const shape: Shape = [family, at, segments];
            const keys = branch(at, segments, family);
            const given = prefill(`p${i}`, { keys, readySegments: Math.min(ready, segments) });
            model.push({ given, shape, untilMs: Infinity });
            work.give(given, nowMs);
          } else {
            const live = model.filter(({ untilMs }) => untilMs === Infinity);
            const one = live[which % Math.max(1, live.length)];
            if (one === undefined) return;
            work[what](one.given.planId, nowMs);
            if (what === 'done') one.untilMs = nowMs + 1_000;
            else model = model.filter((other) => other !== one);
          }
          const asked = branch(at, 6, family);
          const sharedWith = ([otherFamily, otherAt, length]: Shape): number =>
            otherFamily === family && otherAt === at ? length : Math.min(otherAt, at, length);
          const expected = model
            .filter(({ untilMs }) => untilMs >= nowMs)
            .map(({ given, shape }) => [given, sharedWith(shape)] as const)
            .filter(([given, shared]) => shared > given.readySegments)
            .map(([{ planId }, shared]) => `${planId} ${shared}`);
          const found = work.coming(asked, nowMs).map((one) => `${one.planId} ${one.segments}`);
          expect(found.sort()).toEqual(expected.sort());
        });
      }),
    );
  });
});
