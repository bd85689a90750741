import { expect, test } from 'vitest';
import { paintFor } from '../render/terminal-text.ts';
import { explainLines } from './explain-command.ts';

const plain = paintFor(false, {});
const pulls = [
  { sourceWorker: 'prefill-2', firstSegment: 2, segments: 3 },
  { sourceWorker: 'prefill-3', firstSegment: 5, segments: 1 },
];
const plan = {
  planId: 'c-7',
  requestId: 'chatcmpl-1',
  model: 'tiny',
  state: 'finished',
  endReason: 'finished',
  promptTokens: 353,
  waitedMs: 12,
  mode: 'disaggregated',
  ttftMs: 130,
  choice: {
    mode: 'disaggregated',
    prefill: { workerId: 'prefill-1', heldSegments: 2, loadedSegments: 1, prefillTokens: 33 },
    decode: { workerId: 'decode-1', heldSegments: 4 },
    pulls,
    predictedTtftMs: 120.4,
  },
  explanation: {
    policy: 'kv-centric',
    reasons: [],
    matchedTokens: 320,
    considered: 3,
    candidates: [
      {
        leg: 'pair',
        prefillWorker: 'prefill-1',
        decodeWorker: 'decode-1',
        terms: { queueMs: 0, fetchMs: 4, prefillMs: 100 },
        cost: 104,
        pulls,
        outcome: 'chosen',
      },
      {
        leg: 'pair',
        prefillWorker: 'prefill-2',
        decodeWorker: 'decode-1',
        terms: { queueMs: 2000, fetchMs: 0, prefillMs: 90 },
        cost: 2090,
        outcome: 'behind',
        lostBy: { term: 'queueMs', behind: 1986 },
      },
    ],
    ineligible: [{ workerId: 'decode-2', reason: 'KV cache full' }],
  },
};

test('a plan as a person reads it', () => {
  expect(explainLines(plan, plain)).toEqual([
    'plan        c-7 of request chatcmpl-1, finished',
    'prompt      353 tokens of tiny, 320 of them held somewhere',
    'policy      kv-centric, disaggregated',
    'time        waited 12 ms, predicted 120 ms to the first token, it took 130 ms',
    'prefill     prefill-1: 2 segments held (1 of them to be loaded from below its memory), 3 segments pulled from prefill-2, 1 segments pulled from prefill-3, 33 tokens computed',
    'decode      decode-1: 4 segments held, the rest handed over',
    '',
    'leg   prefill    decode    queue  fetch  prefill    cost  pulls from',
    'pair  prefill-1  decode-1   0 ms   4 ms   100 ms  104 ms  prefill-2, prefill-3  chosen',
    'pair  prefill-2  decode-1    2 s   0 ms    90 ms  2.09 s                        behind by 1.99 s, most in queue',
    'and 1 more',
    '',
    'not weighed:',
    '  decode-2: KV cache full',
  ]);
});

test('a refusal, and what another version of the conductor says, show what there is', () => {
  const refused = { ...plan, state: 'refused', endReason: 'no_capacity', choice: undefined };
  const lines = explainLines({ ...refused, explanation: { candidates: [] } }, plain);
  expect(lines[0]).toContain('refused: no_capacity');
  expect(lines).toContain('Nobody could take it.');
  expect(explainLines({}, plain).length).toBeGreaterThan(0);
});
