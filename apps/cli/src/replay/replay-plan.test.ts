import { policyNames } from '@baton/scheduling';
import { expect, test } from 'vitest';
import { replayRuns, type PolicyFlags } from './replay-plan.ts';

const runs = (flags: Partial<PolicyFlags>): ReturnType<typeof replayRuns> =>
  replayRuns({ policies: undefined, queue: undefined, pulls: 'both', ...flags });
const shown = (flags: Partial<PolicyFlags>): string[] =>
  runs(flags).map(({ policy, queue, pulls }) => `${policy} ${queue}${pulls ? ' pulls' : ''}`);

test('ours waits in the conductor, with pulls and without; others dispatch at once, as where they come from', () => {
  expect(shown({ policies: ['kv-centric', 'round-robin', 'mooncake-argmin'] })).toEqual([
    'kv-centric shortest pulls',
    'kv-centric shortest',
    'round-robin immediate',
    'mooncake-argmin immediate pulls',
  ]);
});

test('pulls of ours only, or none', () => {
  const policies = ['kv-centric'];
  expect(shown({ policies, pulls: 'on' })).toEqual(['kv-centric shortest pulls']);
  expect(shown({ policies, pulls: 'off' })).toEqual(['kv-centric shortest']);
  const [on, off] = runs({ policies });
  expect(on?.selection.policyParameters).toBeUndefined();
  expect(off?.selection.policyParameters).toEqual({ 'kv-centric': { pulls: 0 } });
});

test('a queue is that of all', () => {
  expect(shown({ policies: ['kv-centric', 'random'], pulls: 'on', queue: 'fcfs' })).toEqual([
    'kv-centric fcfs pulls',
    'random fcfs',
  ]);
});

test('a policy for prefill and another for decode', () => {
  const [run] = runs({ policies: ['least-tokens+round-robin'] });
  expect(run).toMatchObject({
    policy: 'least-tokens+round-robin',
    selection: { policy: 'least-tokens', decodePolicy: 'round-robin' },
  });
  expect(runs({ policies: ['random'] })[0]?.selection.decodePolicy).toBe('random');
});

test('all policies, when none is named or by name, each once', () => {
  const names = [...policyNames].sort();
  const named = (policies?: string[]): string[] =>
    runs({ policies, pulls: 'on' }).map(({ policy }) => policy);
  expect(named().sort()).toEqual(names);
  expect(named(['all']).sort()).toEqual(names);
  expect(named(['random', 'all', 'kv-centric+random']).sort()).toEqual(
    [...names, 'kv-centric+random'].sort(),
  );
});

test.each([
  ['round-robbin', '"round-robbin" has no policy "round-robbin"; known: all, '],
  ['random+', '"random+" has no policy ""'],
  ['random+best', '"random+best" has no policy "best"'],
  ['random+random+random', '"random+random+random" has more than two legs.'],
])('%s is refused by name', (policy, message) => {
  expect(() => runs({ policies: ['random', policy] })).toThrow(`--policies: ${message}`);
});
