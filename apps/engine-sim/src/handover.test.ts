import { eventually, metricsOf, readStream, send } from '@baton/test-kit';
import { expect, test } from 'vitest';
import { ask, CHAT, COMPLETIONS, MODEL, prefill, tokensIn } from './testing/asking.ts';
import { startedPair, tokensOf } from './testing/started-fleet.ts';

test.each([1, 3, 15, 16, 17, 100, 512, 1_000])(
  'a prompt of %i tokens: prefill here and decode there give what one engine gives',
  async (count) => {
    const { fleet, p, d } = await startedPair();
    const body = { prompt: tokensOf(count, count) };
    const alone = await ask(p, { ...body, max_tokens: 20 });
    const kv_transfer_params = await prefill(p, body);
    const decoded = await ask(d, { ...body, max_tokens: 20, kv_transfer_params });
    expect(tokensIn(decoded)).toEqual(tokensIn(alone));
    expect(tokensIn(decoded)).toHaveLength(20);
    // Seen on vLLM: what decode tells is what prefill had in its cache, here from the first request.
    const cached_tokens = Math.floor((count - 1) / 16) * 16;
    expect(decoded.body.usage?.prompt_tokens_details).toEqual({ cached_tokens });
    expect(fleet.violations.list).toEqual([]);
    expect(fleet.leaks()).toEqual([]);
  },
);

test('a chat, streamed', async () => {
  const { fleet, p, d } = await startedPair();
  const body = { messages: [{ role: 'user', content: 'What is a baton for?' }] };
  const alone = await ask(p, { ...body, max_tokens: 12 }, 'a', CHAT);
  const kv_transfer_params = await prefill(p, body, 'b', CHAT);
  expect(kv_transfer_params['remote_request_id']).toMatch(/^chatcmpl-b-[0-9a-f]{8}$/);
  const call = { ...body, model: MODEL, max_tokens: 12, kv_transfer_params, stream: true };
  const headers = { 'x-request-id': 'b' };
  const { text, done } = await readStream(await send(d.url, CHAT, call, { headers }));
  expect([text, done]).toEqual([alone.body.choices[0]?.message?.content, true]);
  expect(fleet.violations.list).toEqual([]);
  await eventually(() => expect(fleet.leaks()).toEqual([]));
});

test('what decode holds already is not read again', async () => {
  const { fleet, p, d } = await startedPair();
  const body = { prompt: tokensOf(1, 200) };
  const longer = { prompt: [...tokensOf(1, 200), ...tokensOf(2, 100)] };
  for (const [i, one] of [body, longer, longer].entries()) {
    const kv_transfer_params = await prefill(p, one, `r${i}`);
    const decoded = await ask(d, { ...one, max_tokens: 5, kv_transfer_params }, `r${i}`);
    expect(tokensIn(decoded)).toEqual(tokensIn(await ask(p, { ...one, max_tokens: 5 })));
  }
  const metrics = await metricsOf(d.url);
  // 13 blocks, then 19 less 12 that are there, then the last one: 16 tokens of 2 KiB each.
  expect(metrics.get('nixl_bytes_transferred_sum')).toBe((13 + 7 + 1) * 16 * 2_048);
  expect(metrics.get('nixl_bytes_transferred_count')).toBe(3);
  expect(metrics.get('prompt_tokens_by_source_total{source="external_kv_transfer"}')).toBe(
    200 + (300 - 192) + (300 - 288),
  );
  expect(fleet.violations.list).toEqual([]);
  expect(fleet.leaks()).toEqual([]);
});

