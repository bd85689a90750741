import { expect, test } from 'vitest';
import { ModelTreatments } from './model-settings.ts';
import { defaultCoreOptions } from './options.ts';
import type { SettingsChange } from './settings-change.ts';

const { policy, queue } = defaultCoreOptions;
const slo = { ttftBaseMs: 2_000, ttftPerTokenMs: 0, tbtMs: 50 };
const start = { policy, queue, slo, policyParameters: { composite: { alpha: 2 } } };
const treatmentsOf = (models: Record<string, SettingsChange> = {}): ModelTreatments =>
  new ModelTreatments(start, models, 1);

test.each([
  ['all models', undefined],
  ['one model', 'm'],
])('of %s, what a change names is changed, null goes back, and the rest stays', (_, whose) => {
  const treatments = treatmentsOf();
  const seen = () => treatments.of('m').settings;
  const changes: [SettingsChange, object][] = [
    [
      { policy: 'composite', queue: 'fcfs' },
      { policy: 'composite', queue: 'fcfs' },
    ],
    [{ slo: { ttftBaseMs: 500 } }, { queue: 'fcfs', slo: { ...slo, ttftBaseMs: 500 } }],
    [{ slo: { tbtMs: Infinity } }, { slo: { ...slo, ttftBaseMs: 500, tbtMs: Infinity } }],
    [{ slo: { ttftBaseMs: null } }, { slo: { ...slo, tbtMs: Infinity } }],
    [
      { policyParameters: { composite: { beta: 3 }, session: { idleMs: 9 } } },
      { policyParameters: { composite: { alpha: 2, beta: 3 }, session: { idleMs: 9 } } },
    ],
    [
      { policyParameters: { composite: { alpha: 7, beta: null } } },
      { policyParameters: { composite: { alpha: 7 }, session: { idleMs: 9 } } },
    ],
    [
      { policyParameters: { composite: null } },
      { policyParameters: { composite: { alpha: 2 }, session: { idleMs: 9 } } },
    ],
    [
      { queue: null, slo: null, policyParameters: null },
      { ...start, policy: 'composite' },
    ],
    [{ policy: null, decodePolicy: null }, start],
  ];
  for (const [change, after] of changes) {
    treatments.set(whose, change);
    expect(seen()).toMatchObject(after);
  }
  expect(seen()).toEqual(start);
  expect(treatments.own).toEqual({});
});

test('a model goes by what holds for all in everything that it has not of its own', () => {
  const treatments = treatmentsOf({ m: { slo: { ttftBaseMs: 500 } } });
  treatments.set(undefined, { queue: 'fcfs', slo: { tbtMs: 80 } });
  expect(treatments.of('m').settings).toMatchObject({
    queue: 'fcfs',
    slo: { ttftBaseMs: 500, ttftPerTokenMs: 0, tbtMs: 80 },
  });
  treatments.set('m', { slo: { tbtMs: 30 } });
  expect(treatments.own).toEqual({ m: { slo: { ttftBaseMs: 500, tbtMs: 30 } } });
  expect(treatments.of('other').settings.slo).toEqual({ ...slo, tbtMs: 80 });
});

test('what does not go together with what a model has of its own is refused, and nothing is changed', () => {
  const treatments = treatmentsOf();
  expect(() => treatments.set('m', { queue: 'random' as 'fcfs' })).toThrow('queue must be one of');
  expect(() => treatments.set(undefined, { policy: 'best' })).toThrow('unknown policy "best"');
  expect([treatments.defaults, treatments.own]).toEqual([start, {}]);
});

test('1,024 models have settings of their own at most; one that has none any more makes room', () => {
  const treatments = treatmentsOf();
  for (let i = 0; i < 1_024; i += 1) treatments.set(`m${i}`, { queue: 'fcfs' });
  expect(() => treatments.set('one more', { queue: 'fcfs' })).toThrow('settings of 1024 models');
  treatments.set('one more', {});
  treatments.set('m5', { queue: null });
  treatments.set('one more', { queue: 'fcfs' });
  expect(Object.keys(treatments.own)).toHaveLength(1_024);
});

test.each([
  ['all models', undefined],
  ['one model', 'm'],
])('of %s, only another choice of policies forgets what one has learned', (_, whose) => {
  const treatments = treatmentsOf();
  const before = treatments.of('m').policy;
  for (const change of [{}, { queue: 'fcfs' }, { slo: { tbtMs: 9 } }] satisfies SettingsChange[]) {
    treatments.set(whose, change);
    expect(treatments.of('m').policy).toBe(before);
  }
  expect(treatments.of('m').settings).toMatchObject({ queue: 'fcfs', slo: { tbtMs: 9 } });
  const others: SettingsChange[] = [
    { policy: 'session' },
    { decodePolicy: 'random' },
    { policyParameters: { session: { idleMs: 9 } } },
  ];
  let last = before;
  for (const change of others) {
    treatments.set(whose, change);
    expect(treatments.of('m').policy).not.toBe(last);
    last = treatments.of('m').policy;
  }
});
