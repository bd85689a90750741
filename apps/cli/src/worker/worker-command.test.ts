import { expect, test } from 'vitest';
import { podLines } from './worker-command.ts';

test('how the search for pods goes, and who gets nothing', () => {
  expect(podLines(undefined)).toEqual([]);
  expect(podLines({ state: 'starting', engines: 0, unused: [] })).toEqual([
    'pods of namespace unknown: starting',
  ]);
  const unused = [{ pod: 'vllm-3', why: 'it is not ready' }];
  const away = { state: 'away', problem: '10.0.0.1:443: ECONNREFUSED', namespace: 'a', unused };
  expect(podLines(away)).toEqual([
    'pods of namespace a: away, 10.0.0.1:443: ECONNREFUSED',
    '  vllm-3 gets nothing: it is not ready',
  ]);
});
