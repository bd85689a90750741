import { expect, test } from 'vitest';
import type { LegRequest } from '../engine-protocol.ts';
import { vllmBatonProtocol as protocol } from './vllm-baton-protocol.ts';

const request: LegRequest = {
  ...{ api: 'completion', planId: 'plan-1', promptTokens: [1, 2], maxOutputTokens: 16 },
  body: { model: 'm', prompt: 'Hi' },
};
const facts = { promptTokens: 200, blockTokens: 32 };
const accounting = {
  ...{ prompt_tokens: 200, reused_tokens: 64, transferred_tokens: 128, computed_tokens: 8 },
};

test('each leg is told its plan, and what a pull brings', () => {
  const legs = {
    aggregated: protocol.aggregated(request, 128),
    prefill: protocol.prefill(request, { decodeHeldTokens: 0, prefixTokens: 128 }),
    decode: protocol.decode(request, {}),
  };
  for (const [leg, { body }] of Object.entries(legs)) {
    const prefix_tokens = leg === 'decode' ? 0 : 128;
    expect(body['kv_transfer_params']).toEqual({
      baton: { plan_id: 'plan-1', leg, prefix_tokens },
    });
  }
});

test('the connector hears of the leg’s trace in the body', () => {
  const { body, traced } = protocol.decode(request, {});
  expect(traced?.({ ...body, own: 1 }, '00-a-b-01')).toEqual({
    ...body,
    own: 1,
    kv_transfer_params: {
      baton: { plan_id: 'plan-1', leg: 'decode', prefix_tokens: 0, traceparent: '00-a-b-01' },
    },
  });
});

test('prefill accounts for its prompt where the connector knows of the plan; else nothing is handed over', () => {
  const answer = { kv_transfer_params: { baton: { accounting } } };
  expect(protocol.readHandover(answer, facts)).toEqual({ ok: true, value: {} });
  expect(protocol.readAccounting(answer, 'prefill')).toEqual({
    ...{ promptTokens: 200, reusedTokens: 64, transferredTokens: 128, computedTokens: 8 },
  });
  const usage = { prompt_tokens: 200, prompt_tokens_details: { cached_tokens: 192 } };
  for (const other of [{}, { kv_transfer_params: null }, { kv_transfer_params: { baton: {} } }]) {
    expect(protocol.readHandover({ ...other, usage }, facts)).toEqual({
      ok: true,
      value: undefined,
    });
  }
  expect(protocol.readAccounting({ usage }, 'aggregated')).toMatchObject({ reusedTokens: 192 });
  expect(protocol.readAccounting({ usage }, 'decode')).toBeUndefined();
});
