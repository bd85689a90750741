import { sampleBeat, type Role } from '@baton/cluster';
import { KEY_BYTES } from '@baton/kv';
import { expect, test } from 'vitest';
import { createCore } from './core.ts';

const { layout } = sampleBeat().worker;

/** What is ordered for a pair whose KV this connector moves. */
function ordersWith(connector: string): string[] {
  const core = createCore({ instanceId: 'c' });
  for (const role of ['prefill', 'decode'] satisfies Role[]) {
    const facts = { workerId: role, role, layout: { ...layout, connector } };
    core.step({ type: 'beat', beat: sampleBeat(facts) }, 0);
  }
  const request = {
    requestId: 'r',
    model: sampleBeat().worker.model,
    segmentKeys: new Uint8Array(10 * KEY_BYTES).map((_, i) => i),
    promptTokens: 10 * sampleBeat().worker.segmentTokens + 10,
    maxOutputTokens: 10,
    excludeWorkers: [],
    traceparent: '',
  };
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
