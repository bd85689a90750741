/** With the policy `session` a conversation stays at its workers, until one of them is gone. */
import { eventually, post, randomPrompt } from '@baton/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectIdle, getJson, MODEL, startFleet, type Fleet } from '../kit/fleet.ts';
import { planOf } from '../kit/plans.ts';

const SESSIONS = 6;
const TURN_TOKENS = 150;

let fleet: Fleet;
beforeAll(async () => {
  // Where requests wait for room in the conductor, a worker that is busy cannot take them and they move on.
  const conductorArgs = ['--policy', 'session', '--queue', 'immediate'];
  fleet = await startFleet({ prefill: 2, decode: 2, conductorArgs });
});
afterAll(() => fleet?.stop());

interface Place {
  prefill: string;
  decode: string;
}

/** One turn of a conversation, which is as long as all before it and something new. */
async function turn(session: number, number: number): Promise<Place> {
  // Another length for each, by which its plan is found.
  const opening = randomPrompt(session, TURN_TOKENS + 10 * session);
  const turns = Array.from({ length: number }, (_, i) =>
    randomPrompt(100 * session + i, TURN_TOKENS),
  );
  const prompt = [opening, ...turns].flat();
  const body = { model: MODEL, prompt, max_tokens: 4, ignore_eos: true };
  const headers = { 'x-session-id': `conversation ${session}` };
  const answer = await post(fleet.url, '/v1/completions', body, { headers });
  expect(answer.status).toBe(200);
  const plan = await planOf(fleet, prompt.length);
  expect(plan.explanation?.policy).toBe('session');
  return {
    prefill: answer.headers.get('x-baton-prefill-worker') ?? '',
    decode: answer.headers.get('x-baton-decode-worker') ?? '',
  };
}

test('turns go where the session was; with a worker gone they go to another and stay there', async () => {
  const sessions = Array.from({ length: SESSIONS }, (_, i) => i);
  const first = await Promise.all(sessions.map((session) => turn(session, 0)));
  for (const session of sessions) {
    const place = first[session];
    expect(await turn(session, 1)).toEqual(place);
    expect(await turn(session, 2)).toEqual(place);
    const { explanation, choice } = await planOf(fleet, 3 * TURN_TOKENS + 10 * session);
    expect(explanation?.reasons).toEqual([
      'prefill: where the session was',
      'decode: where the session was',
    ]);
    expect(choice?.decode.heldSegments).toBeGreaterThan(0);
  }

  const lost = first[0]?.decode ?? '';
  const left = lost === 'decode-1' ? 'decode-2' : 'decode-1';
  const { engine, agent } = fleet.worker(lost);
  await Promise.all([engine.kill(), agent.kill()]);
  await eventually(async () => {
    const { workers } = await getJson<{ workers: { workerId: string; state: string }[] }>(
      `${fleet.adminUrl}/workers`,
    );
    expect(workers.find(({ workerId }) => workerId === lost)?.state).not.toBe('ready');
  });
  for (const session of sessions) {
    const { prefill = '', decode = '' } = first[session] ?? {};
    const place = { prefill, decode: decode === lost ? left : decode };
    expect(await turn(session, 3)).toEqual(place);
    expect(await turn(session, 4)).toEqual(place);
  }
  expect(new Set(first.map(({ prefill }) => prefill)).size).toBe(2);
  await expectIdle(fleet);
});
