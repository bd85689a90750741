import { Cluster, sampleBeat, sampleFacts } from '@baton/cluster';
import { expect, test } from 'vitest';
import { AdapterOutlook } from './adapter-outlook.ts';

const sql = { name: 'sql', revision: '/sql' };
const law = { name: 'law', revision: '/law' };

function outlook(slots: number) {
  const cluster = new Cluster({ maxWorkers: 10, minLeaseMs: 1, maxLeaseMs: 9_999 });
  const adapters = { held: [sql, law], slots, used: ['law', 'sql'] };
  cluster.beat(sampleBeat({ workerId: 'a' }, { adapters }), 0);
  cluster.beat(sampleBeat({ workerId: 'bare' }), 0);
  const made = new AdapterOutlook(cluster, 200);
  made.heard('a', adapters);
  return made;
}
const facts = sampleFacts({ workerId: 'a' });

test('the ones that were used last have the places', () => {
  const made = outlook(1);
  expect([made.isWarm('a', 'sql'), made.isWarm('a', 'law')]).toEqual([true, false]);
  made.used('a', 'law');
  expect([made.isWarm('a', 'sql'), made.isWarm('a', 'law')]).toEqual([false, true]);
  made.forgetWorker('a');
  expect(made.isWarm('a', 'law')).toBe(false);
  expect([outlook(2), outlook(0)].map((other) => other.isWarm('a', 'law'))).toEqual([true, true]);
});

test('a worker can serve what it has, with the weights that are asked for', () => {
  const made = outlook(1);
  expect(made.demand(sql).obstacle('a')).toBeUndefined();
  expect(made.demand(sql).obstacle('bare')).toContain('adapter_missing');
  expect(made.demand({ ...sql, revision: '/2' }).obstacle('a')).toContain('adapter_revision');
  expect(made.demand(sql).obstacle('nobody')).toContain('adapter_missing');
});

test('a cold one costs a load, as loads have been seen to take', () => {
  const made = outlook(1);
  expect(made.demand(sql).loadMs(facts)).toBe(0);
  expect(made.demand(law).loadMs(facts)).toBe(200);
  for (let i = 0; i < 50; i += 1) made.observe(facts, 1_000);
  expect(made.demand(law).loadMs(facts)).toBeCloseTo(1_000, -1);
  for (let i = 0; i < 50; i += 1) made.observe(facts, -30);
  expect(made.demand(law).loadMs(facts)).toBeCloseTo(0, 0);
});
