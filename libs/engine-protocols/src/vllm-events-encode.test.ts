import { readFileSync } from 'node:fs';
import { decode } from '@msgpack/msgpack';
import { expect, test } from 'vitest';
import { encodeEventSeq, isReplayEnd, readEventSeq, REPLAY_END_SEQ } from './events/seq-frame.ts';
import { encodeEventBatch } from './vllm-events-encode.ts';
import type { CacheEvent } from './vllm-events-encode.ts';

const fixtures = new URL('../../../test/fixtures/vllm-0.32.0/', import.meta.url);
const captured = readFileSync(new URL('kv-events.jsonl', fixtures), 'utf8')
  .trim()
  .split('\n')
  .map((line) => (JSON.parse(line) as { frames_hex: string[] }).frames_hex);

type EventMap = Record<string, unknown>;
type Batch = [number, EventMap[], number];

const decodeBatch = (bytes: Uint8Array): Batch => decode(bytes, { useBigInt64: true }) as Batch;

/** The hash as bytes, so that a captured integer and ours can be compared. */
function hashBytes(hash: unknown): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(hash as bigint));
  return bytes;
}

/** Numbers as numbers, hashes as bytes; order of the fields kept. */
function comparable(value: unknown, key = ''): unknown {
  if (key === 'block_hashes') return (value as unknown[]).map(hashBytes);
  if (key === 'parent_block_hash') return value === null ? null : hashBytes(value);
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map((item) => comparable(item));
  return value;
}

function ours(event: EventMap): CacheEvent {
  const hashes = ((event['block_hashes'] ?? []) as unknown[]).map(hashBytes);
  if (event['type'] === 'BlockRemoved') {
    return { type: 'BlockRemoved', blockHash: hashes[0] ?? new Uint8Array() };
  }
  if (event['type'] === 'AllBlocksCleared') return { type: 'AllBlocksCleared' };
  return {
    type: 'BlockStored',
    blockHashes: hashes,
    parentBlockHash:
      event['parent_block_hash'] === null ? null : hashBytes(event['parent_block_hash']),
    tokenIds: (event['token_ids'] as (number | bigint)[]).map(Number),
    blockSize: Number(event['block_size']),
    extraKeys: event['extra_keys'] as (string[] | null)[],
  };
}

test('every captured batch, encoded by us, has the same fields in the same order', () => {
  const seen = new Set<unknown>();
  for (const frames of captured) {
    const [ts, events, rank] = decodeBatch(Buffer.from(frames[2] ?? '', 'hex'));
    const again = decode(encodeEventBatch(ts, events.map(ours), Number(rank))) as Batch;
    expect(again[0]).toBe(ts);
    expect(again[2]).toBe(0);
    expect(again[1]).toHaveLength(events.length);
    for (const [i, event] of events.entries()) {
      seen.add(event['type']);
      const entries = Object.entries(event).map(([key, value]) => [key, comparable(value, key)]);
      expect(Object.entries(again[1][i] ?? {})).toEqual(entries);
    }
  }
  expect([...seen].sort()).toEqual(['AllBlocksCleared', 'BlockRemoved', 'BlockStored']);
});

test('a batch without hashes is the same bytes as the captured one', () => {
  const cleared = encodeEventBatch(1795973024.298531, [{ type: 'AllBlocksCleared' }], 0);
  const head = captured.at(-1)?.[2] ?? '';
  // The captured batch holds a second event; up to it, only the array's length differs.
  const hex = Buffer.from(cleared).toString('hex');
  expect(hex.slice(0, 20)).toBe(head.slice(0, 20));
  expect(head.slice(22)).toContain(hex.slice(22, -2));
});

test('whole seconds stay a float', () => {
  expect(encodeEventBatch(5, [], 0)[1]).toBe(0xcb);
});

test('sequence frames are big-endian, and the end marker is none of them', () => {
  expect(Buffer.from(encodeEventSeq(0)).toString('hex')).toBe(captured[0]?.[1]);
  expect(Buffer.from(encodeEventSeq(7)).toString('hex')).toBe(captured.at(-1)?.[1]);
  expect(Buffer.from(encodeEventSeq(2 ** 40 + 3)).readBigUInt64BE()).toBe(BigInt(2 ** 40 + 3));
  expect(Buffer.from(REPLAY_END_SEQ).toString('hex')).toBe('f'.repeat(16));
  for (const seq of [0, 7, 2 ** 40 + 3, Number.MAX_SAFE_INTEGER]) {
    expect(readEventSeq(encodeEventSeq(seq))).toBe(seq);
    expect(isReplayEnd(encodeEventSeq(seq))).toBe(false);
  }
  expect(isReplayEnd(REPLAY_END_SEQ)).toBe(true);
  const others = [REPLAY_END_SEQ, encodeEventSeq(2 ** 53), new Uint8Array(7), undefined];
  expect(others.map(readEventSeq)).toEqual(others.map(() => undefined));
});
