import { readFileSync } from 'node:fs';
import { encode } from '@msgpack/msgpack';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bytesHash, decodeEventBatch, hashBytes } from './vllm-events-decode.ts';

const fixtures = new URL('../../../test/fixtures/vllm-0.32.0/', import.meta.url);
const captured = readFileSync(new URL('kv-events.jsonl', fixtures), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as { frames_hex: string[] });

/** Bytes written by hand, so that no encoder of ours is asked. */
function msgpack(value: unknown): number[] {
  if (value === null) return [0xc0];
  if (typeof value === 'bigint') {
    const bytes = Buffer.alloc(8);
    if (value < 0n) bytes.writeBigInt64BE(value);
    else bytes.writeBigUInt64BE(value);
    return [value < 0n ? 0xd3 : 0xcf, ...bytes];
  }
  if (typeof value === 'number') {
    if (Number.isInteger(value) && value >= 0 && value < 128) return [value];
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleBE(value);
    return [0xcb, ...bytes];
  }
  if (typeof value === 'string') {
    const bytes = Buffer.from(value);
    return [0xd9, bytes.length, ...bytes];
  }
  if (value instanceof Uint8Array) return [0xc4, value.length, ...value];
  if (Array.isArray(value)) {
    return [0xdc, value.length >> 8, value.length & 255, ...value.flatMap(msgpack)];
  }
  const entries = Object.entries(value as object);
  return [0xde, 0, entries.length, ...entries.flatMap(([k, v]) => [...msgpack(k), ...msgpack(v)])];
}

const batchOf = (...events: unknown[]) =>
  decodeEventBatch(Uint8Array.from(msgpack([1.5, events, 0])));

test('every captured batch of vLLM 0.32 is read as a whole', () => {
  const types = new Set<string>();
  for (const { frames_hex } of captured) {
    const batch = decodeEventBatch(Buffer.from(frames_hex[2] ?? '', 'hex'));
    expect(batch).toMatchObject({ rank: 0, skipped: 0 });
    for (const event of batch?.events ?? []) types.add(event.type);
  }
  expect([...types].sort()).toEqual(['cleared', 'removed', 'stored']);
  const first = decodeEventBatch(Buffer.from(captured[0]?.frames_hex[2] ?? '', 'hex'));
  expect(first?.events[0]).toMatchObject({ type: 'stored', medium: 'GPU', group: 0 });
  expect(first?.events[0]).toMatchObject({ specKind: 'full_attention', parent: undefined });
});

test('hashes are the same however they are written, and bytes are never integers', () => {
  const big = 18214826099119294338n;
  for (const hash of [big, BigInt.asIntN(64, big)]) {
    expect(batchOf(['BlockRemoved', [hash]])?.events).toMatchObject([{ hashes: [`i${big}`] }]);
  }
  const bytes = Uint8Array.of(0, 255, 16);
  const removed = batchOf({ type: 'BlockRemoved', block_hashes: [bytes, 5] });
  expect(removed?.events).toMatchObject([{ hashes: ['b00ff10', 'i5'] }]);
  expect(hashBytes(bytesHash(bytes))).toEqual(bytes);
  expect(hashBytes('i5')).toBeUndefined();
});

test.each([
  ['0.9', [[7n], null, [1, 2], 2, null], {}],
  ['0.10.2', [[7n], null, [1, 2], 2, null, 'CPU'], { medium: 'CPU' }],
  ['0.14', [[7n], 6n, [1, 2], 2, 1, 'GPU', 'sql'], { adapter: 'sql', parent: 'i6' }],
  ['0.17', [[7n], null, [1, 2], 2, null, 'GPU', null, [['salt']]], { extraKeys: [['salt']] }],
  ['0.20', [[7n], null, [1, 2], 2, null, 'GPU', null, null, 3], { group: 3 }],
  [
    '0.22',
    [[7n], null, [1, 2], 2, null, 'GPU', null, null, 0, 'mamba', 9],
    { specKind: 'mamba', group: 0 },
  ],
])('arrays as of vLLM %s', (_, fields, expected) => {
  const batch = batchOf(['BlockStored', ...fields]);
  expect(batch?.skipped).toBe(0);
  expect(batch?.events).toMatchObject([
    { type: 'stored', tokens: [1, 2], blockSize: 2, ...expected },
  ]);
});

test('a batch may be a map, and may lack its rank', () => {
  const events = [{ type: 'AllBlocksCleared' }, ['AllBlocksCleared']];
  for (const value of [{ ts: 1, events, data_parallel_rank: 2 }, [1, events, 2]]) {
    const batch = decodeEventBatch(Uint8Array.from(msgpack(value)));
    expect(batch).toEqual({
      rank: 2,
      skipped: 0,
      events: [{ type: 'cleared' }, { type: 'cleared' }],
    });
  }
  expect(decodeEventBatch(Uint8Array.from(msgpack([1, []])))).toMatchObject({ rank: 0 });
});

test.each<[string, unknown]>([
  ['no hashes', ['BlockStored', [], null, [], 2]],
  ['hashes that are no list', ['BlockStored', 7, null, [], 2]],
  ['a hash of text', ['BlockStored', ['x'], null, [], 2]],
  ['an empty hash', ['BlockRemoved', [new Uint8Array()]]],
  ['a negative token', ['BlockStored', [7n], null, [-1n], 1]],
  ['a token of text', ['BlockStored', [7n], null, ['a'], 1]],
  ['a token beyond 32 bits', ['BlockStored', [7n], null, [1n << 40n], 1]],
  ['a block size of text', ['BlockStored', [7n], null, [1], 'x']],
  ['a medium that is a number', ['BlockRemoved', [7n], 5]],
  ['an unknown name', ['BlockMoved', [7n]]],
  ['a map without type', { block_hashes: [7n] }],
  ['null', null],
  ['a number', 5],
])('%s is skipped, and the rest of the batch counts', (_, bad) => {
  const batch = batchOf(['BlockRemoved', [1n]], bad, { type: 'AllBlocksCleared' });
  expect(batch?.skipped).toBe(1);
  expect(batch?.events.map((event) => event.type)).toEqual(['removed', 'cleared']);
});

test.each([
  ['nothing', []],
  ['text', msgpack('hello')],
  ['a number', [5]],
  ['events that are no list', msgpack([1, 'x', 0])],
  ['a rank that is none', msgpack([1, [], 'x'])],
  ['half a message', msgpack([1, [['AllBlocksCleared']], 0]).slice(0, 9)],
])('%s is no batch', (_, bytes) => {
  expect(decodeEventBatch(Uint8Array.from(bytes))).toBeUndefined();
});

test('no bytes make it throw', () => {
  const valid = encode([1, [{ type: 'BlockStored', block_hashes: [1], token_ids: [1] }], 0]);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), fc.nat(60), fc.nat(255), (bytes, at, byte) => {
      decodeEventBatch(bytes);
      const damaged = Uint8Array.from(valid);
      damaged[at % damaged.length] = byte;
      decodeEventBatch(damaged);
    }),
    { numRuns: 2000 },
  );
});
