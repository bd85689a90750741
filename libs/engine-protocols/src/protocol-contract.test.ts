import { describe, expect, test } from 'vitest';
import type { EngineProtocol, LegCall, LegRequest, Rendezvous } from './engine-protocol.ts';
import { protocolOf } from './protocol-of.ts';

const rendezvous: Rendezvous = {
  id: 4_711,
  at: { host: 'p', port: 8_998, engineIds: ['e'], tensorRanks: 1, pipelineRanks: 1 },
  rank: undefined,
};
const facts = { decodeHeldTokens: 0, prefixTokens: 0 };

function legsOf(protocol: EngineProtocol, request: LegRequest): Record<string, LegCall> {
  const aggregated = protocol.aggregated(request, 0);
  switch (protocol.order) {
    case 'resuming':
      return {
        aggregated,
        prefill: protocol.prefill(request, facts),
        decode: protocol.decode(request),
      };
    case 'sequential':
      return {
        aggregated,
        prefill: protocol.prefill(request, facts),
        decode: protocol.decode(request, { do_remote_prefill: true }),
      };
    case 'concurrent':
      return {
        aggregated,
        prefill: protocol.prefill(request, rendezvous),
        decode: protocol.decode(request, rendezvous),
      };
  }
}

const request = (changes: Partial<LegRequest> = {}): LegRequest => ({
  ...{ api: 'completion', planId: 'plan-1', promptTokens: [5, 6, 7], maxOutputTokens: 20 },
  body: {
    ...{ model: 'm', prompt: 'Hi', stream: true, stream_options: { include_usage: false } },
    ...{ temperature: 0, unheard_of: { deep: [1] }, min_tokens: 3 },
  },
  ...changes,
});
const chat = request({
  api: 'chat',
  body: {
    ...{ model: 'm', messages: [{ role: 'user', content: 'Hi' }], stream: true },
    ...{ tools: [], unheard_of: { deep: [1] }, max_completion_tokens: 7 },
  },
});

/** What every engine's adapter keeps to, whatever the engine wants to hear beside it. */
describe.each([
  ['llama', 'llama'],
  ['vllm', 'baton'],
  ['vllm', 'nixl'],
  ['vllm', 'nixl-push'],
  ['vllm', 'mooncake'],
  ['sglang', 'sglang-mooncake'],
])('%s with %s', (engine, connector) => {
  const protocol = protocolOf(engine, connector, true) as EngineProtocol;

  test('a request is never changed, and its fields come through', () => {
    for (const one of [request(), chat]) {
      const before = structuredClone(one);
      for (const { body } of Object.values(legsOf(protocol, one))) {
        expect(body).toMatchObject({ model: 'm', unheard_of: { deep: [1] } });
      }
      expect(one).toEqual(before);
    }
  });

  test('a chat stays a chat, a completion goes as token ids where they are known', () => {
    for (const { path, body } of Object.values(legsOf(protocol, chat))) {
      expect([path, body['messages']]).toEqual(['/v1/chat/completions', chat.body['messages']]);
      expect(body).not.toHaveProperty('prompt');
    }
    for (const [promptTokens, prompt] of [
      [
        [5, 6, 7],
        [5, 6, 7],
      ],
      [undefined, 'Hi'],
    ] as const) {
      for (const { path, body } of Object.values(legsOf(protocol, request({ promptTokens })))) {
        expect([path, body['prompt']]).toEqual(['/v1/completions', prompt]);
      }
    }
  });

  test('prefill answers as a whole, who answers the client tells its usage', () => {
    for (const one of [request(), chat]) {
      const { prefill, ...answering } = legsOf(protocol, one);
      expect(prefill?.body['stream']).toBe(false);
      expect(prefill?.body).not.toHaveProperty('stream_options');
      for (const { body } of Object.values(answering)) {
        expect(body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
      }
    }
  });

  test('limits of the answer are in exactly one field', () => {
    for (const { body } of Object.values(legsOf(protocol, chat))) {
      expect([body['max_tokens'], body['max_completion_tokens']].filter(Boolean)).toHaveLength(1);
    }
    const { aggregated, decode } = legsOf(protocol, request());
    expect([aggregated?.body['max_tokens'], decode?.body['max_tokens']]).toEqual([20, 20]);
  });

  test('the legs of a pair are told from a whole request, and those of two attempts from each other', () => {
    const { aggregated, prefill, decode } = legsOf(protocol, request());
    expect(new Set([aggregated, prefill, decode].map((leg) => JSON.stringify(leg))).size).toBe(3);
    if (protocol.order !== 'concurrent') return;
    const again = protocol.decode(request(), { ...rendezvous, id: rendezvous.id + 1 });
    expect(again).not.toEqual(decode);
    expect(JSON.stringify(again)).toContain(String(rendezvous.id + 1));
  });

  test('a rank of several is asked in a way of the engine, and without a rank none', () => {
    for (const leg of Object.values(legsOf(protocol, request()))) {
      const [first, second] = [protocol.atRank(leg, 0), protocol.atRank(leg, 1)];
      if (engine === 'llama') expect([first, second]).toEqual([leg, leg]);
      else expect(new Set([leg, first, second].map((one) => JSON.stringify(one))).size).toBe(3);
    }
  });

  test.each([null, 7, 'x', [], {}, { usage: 1 }, { usage: { prompt_tokens: -1 } }])(
    'of %j no accounting is read',
    (nonsense) => {
      for (const leg of ['aggregated', 'prefill', 'decode'] as const) {
        expect(protocol.readAccounting(nonsense, leg)).toBeUndefined();
      }
    },
  );
});

test('what moves the KV of a pair has to be known', () => {
  for (const engine of ['vllm', 'sglang']) {
    expect(protocolOf(engine, 'mystery', false)).toBeDefined();
    expect(protocolOf(engine, 'mystery', true)).toBeUndefined();
  }
  expect(protocolOf('vllm', 'sglang-nixl', true)).toBeUndefined();
  expect(protocolOf('sglang', 'nixl', true)).toBeUndefined();
  expect(protocolOf('toString', '', false)).toBeUndefined();
});
