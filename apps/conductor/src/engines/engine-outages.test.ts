import {
  batchOf,
  BLOCK_TOKENS,
  SEGMENT_TOKENS,
  startEngine,
  TestPrompt,
} from '@baton/engine-clients/testing';
import { eventually } from '@baton/test-kit';
import { expect, test } from 'vitest';
import { VllmFront } from '../testing/vllm-front.ts';
import { sourcesOf, Watched } from '../testing/watched.ts';
import { workerIdOf } from './engine-facts.ts';

/** Looks of a watch in a test; at the fifth without events an engine counts as one without. */
const MANY_LOOKS = 20;

async function looks(watched: Watched, count = MANY_LOOKS): Promise<void> {
  const from = watched.beats.length;
  await eventually(() => watched.beats.length >= from + count);
}

test('while events cannot be followed the guess is kept, that is said once, and they take over when they come', async () => {
  const engine = await startEngine();
  const { eventsEndpoint, replayEndpoint } = engine;
  await engine.kill();
  const front = await VllmFront.start({
    ...{ sources: sourcesOf({ eventsEndpoint, replayEndpoint }), blockTokens: BLOCK_TOKENS },
  });
  const watched = new Watched({ url: front.url });
  const guess = await watched.beatWith(({ worker }) => worker.approximate === true);
  const said = watched.lines.length;
  await looks(watched);
  expect(watched.last).toMatchObject({ epoch: guess.epoch, worker: { approximate: true } });
  expect(watched.lines.slice(said)).toEqual([]);
  expect(watched.watch.findings.approximateBecause).toContain('ECONNREFUSED');

  const again = await startEngine({ events: eventsEndpoint, replay: replayEndpoint });
  const from = watched.beats.length;
  const exact = await watched.beatWith(({ worker }) => worker.approximate !== true, from);
  expect(exact.epoch).not.toEqual(guess.epoch);
  await again.publish(batchOf(new TestPrompt(1, 4).stored()));
  const { tiers, worker } = await watched.beatWith((beat) =>
    beat.tiers.some(({ segments }) => segments > 0),
  );
  const segments = Math.floor((4 * SEGMENT_TOKENS) / worker.segmentTokens);
  expect(tiers.find(({ segments: held }) => held > 0)).toMatchObject({ segments });
  const indexes = watched.said('engine_found').map(({ index }) => index);
  expect(indexes).toEqual(['exact', 'approximate', 'exact']);
});

test.each(['/kv_event_sources', '/tokenize'])(
  'an engine that fails once at %s is asked again soon, and then known as well as another',
  async (path) => {
    const engine = await startEngine();
    const front = await VllmFront.start({ sources: sourcesOf(engine) });
    front.statuses.set(path, 503);
    const watched = new Watched({ url: front.url });
    await eventually(() => front.asked.some((asked) => asked.endsWith(path)));
    await watched.watch.looked();
    front.statuses.clear();
    await watched.beatWith(({ worker }) => worker.approximate === false);
    // With all answers it is asked no more.
    await looks(watched, 2);
    const asked = front.asked.length;
    await looks(watched);
    expect(front.asked.slice(asked).filter((what) => !/metrics|health|models/.test(what))).toEqual(
      [],
    );
  },
);

test('an engine of which one answer fails after an outage is still what it was', async () => {
  const engine = await startEngine();
  const front = await VllmFront.start({ sources: sourcesOf(engine) });
  const watched = new Watched({ url: front.url });
  const { epoch } = await watched.next();
  front.isDead = true;
  await watched.next('starting');
  front.statuses.set('/kv_event_sources', 500);
  front.isDead = false;
  const from = watched.beats.length;
  const after = await watched.beatWith(({ state }) => state === 'ready', from);
  expect(after).toMatchObject({ epoch, worker: { approximate: false } });
});

