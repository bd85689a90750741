import { sampleBeat, type WorkerRecord } from '@baton/cluster';
import { expect, test } from 'vitest';
import type { PlanRequest } from './inputs.ts';
import { keptTurn } from './kept-turn.ts';

const { worker, ...beat } = sampleBeat({ workerId: 'd', role: 'decode' });
const layout = { ...worker.layout, connector: 'nixl' };
const record = { ...beat, facts: { ...worker, layout } } as unknown as WorkerRecord;
const request: PlanRequest = {
  ...{ requestId: 'r', model: worker.model, segmentKeys: new Uint8Array(0), promptTokens: 500 },
  ...{ maxOutputTokens: 1, excludeWorkers: [], traceparent: '' },
  keptTurn: { workerId: 'd', epoch: beat.epoch, tokens: 400 },
};
const found = (of: WorkerRecord | undefined, change: Partial<PlanRequest> = {}) =>
  keptTurn({ ...request, ...change }, { get: (workerId) => (workerId === 'd' ? of : undefined) });

test('a turn is there while its keeper is', () => {
  expect(found(record)).toEqual({ workerId: 'd', layout, tokens: 400 });
  expect(found({ ...record, state: 'draining' })).toBeDefined();
});

test.each<[string, WorkerRecord | undefined, Partial<PlanRequest>?]>([
  ['nobody said so', record, { keptTurn: undefined }],
  ['the keeper is gone', undefined],
  ['it was started anew', { ...record, epoch: { startedAtMs: 99, nonce: 0 } }],
  ['it is not ready', { ...record, state: 'starting' }],
  ['it failed for this request', record, { excludeWorkers: ['d'] }],
  ['it is longer than the prompt', record, { promptTokens: 399 }],
  ['it serves another model', record, { model: 'other' }],
  ['another connector moves its KV', { ...record, facts: worker }],
])('%s: there is none', (_, of, change) => {
  expect(found(of, change)).toBeUndefined();
});
