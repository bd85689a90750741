import { expect, test } from 'vitest';
import { rankName } from '../rank-name.ts';
import { DecodeWork, type GivenStream } from './decode-work.ts';

const place = { workerId: 'd', rank: 0 };
const rank = rankName(place);

function stream(planId: string, changes: Partial<GivenStream> = {}): GivenStream {
  return { planId, ...place, kvTokens: 1_000, outputTokens: 50, startsAtMs: 100, ...changes };
}

function workOf(...streams: GivenStream[]): DecodeWork {
  const work = new DecodeWork();
  for (const one of streams) work.give(one, 0);
  return work;
}

test('at a time there are those who have begun by then, those who are late included', () => {
  const work = workOf(stream('a'), stream('b', { startsAtMs: 400, kvTokens: 500 }));
  expect([50, 100, 400, 9_000].map((atMs) => work.loadAt(rank, atMs).kvTokens)).toEqual([
    0, 1_000, 1_500, 1_500,
  ]);
  work.started('b', 60);
  expect(work.loadAt(rank, 70)).toEqual({ streams: 1, kvTokens: 500 });
  expect(work.loadAt(rankName({ workerId: 'd', rank: 1 }), 500).streams).toBe(0);
});

test('now there are those whose first token is there', () => {
  const work = workOf(stream('a'), stream('b', { kvTokens: 10 }));
  expect(work.load(rank)).toEqual({ streams: 0, kvTokens: 0 });
  work.started('b', 50);
  work.started('b', 60);
  expect(work.load(rank)).toEqual({ streams: 1, kvTokens: 10 });
  work.started('a', 60);
  work.ended('b', 5, 70);
  expect(work.load(rank)).toEqual({ streams: 1, kvTokens: 1_000 });
  work.ended('a', 5, 80);
  work.ended('a', 5, 80);
  work.started('nobody', 80);
  expect(work.load(rank)).toEqual({ streams: 0, kvTokens: 0 });
});

test('an answer says how long a token took at the mean load of its time', () => {
  const work = workOf(stream('a'), stream('b', { kvTokens: 3_000 }));
  work.started('a', 1_000);
  work.started('b', 1_500);
  work.ended('b', 26, 2_000);
  expect(work.ended('a', 101, 3_000)).toEqual({
    load: { streams: 1.25, kvTokens: 1_750 },
    ms: 20,
  });
});

test.each([
  ['that never started', false, 100, 2_000],
  ['of few tokens', true, 7, 2_000],
  ['that took no time', true, 100, 1_000],
])('an answer %s says nothing', (_, hasStarted, outputTokens, endedAtMs) => {
  const work = workOf(stream('a'));
  if (hasStarted) work.started('a', 1_000);
  expect(work.ended('a', outputTokens, endedAtMs)).toBeUndefined();
});

test('of a worker that is gone nothing is left', () => {
  const work = workOf(stream('a'), stream('b', { workerId: 'other' }));
  work.started('a', 10);
  work.forgetWorker('d');
  expect(work.load(rank)).toEqual({ streams: 0, kvTokens: 0 });
  expect(work.ended('a', 100, 500)).toBeUndefined();
  expect(work.loadAt(rankName({ workerId: 'other', rank: 0 }), 100).streams).toBe(1);
});

test('the first answer to end, where one that is late goes on as long again, within what was predicted', () => {
  const work = workOf(stream('long', { outputTokens: 1_000 }), stream('a'), stream('b'));
  const endsIn = (...times: number[]): number[] =>
    times.map((nowMs) => work.nextEndInMs(rank, 10, nowMs));
  expect(endsIn(0)).toEqual([Infinity]);
  work.started('long', 0);
  expect(endsIn(100)).toEqual([9_900]);
  work.started('b', 100);
  work.started('a', 300);
  expect(endsIn(100, 200, 560, 620)).toEqual([500, 400, 40, 20]);
  work.ended('a', 50, 800);
  expect(endsIn(900, 9_000)).toEqual([300, 500]);
  work.ended('b', 50, 9_000);
  expect(endsIn(9_000, 15_000, 90_000)).toEqual([1_000, 5_000, 10_000]);
});