test('an outage is one warning, whatever stands in the way; what a person can mend is another', async () => {
  const front = await VllmFront.start();
  const watched = new Watched({ url: front.url });
  await watched.next();
  const reasons = new Set<string>();
  for (let i = 0; i < 3; i += 1) {
    front.isDead = true;
    reasons.add((await watched.next('starting')).reason);
    await front.close();
    await watched.beatWith(
      ({ state, reason }) => state === 'starting' && reason.includes('ECONN'),
      watched.beats.length,
    );
    reasons.add(watched.last?.reason ?? '');
    await front.serve();
  }
  expect(reasons.size).toBeGreaterThan(1);
  expect(watched.said('engine_unusable')).toHaveLength(1);
  front.apiKey = 'secret';
  front.isDead = false;
  await eventually(() => watched.said('engine_unusable').length === 2);
  expect(watched.said('engine_unusable')[1]?.['msg']).toContain('--api-key-file');
  front.apiKey = '';
  await watched.next();
  front.isDead = true;
  await eventually(() => watched.said('engine_unusable').length === 3);
});

test('an engine that is paused keeps what is known of it', async () => {
  const watched = new Watched({ url: (await VllmFront.start()).url });
  const { epoch } = await watched.next();
  watched.watch.pause('its pod is not ready');
  expect(watched.last).toMatchObject({ state: 'starting', reason: 'its pod is not ready', epoch });
  await looks(watched, 2);
  expect(watched.last?.state).toBe('starting');
  expect(watched.watch.findings).toMatchObject({ serves: false, problem: 'its pod is not ready' });
  watched.watch.pause(undefined);
  expect(watched.last).toMatchObject({ state: 'ready', epoch });
  expect(watched.said('engine_unusable')).toEqual([]);
});

test('load that is told again between two looks is no news', async () => {
  const front = await VllmFront.start({ running: 3 });
  const watched = new Watched({ url: front.url });
  await watched.next();
  const loads = watched.last?.loads ?? [];
  watched.watch.pause('its pod is not ready');
  expect(watched.last).toMatchObject({ state: 'starting', loads });
  watched.watch.pause(undefined);
  expect(watched.last).toMatchObject({ state: 'ready', loads });
  const next = await watched.next();
  expect(next.loads[0]?.report).toBeGreaterThan(loads[0]?.report ?? Infinity);
});

test('how long blocks are assumed to be is told as assumed', async () => {
  const silent = new Watched({ url: (await VllmFront.start({ hasMetrics: false })).url });
  await silent.next();
  expect(silent.watch.findings).toMatchObject({ blockTokens: 16, blockTokensAssumed: true });
  const telling = new Watched({ url: (await VllmFront.start()).url });
  await telling.next();
  expect(telling.watch.findings).toMatchObject({ blockTokens: 16, blockTokensAssumed: false });
});

const longHost = `${'a'.repeat(60)}.${'b'.repeat(60)}`;

test.each([
  ['http://10.0.0.1:8000', '10-0-0-1-8000'],
  ['https://engine.example/base/', 'engine-example-base'],
  ['http://[::]:8000', '0-8000'],
  ['http://[::1]:8000', '0-1-8000'],
  ['http://[1::]:8000', '1-0-8000'],
  ['http://[fd00:0:0:0:1::7]:8000', 'fd00-0-1-0-0-7-8000'],
  ['http://_:80', /^-[0-9a-f]{8}$/],
  [`http://${longHost}:8000`, /^a{55}-[0-9a-f]{8}$/],
])('the worker at %s is called %s', (url, id) => {
  const made = workerIdOf({ url, role: 'both' });
  expect(made).toMatch(id);
  expect(made.length).toBeLessThanOrEqual(64);
});

test('long hosts that differ at their ends have two names', () => {
  const ids = [8000, 8001].map((port) =>
    workerIdOf({ url: `http://${longHost}:${port}`, role: 'both' }),
  );
  expect(ids[0]).not.toBe(ids[1]);
});
