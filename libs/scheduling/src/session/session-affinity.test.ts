import { expect, test } from 'vitest';
import { defaultsOf } from '../parameters.ts';
import type { PlanQuery, RankView } from '../policy.ts';
import { sampleQuery, sampleRank } from '../testing/fleet-sample.ts';
import { sessionParameters } from './parameters.ts';
import { SessionAffinity } from './session-affinity.ts';

const HOUR_MS = 3_600_000;
const workers = (...ids: string[]): RankView[] => ids.map((id) => sampleRank(id));
const query = (sessionId: string, nowMs = 0): PlanQuery =>
  sampleQuery({ promptTokens: 640 }, { sessionId, nowMs });

/** Where the request goes and is carried out. */
function place(policy: SessionAffinity, asked: PlanQuery, ranks: readonly RankView[]): string {
  const { facts, rank } = ranks[policy.pick(asked, 'prefill', ranks).index] as RankView;
  policy.placed(asked, { workerId: facts.workerId, rank });
  return facts.workerId;
}

function policy(changes: Partial<Record<keyof typeof sessionParameters, number>> = {}) {
  return new SessionAffinity({ ...defaultsOf(sessionParameters), ...changes });
}

test('the example of the page: a session moves when its worker cannot take it, and stays', () => {
  const one = policy();
  const all = workers('w1', 'w2', 'w3');
  const first = place(one, query('alice'), all);
  const without = all.filter((rank) => rank.facts.workerId !== first);
  const second = place(one, query('alice'), without);
  expect(second).not.toBe(first);
  expect(place(one, query('alice'), all)).toBe(second);
});

test('a session stays when workers join', () => {
  const one = policy();
  const sessions = Array.from({ length: 100 }, (_, i) => `s${i}`);
  const before = sessions.map((id) => place(one, query(id), workers('w1', 'w2')));
  expect(new Set(before)).toEqual(new Set(['w1', 'w2']));
  const after = sessions.map((id) => place(one, query(id), workers('w1', 'w2', 'w3', 'w4')));
  expect(after).toEqual(before);
});

test('what was only asked for binds nothing', () => {
  const one = policy();
  one.pick(query('s'), 'prefill', workers('w9'));
  const all = workers('w1', 'w2', 'w3');
  expect(place(one, query('s'), all)).toBe(place(policy(), query('s'), all));
});

test('a session that was quiet for too long is placed anew', () => {
  const one = policy();
  const home = place(policy(), query('s'), workers('w1', 'w2'));
  const other = home === 'w1' ? 'w2' : 'w1';
  place(one, query('s'), workers(other));
  expect(place(one, query('s', 4 * HOUR_MS), workers('w1', 'w2'))).toBe(other);
  expect(place(one, query('s', 8 * HOUR_MS + 1), workers('w1', 'w2'))).toBe(home);
});

test('no more sessions are remembered than allowed', () => {
  const one = policy({ maxSessions: 2 });
  const home = place(policy(), query('s'), workers('w1', 'w2'));
  place(one, query('s'), workers(home === 'w1' ? 'w2' : 'w1'));
  for (const id of ['t', 'u']) place(one, query(id, 1), workers('w1', 'w2'));
  expect(place(one, query('s', 2), workers('w1', 'w2'))).toBe(home);
});

test('a worker that is gone keeps no place on the ring', () => {
  const one = policy();
  place(one, query('s'), workers('w1', 'w2', 'w3'));
  one.forgetWorker('w3');
  expect(['w1', 'w2']).toContain(place(one, query('s'), workers('w1', 'w2')));
});

test('without a session the fewest requests decide, equal ones in turn', () => {
  const one = policy();
  const ranks = [sampleRank('w1', 'prefill', { load: { streams: 3 } }), ...workers('w2', 'w3')];
  expect([1, 2, 3].map(() => place(one, query(''), ranks))).toEqual(['w2', 'w3', 'w2']);
});
