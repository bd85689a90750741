import { expect, test } from 'vitest';
import { EngineAdapters } from './engine-adapters.ts';

const sql = { name: 'sql', revision: '/sql' };
const law = { name: 'law', revision: '/law' };

/** As the metrics of an engine have it. */
function metricsOf(used: string[], atSec: number) {
  const adapters = { slots: 2, used, atSec };
  return {
    startedAtSec: 1,
    ranks: [],
    cache: undefined,
    nixl: undefined,
    promptTokens: undefined,
    adapters,
  };
}

test('what was loaded or used since the last beat is told once, the last one last', () => {
  const known = new EngineAdapters();
  expect(known.take()).toBeUndefined();
  known.heard('vllm', { adapters: [sql, law], metrics: undefined });
  known.heard('vllm', { adapters: [sql, law], metrics: metricsOf(['sql'], 5) });
  expect(known.take()).toEqual({ held: [sql, law], slots: 2, used: ['law', 'sql'] });
  known.heard('vllm', { adapters: undefined, metrics: metricsOf(['sql'], 5) });
  expect(known.take()).toEqual({ held: [sql, law], slots: 2, used: [] });
});

test('another path is another adapter, and one that is gone has no revision', () => {
  const known = new EngineAdapters();
  known.heard('vllm', { adapters: [sql, law], metrics: undefined });
  known.heard('vllm', { adapters: [{ ...sql, revision: '/2' }, law], metrics: undefined });
  expect([known.revisionOf('sql'), known.revisionOf('law')]).toEqual(['/2', '/law']);
  known.heard('vllm', { adapters: [law], metrics: undefined });
  expect(known.revisionOf('sql')).toBeUndefined();
  expect(known.take()?.held).toEqual([law]);
  known.begin();
  expect(known.take()).toBeUndefined();
});

test('an SGLang puts an adapter into its place with its first use', () => {
  const known = new EngineAdapters();
  known.heard('sglang', { adapters: [sql], metrics: undefined });
  expect(known.take()?.used).toEqual([]);
});

test('what is used is remembered to a limit, however long nobody asks', () => {
  const known = new EngineAdapters();
  known.heard('vllm', { adapters: [sql], metrics: undefined });
  for (let at = 1; at <= 300; at += 1) {
    known.heard('vllm', { adapters: [sql], metrics: metricsOf([`a${at}`, 'sql'], at) });
  }
  const used = known.take()?.used ?? [];
  expect(used).toHaveLength(256);
  expect(used.slice(-2)).toEqual(['a300', 'sql']);
  expect(used.filter((name) => name === 'sql')).toHaveLength(1);
});
