import { decode } from '@msgpack/msgpack';
import { post } from '@baton/test-kit';
import { expect, test } from 'vitest';
import { capturedBatches, capturedJson } from './testing/captured.ts';
import { publishedBatches, replayFrames } from './testing/replayed-batches.ts';
import { startedEngine, startedPair, tokensOf } from './testing/started-fleet.ts';

/**
 * KV events held against those of a real vLLM: its model gave other tokens, but for the same prompts the bytes are the
 * same, names of blocks included.
 */

const settings = { blockTokens: 32, blocks: 64, maxModelTokens: 1_024 } as const;
const model = 'stand-in';
const prompt = Array.from({ length: 100 }, (_, i) => i + 10);
const TIMESTAMP = [2, 10] as const;

async function engine() {
  const one = await startedEngine(settings);
  const ask = (body: object) =>
    post(one.url, '/v1/completions', { model, ignore_eos: true, ...body });
  return { one, ask };
}

/** Without its time. */
function bytesOf(batch: Buffer | undefined): string {
  const bytes = Buffer.from(batch ?? Buffer.alloc(0));
  bytes.fill(0, ...TIMESTAMP);
  return bytes.toString('hex');
}

type Event = Record<string, unknown>;
const eventsOf = (batch: Buffer | undefined): Event[] => {
  const [, events] = decode(batch ?? Buffer.alloc(0), { useBigInt64: true }) as [number, Event[]];
  return events;
};

test('stored, salted, and stored again after a reset: byte for byte', async () => {
  const { one, ask } = await engine();
  await ask({ prompt, max_tokens: 1 });
  await ask({ prompt, max_tokens: 1, cache_salt: 'tenant-a' });
  await post(one.url, '/reset_prefix_cache', {});
  await ask({ prompt, max_tokens: 1 });
  const [stored, , salted, , cleared] = capturedBatches('kv-events.jsonl');
  const ours = await publishedBatches(one.replayEndpoint);
  expect(ours.map(bytesOf)).toEqual([stored, salted, cleared].map(bytesOf));
});

test('blocks of generated tokens: the fields of the capture, a chain behind the prompt', async () => {
  const { one, ask } = await engine();
  const answer = await ask({ prompt, max_tokens: 40, return_token_ids: true });
  const [, generated] = await publishedBatches(one.replayEndpoint);
  const [real] = eventsOf(capturedBatches('kv-events.jsonl')[1]);
  const [ours] = eventsOf(generated);
  expect(Object.keys(ours ?? {})).toEqual(Object.keys(real ?? {}));
  expect(ours).toMatchObject({
    parent_block_hash: real?.['parent_block_hash'],
    token_ids: [...prompt.slice(96), ...(answer.body.choices[0]?.token_ids ?? []).slice(0, 28)],
  });
});

test('eviction takes what was used longest ago, tails first, and says it block by block', async () => {
  const { one, ask } = await engine();
  await ask({ prompt, max_tokens: 40 });
  await ask({ prompt, max_tokens: 4 });
  await ask({ prompt, max_tokens: 2, cache_salt: 'tenant-a' });
  await ask({ prompt, max_tokens: 1 });
  for (const seed of [1, 2, 3]) await ask({ prompt: tokensOf(seed, 700), max_tokens: 1 });
  const removedIn = (batches: Buffer[]): Event[] =>
    batches.flatMap(eventsOf).filter(({ type }) => type === 'BlockRemoved');
  const ours = removedIn(await publishedBatches(one.replayEndpoint));
  const real = removedIn(capturedBatches('kv-events.jsonl'));
  // The first one held generated tokens, which are others here.
  expect(ours.slice(1, 7)).toEqual(real.slice(1, 7));
  expect(ours[0]).toEqual({ ...real[0], block_hashes: ours[0]?.['block_hashes'] });
});

test('a decode side tells what it has read', async () => {
  const { p, d } = await startedPair(settings);
  const headers = { 'x-request-id': 'r' };
  const body = { model, prompt: Array.from({ length: 200 }, (_, i) => (i * 13 + 29) % 370) };
  const kv_transfer_params = { do_remote_decode: true, do_remote_prefill: false };
  const prefill = { ...body, max_tokens: 1, kv_transfer_params };
  const before = await post(p.url, '/v1/completions', prefill, { headers });
  const params = before.body.kv_transfer_params;
  const decoding = { ...body, max_tokens: 1, kv_transfer_params: params };
  await post(d.url, '/v1/completions', decoding, { headers });
  const [real] = capturedBatches('kv-events-decode.jsonl');
  const ours = await publishedBatches(d.replayEndpoint);
  expect(ours.map(bytesOf)).toEqual([bytesOf(real)]);
});

test('a replay: frames as in the capture', async () => {
  const { one, ask } = await engine();
  await ask({ prompt, max_tokens: 1 });
  const hex = (frames: (Buffer | string)[]) =>
    frames.map((frame) => (typeof frame === 'string' ? frame : frame.toString('hex')));
  const captured = capturedJson<string[][]>('kv-replay.json');
  const [first = [], end = []] = await replayFrames(one.replayEndpoint);
  const [realFirst = [], realEnd = []] = [captured[0], captured.at(-1)];
  expect(hex(end)).toEqual(realEnd);
  expect(hex(first).slice(0, 3)).toEqual(realFirst.slice(0, 3));
  expect(bytesOf(first[3])).toBe(bytesOf(Buffer.from(realFirst[3] ?? '', 'hex')));
  expect(await replayFrames(one.replayEndpoint, 1)).toHaveLength(1);
});
