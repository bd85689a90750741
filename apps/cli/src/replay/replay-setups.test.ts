import { expect, test } from 'vitest';
import type { SetupFlags } from './replay-plan.ts';
import { setupsOf } from './replay-setups.ts';

const given: SetupFlags = {
  ...{ speed: 1, dramBlocks: 0, ssdBlocks: 0, racks: 1, costModel: 'a800', seed: 1 },
};

test('a trace is one source, workloads are one each', () => {
  const [trace, ...others] = setupsOf({ ...given, trace: 'a.jsonl' });
  expect(trace).toMatchObject({ source: { kind: 'trace', file: 'a.jsonl' }, racks: 1 });
  expect(trace?.fleet).toEqual({ prefill: 8, decode: 8 });
  expect(others).toEqual([]);
  const two = setupsOf({ ...given, workload: ['no-sharing', 'rag-documents'], rate: 3 });
  expect(two.map(({ source }) => source)).toEqual([
    { kind: 'workload', name: 'no-sharing', requests: 4_000, requestsPerSec: 3 },
    { kind: 'workload', name: 'rag-documents', requests: 4_000, requestsPerSec: 3 },
  ]);
  const [usual] = setupsOf({ ...given, workload: ['no-sharing'], requests: 10 });
  expect(usual?.source).toMatchObject({ requests: 10 });
  expect(usual?.source.kind === 'workload' && usual.source.requestsPerSec).toBeGreaterThan(5);
});

test.each<[Partial<SetupFlags>, string]>([
  [{}, '--trace or --workload has to say which requests are replayed.'],
  [{ trace: 'a', workload: ['no-sharing'] }, '--workload is instead of --trace: give either.'],
  [{ trace: 'a', requests: 5 }, '--requests is of a generated --workload.'],
  [{ trace: 'a', rate: 5 }, '--rate is of a generated --workload; see --speed.'],
  [{ workload: ['chat'] }, '--workload: "chat" is not known'],
  [{ trace: 'a', linkBetween: 1e9 }, '--link-between is the rate between racks: give their number'],
  [{ trace: 'a', aggregated: 2, decode: 2 }, '--aggregated is instead of --prefill and --decode'],
])('%j: what does not go together is named', (flags, message) => {
  expect(() => setupsOf({ ...given, ...flags })).toThrow(message);
});
