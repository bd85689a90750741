import { expect, test } from 'vitest';
import type { LegRequest, Rendezvous } from '../engine-protocol.ts';
import { mooncakeProtocol } from './mooncake-protocol.ts';
import { nixlPushProtocol } from './nixl-push-protocol.ts';

const request: LegRequest = {
  ...{ api: 'completion', planId: 'c-7', promptTokens: [1, 2, 3], maxOutputTokens: 16 },
  body: { model: 'm', prompt: 'Hi', stream: true, min_tokens: 5, stop: 'x' },
};
const rendezvous: Rendezvous = {
  id: 2 ** 47 + 1,
  at: {
    ...{ host: '10.0.0.1', port: 5_600, tensorRanks: 2, pipelineRanks: 1 },
    engineIds: ['engine-a', 'engine-b'],
  },
  rank: undefined,
};

test.each([
  ['nixl-push', nixlPushProtocol],
  ['mooncake', mooncakeProtocol],
])('calls of both legs: %s', async (name, protocol) => {
  const legs = {
    prefill: protocol.prefill(request, rendezvous),
    decode: protocol.decode(request, rendezvous),
  };
  for (const [leg, call] of Object.entries(legs)) {
    const text = `${JSON.stringify(call, null, 2)}\n`;
    await expect(text).toMatchFileSnapshot(`golden/${name}-${leg}.golden`);
  }
});

test('both legs of a push have one request id, which no other attempt has', () => {
  const of = (met: Rendezvous) => [
    nixlPushProtocol.prefill(request, met).headers,
    nixlPushProtocol.decode(request, met).headers,
  ];
  const [prefill, decode] = of(rendezvous);
  expect(prefill).toEqual(decode);
  expect(of({ ...rendezvous, id: 1 })[0]).not.toEqual(prefill);
  const other = { ...request, planId: 'c-8' };
  expect(nixlPushProtocol.prefill(other, rendezvous).headers).not.toEqual(prefill);
});

test('a rank of several is met under its own engine id, and for NIXL at its own port', () => {
  const met = { ...rendezvous, rank: 1 };
  expect(nixlPushProtocol.decode(request, met).body['kv_transfer_params']).toMatchObject({
    ...{ remote_engine_id: 'engine-b', remote_port: 5_601 },
  });
  expect(mooncakeProtocol.decode(request, met).body['kv_transfer_params']).toMatchObject({
    ...{ remote_engine_id: 'engine-b', remote_bootstrap_addr: 'http://10.0.0.1:5600' },
  });
  const v6 = { ...met, at: { ...met.at, host: 'fe80::1' } };
  expect(mooncakeProtocol.decode(request, v6).body['kv_transfer_params']).toMatchObject({
    remote_bootstrap_addr: 'http://[fe80::1]:5600',
  });
});
