import { eventually } from '@baton/test-kit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { noPaint } from '../render/terminal-text.ts';
import { runDemo } from './demo-command.ts';
import { FakeFleet } from './testing/fake-fleet.ts';

let fleet: FakeFleet;
let printed: string[];
let stop: AbortController;
beforeEach(async () => {
  fleet = await FakeFleet.start();
  printed = [];
  stop = new AbortController();
});
afterEach(() => fleet.stop());

function demo({ json = false, model }: { json?: boolean; model?: string } = {}): Promise<void> {
  const target = { gatewayUrl: fleet.url, conductorUrl: fleet.url, model };
  const print = (line: string): void => void printed.push(line);
  return runDemo(target, { json, paint: noPaint, print, status: () => undefined }, stop.signal, {
    ...{ pollMs: 5, thinkMs: 5 },
  });
}

/** The smallest load, for tests that need no more. */
const small = (): void => void (fleet.prefillTokensPerSec = 1);

test('the same load goes to both, and what the fleet counted stands side by side', async () => {
  await demo();
  const text = printed.join('\n').replace(/[\d.]+ (ms|s)\b/g, 'T');
  expect(text).toBe(
    [
      '3 conversations of 3 questions, 2 952 prompt tokens in all, are sent to m twice.',
      'round-robin: 9 requests in T',
      'kv-centric: 9 requests in T',
      '',
      '                         round-robin  kv-centric',
      'prompt tokens                  2 952       2 952',
      '  computed                     2 214         738   −67 %',
      '  reused, not computed           738       2 214  +200 %',
      'moved between workers          2 214         738   −67 %',
      '  bytes of KV                 221 kB     73.8 kB   −67 %',
    ].join('\n') + text.slice(text.indexOf('\nfirst token after')),
  );
  expect(text).toContain('Tokens and bytes count here, not the clock');
  expect(printed.at(-1)).toBe('The policy is again as it was: least-tokens, queue fcfs.');
  const [first, second] = ['round-robin', 'kv-centric'].map((name) =>
    fleet.asked.filter(({ policy }) => policy === name).map(({ prompt }) => prompt),
  );
  expect([first?.length, second?.length]).toEqual([9, 9]);
  const starts = [first, second].map((prompts) => new Set(prompts?.map(([token]) => token)));
  expect(starts.map(({ size }) => size)).toEqual([1, 1]);
  expect([...(starts[0] ?? [])]).not.toEqual([...(starts[1] ?? [])]);
});

test('two requests at a time, and the questions of a conversation one after the other', async () => {
  await demo();
  expect(fleet.mostInFlight).toBe(2);
  const lengths = fleet.asked.slice(0, 9).map(({ prompt }) => prompt.length);
  expect(lengths).toEqual([...lengths].sort((a, b) => a - b));
});

test('as JSON there is nothing else', async () => {
  small();
  await demo({ json: true });
  const report = JSON.parse(printed.join('\n')) as Record<string, unknown>;
  expect(report).toMatchObject({
    ...{ model: 'm', requests: 6, promptTokens: 1_008 },
    runs: [
      { policy: 'round-robin', computedTokens: 756, reusedTokens: 252, movedBytes: 75_600 },
      { policy: 'kv-centric', computedTokens: 252, reusedTokens: 756, movedBytes: 25_200 },
    ],
  });
});

