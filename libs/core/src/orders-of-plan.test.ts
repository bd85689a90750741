import { sampleBeat, type Role, type WorkerState } from '@baton/cluster';
import { KEY_BYTES, Tier } from '@baton/kv';
import type { TransferOrder, TransferResult } from '@baton/transfers';
import { expect, test } from 'vitest';
import { createCore } from './core.ts';
import type { Effect } from './effects.ts';

const { layout } = sampleBeat().worker;

/** 1,000 prompt tokens a second. */
const load = {
  rank: 0,
  runningSequences: 0,
  waitingSequences: 0,
  pendingPrefillTokens: 0,
  kvUsedBlocks: 0,
  prefillTokensPerSec: 1_000,
  decodeTokensPerSec: 100,
  dramBytesPerSec: 0,
  ssdBytesPerSec: 0,
};
const request = {
  requestId: 'r',
  model: sampleBeat().worker.model,
  segmentKeys: new Uint8Array(20 * KEY_BYTES).map((_, i) => i),
  promptTokens: 20 * sampleBeat().worker.segmentTokens + 10,
  maxOutputTokens: 10,
  excludeWorkers: [],
  traceparent: '',
};

/** What is ordered for a pair whose KV this connector moves. */
function ordersWith(connector: string): string[] {
  const core = createCore({ instanceId: 'c' });
  for (const role of ['prefill', 'decode'] satisfies Role[]) {
    const facts = { workerId: role, role, layout: { ...layout, connector } };
    core.step({ type: 'beat', beat: sampleBeat(facts) }, 0);
  }
  const effects = core.step({ type: 'plan', sessionId: 's', request }, 0);
  expect(effects[0]).toMatchObject({ reply: { mode: 'disaggregated', prefill: { connector } } });
  return effects.flatMap((effect) =>
    effect.type === 'transferOrder' ? [effect.order.reason] : [],
  );
}

test('a handover is ordered where agents move the KV, and not where the engines do', () => {
  expect(ordersWith('baton')).toEqual(['handover']);
  expect(ordersWith('nixl')).toEqual([]);
});

test('a prefix that comes from two workers is there when both have brought their part', () => {
  const core = createCore({ instanceId: 'c' });
  const keys = new Uint8Array(20 * KEY_BYTES).map((_, i) => i);
  const join = (workerId: string, role: Role, state: WorkerState, first = 0, end = 0): void => {
    const beat = sampleBeat({ workerId, role }, { state, loads: [load], leaseMs: 60_000 });
    core.step({ type: 'beat', beat }, 0);
    const own = keys.subarray(first * KEY_BYTES, end * KEY_BYTES);
    const ops = [{ kind: 'store', tier: Tier.DRAM, rank: 0, keys: own } as const];
    core.step({ type: 'delta', delta: { workerId, epoch: beat.epoch, seq: 1, ops } }, 0);
  };
  join('one', 'prefill', 'draining', 0, 4);
  join('other', 'prefill', 'draining', 3, 10);
  join('idle', 'prefill', 'ready');
  join('decode', 'decode', 'ready');
  const ask = (requestId: string, segmentKeys: Uint8Array, nowMs: number): Effect[] =>
    core.step(
      { type: 'plan', sessionId: 's', request: { ...request, requestId, segmentKeys } },
      nowMs,
    );
  const orders = ask('r', keys, 0).flatMap((effect) =>
    effect.type === 'transferOrder' && effect.order.reason === 'prefix' ? [effect.order] : [],
  );
  expect(orders.map(({ sourceWorker }) => sourceWorker)).toEqual(['one', 'other']);
  const brought = (order: TransferOrder | undefined, nowMs: number): void => {
    if (order === undefined) throw new Error('no such order');
    const amount = { segments: 1, bytes: 1, durationMs: 1, bytesPerSec: 1 };
    const { transferId, destinationWorker: workerId } = order;
    const result = { transferId, workerId, status: 'done', ...amount, backend: 'tcp', code: '' };
    core.step({ type: 'transferred', result: result as TransferResult }, nowMs);
  };
  const isPlanned = (effects: readonly Effect[]): boolean =>
    effects.some((effect) => effect.type === 'planReply' && effect.reply.kind === 'planned');
  brought(orders[0], 100);
  expect(
    isPlanned(
      ask(
        'next',
        keys.map((byte) => byte ^ 1),
        5_000,
      ),
    ),
  ).toBe(false);
  brought(orders[1], 1_000);
  // The 650 tokens that nobody holds are computed from now on.
  expect(isPlanned(core.step({ type: 'tick' }, 1_600))).toBe(false);
  expect(isPlanned(core.step({ type: 'tick' }, 1_640))).toBe(true);
});
