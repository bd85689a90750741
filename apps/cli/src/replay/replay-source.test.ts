import { a800, dynamo, workloads } from '@baton/sim';
import { expect, test } from 'vitest';
import { workloadNames } from './replay-plan.ts';
import {
  readSource,
  requireEnd,
  sourceName,
  usualRate,
  workloadsOf,
  type ReplaySource,
} from './replay-source.ts';
import { smallTrace, temporaryFile, traceLine } from './testing/trace-file.ts';

const generated: ReplaySource = {
  ...{ kind: 'workload', name: 'rag-documents', requests: 30, requestsPerSec: 5 },
};

test('the names of the command line are those of the simulator', () => {
  expect([...workloadNames].sort()).toEqual(Object.keys(workloads).sort());
  expect(workloadsOf(['all'])).toEqual(workloadNames);
  expect(workloadsOf(['no-sharing', 'all', 'no-sharing'])).toHaveLength(workloadNames.length);
  expect(() => workloadsOf(['no-sharing', 'chat'])).toThrow(
    '--workload: "chat" is not known; known: all, shared-system-prompts, ',
  );
});

test('a workload follows from its seed, a trace from its file', () => {
  expect(readSource(generated, 1)).toHaveLength(30);
  expect(readSource(generated, 1)).toEqual(readSource(generated, 1));
  expect(readSource(generated, 2)).not.toEqual(readSource(generated, 1));
  const file = temporaryFile('some.jsonl', smallTrace(3));
  const trace: ReplaySource = { kind: 'trace', file };
  expect(readSource(trace, 1)).toEqual(readSource(trace, 2));
  expect([sourceName(generated), sourceName(trace)]).toEqual(['rag-documents', 'some.jsonl']);
});

test('the usual rate grows with the fleet and its engines', () => {
  const rate = usualRate('no-sharing', a800(), { prefill: 8, decode: 8 });
  expect(rate).toBeGreaterThan(5);
  expect(rate).toBeLessThan(30);
  expect(usualRate('no-sharing', a800(), { aggregated: 16 })).toBeCloseTo(2 * rate, 0);
  expect(usualRate('no-sharing', dynamo, { prefill: 8, decode: 8 })).toBeGreaterThan(2 * rate);
});

test('times since 1970, or a rate near nothing, would not come to an end', () => {
  const lines = [traceLine(), traceLine({ timestamp: 1.7e12 })];
  const trace: ReplaySource = { kind: 'trace', file: temporaryFile('t.jsonl', lines.join('\n')) };
  const requests = readSource(trace, 1);
  const check = (source: ReplaySource, speed: number) => () =>
    requireEnd({ source, speed }, source === trace ? requests : readSource(source, 1));
  expect(check(trace, 1)).toThrow(
    'line 2 of the trace: timestamp 1700000000000 must be milliseconds since the log began, at most 2678400000 (31 days)',
  );
  expect(check(trace, 2)).toThrow('at most 5356800000 (31 days at 2 times the speed)');
  expect(check(trace, 1000)).not.toThrow();
  expect(check(generated, 1)).not.toThrow();
  expect(check({ ...generated, requestsPerSec: 1e-9 }, 1)).toThrow(
    '--rate and --speed must be such that 30 requests arrive within 31 days, request 1 does not.',
  );
});