describe('what was set before is put back', () => {
  beforeEach(small);

  test('for all models, with policies of single legs, and nothing that was not touched', async () => {
    const before = { ...fleet.defaults, prefillPolicy: 'random' };
    fleet.defaults = { ...before };
    await demo();
    expect(fleet.changes.map(({ path }) => path)).toEqual(['/policies', '/policies', '/policies']);
    expect(fleet.changes[0]?.body).toEqual({
      ...{ policy: 'round-robin', prefillPolicy: 'round-robin', queue: 'immediate' },
    });
    expect(fleet.defaults).toEqual(before);
    expect(fleet.asked[0]?.policy).toBe('round-robin');
  });

  test('for a model that is treated in its own way, all of it', async () => {
    const own = { policy: 'random', policyParameters: { random: { a: 1 } }, slo: { base: 3 } };
    fleet.models = { m: own };
    const { defaults } = fleet;
    await demo();
    expect(new Set(fleet.changes.map(({ path }) => path))).toEqual(new Set(['/policies/m']));
    expect(fleet.models).toEqual({ m: own });
    expect(fleet.defaults).toEqual(defaults);
    expect(fleet.asked.map(({ policy }) => policy)).not.toContain('random');
  });

  test('when it is stopped while requests are under way', async () => {
    const before = { ...fleet.defaults };
    fleet.gate = new Promise(() => undefined);
    const running = demo();
    running.catch(() => undefined);
    await eventually(() => expect(fleet.inFlight).toBe(2));
    expect(fleet.defaults['policy']).toBe('round-robin');
    stop.abort();
    await expect(running).rejects.toThrow(/abort/i);
    expect(fleet.defaults).toEqual(before);
    await eventually(() => expect(fleet.inFlight).toBe(0));
    expect(printed.join('\n')).not.toContain('computed');
  });

  test('and not touched when it is stopped before anything was sent', async () => {
    fleet.inFlight = 1;
    const running = demo();
    running.catch(() => undefined);
    await eventually(() => expect(printed).toHaveLength(1));
    stop.abort();
    await expect(running).rejects.toThrow(/abort/i);
    expect(fleet.changes).toEqual([]);
  });

  test('when a worker restarts, which makes the counters say nothing', async () => {
    const before = { ...fleet.defaults };
    const { promise, resolve } = Promise.withResolvers<void>();
    fleet.gate = promise;
    const running = demo();
    running.catch(() => undefined);
    await eventually(() => expect(fleet.inFlight).toBe(2));
    fleet.epoch = 2;
    resolve();
    await expect(running).rejects.toThrow('A worker came, went or restarted meanwhile');
    expect(fleet.defaults).toEqual(before);
  });

  test('and if that fails, there is a command line for it', async () => {
    fleet.gate = new Promise(() => undefined);
    const running = demo();
    running.catch(() => undefined);
    await eventually(() => expect(fleet.inFlight).toBe(2));
    fleet.refusesChanges = true;
    stop.abort();
    await expect(running).rejects.toThrow('npx baton policy least-tokens --queue fcfs');
  });

  test('but not when the whole fleet has gone: then that is what is told', async () => {
    fleet.gate = new Promise(() => undefined);
    const { url } = fleet;
    const running = demo();
    running.catch(() => undefined);
    await eventually(() => expect(fleet.inFlight).toBe(2));
    fleet.stop();
    await expect(running).rejects.toThrow(
      `The conductor (${url}) does not answer any more: has its "npm start" ended?`,
    );
  });
});

describe('figures that are not what they should be', () => {
  beforeEach(small);

  test.each([
    ['refused', () => (fleet.status = 429), 'no capacity left'],
    ['broken off', () => (fleet.brokenBy = ''), 'the answer broke off'],
    ['failed', () => (fleet.brokenBy = 'data: {"error":{}}\n\ndata: [DONE]'), 'broke off'],
  ])('requests that were %s are told', async (_what, spoil, why) => {
    spoil();
    await demo();
    expect(printed.find((line) => line.startsWith('round-robin: 6 requests had no'))).toContain(
      why,
    );
  });

  test('requests of others are told', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    fleet.gate = promise;
    const running = demo();
    await eventually(() => expect(fleet.inFlight).toBe(2));
    fleet.otherRequests = 3;
    resolve();
    await running;
    expect(printed).toContain('round-robin: 3 other requests ran meanwhile and are counted.');
  });
});

test('a model that is not there is named, and nothing is changed', async () => {
  await expect(demo({ model: 'other' })).rejects.toThrow('No ready worker has the model "other"');
  expect(fleet.changes).toEqual([]);
});