test('many at once, with adapters and salts, more than fit: all as alone, and nothing is left', async () => {
  const { fleet, p, d } = await startedPair({ blocks: 80 });
  for (const { url } of [p, d]) {
    await send(url, '/v1/load_lora_adapter', { lora_name: 'lora-a', lora_path: 'adapters/a' });
  }
  const bodies = Array.from({ length: 24 }, (_, i) => ({
    prompt: [...tokensOf(i % 3, 64), ...tokensOf(i + 10, 20 + i * 5)],
    model: i % 4 === 0 ? 'lora-a' : MODEL,
    ...(i % 5 === 0 && { cache_salt: `tenant-${i}` }),
  }));
  const decoded = await Promise.all(
    bodies.map(async (body, i) => {
      const kv_transfer_params = await prefill(p, body, `r${i}`);
      return tokensIn(await ask(d, { ...body, max_tokens: 10, kv_transfer_params }, `r${i}`));
    }),
  );
  const alone = await Promise.all(
    bodies.map(async (body, i) => tokensIn(await ask(p, { ...body, max_tokens: 10 }, `a${i}`))),
  );
  expect(decoded).toEqual(alone);
  expect(new Set(decoded.map(String)).size).toBe(bodies.length);
  expect(fleet.violations.list).toEqual([]);
  expect(fleet.leaks()).toEqual([]);
});

test('a prefill that ends by itself at its first token hands over all the same', async () => {
  const { p, d } = await startedPair({ meanAnswerTokens: 1 });
  const body = { prompt: tokensOf(1, 40) };
  const first = await ask(p, {
    ...body,
    max_tokens: 1,
    kv_transfer_params: { do_remote_decode: true },
  });
  expect(first.body.choices[0]?.finish_reason).toBe('stop');
  const { kv_transfer_params } = first.body;
  const decoded = await ask(d, { ...body, max_tokens: 9, kv_transfer_params });
  expect(tokensIn(decoded)).toEqual(tokensIn(first));
});

test('without a connector parameters are passed over', async () => {
  const { fleet, p } = await startedPair({ nixl: undefined });
  const answer = await ask(p, {
    prompt: [1, 2],
    max_tokens: 1,
    kv_transfer_params: { do_remote_decode: true },
  });
  expect(answer.body.kv_transfer_params).toBeNull();
  expect(fleet.violations.kinds).toEqual(['no_connector']);
});

test('a client that leaves while its KV is read leaves nothing behind', async () => {
  const { fleet, p, d } = await startedPair({ nixl: { bandwidthBytesPerSec: 100 } });
  const abort = new AbortController();
  const body = { prompt: tokensOf(1, 100), model: MODEL };
  const kv_transfer_params = await prefill(p, body, 'r');
  const headers = { 'x-request-id': 'r' };
  const call = { ...body, max_tokens: 5, kv_transfer_params };
  const { signal } = abort;
  const gone = send(d.url, COMPLETIONS, call, { headers, signal });
  await eventually(() => d.inUse.usedBlocks === 7);
  abort.abort();
  await expect(gone).rejects.toThrow();
  await eventually(() => d.inUse.runs === 0);
  // Blocks that are being written stay, and so do those that are being read.
  expect([d.inUse.usedBlocks, p.inUse.heldPrompts]).toEqual([7, 1]);
  await eventually(() => expect(fleet.leaks()).toEqual([]));
  expect(fleet.violations.list).toEqual([]);
});

test('a client that leaves before its KV is read gives back at once what prefill keeps', async () => {
  const { fleet, p, d } = await startedPair({ blocks: 66, speedUp: 1 });
  const busy = new AbortController();
  const long = { prompt: tokensOf(2, 900), model: MODEL, max_tokens: 100 };
  const running = send(d.url, COMPLETIONS, long, { signal: busy.signal });
  await eventually(() => d.inUse.usedBlocks > 50);
  const body = { prompt: tokensOf(1, 200), model: MODEL, max_tokens: 5 };
  const kv_transfer_params = await prefill(p, body, 'r');
  const abort = new AbortController();
  const headers = { 'x-request-id': 'r' };
  const call = { ...body, kv_transfer_params };
  const waiting = send(d.url, COMPLETIONS, call, { headers, signal: abort.signal });
  await eventually(() => d.inUse.runs === 2);
  expect(p.inUse.heldPrompts).toBe(1);
  abort.abort();
  await expect(waiting).rejects.toThrow();
  await eventually(() => p.inUse.heldPrompts === 0);
  busy.abort();
  await expect(running).rejects.toThrow();
  await eventually(() => expect(fleet.leaks()).toEqual([]));
  expect(fleet.violations.list).toEqual([]);
});
