import { decode } from '@msgpack/msgpack';
import { Tier } from '@baton/kv';
import { expect, test } from 'vitest';
import { EventDecoder } from './events/event-decoder.ts';
import { eventsOf } from './testing/events-of.ts';
import { encodeSglangBatch } from './sglang-events-encode.ts';

const stored = { type: 'BlockStored', hash: -5n, parent: 7n, tokenIds: [1, 2, 3] } as const;

test('arrays in the order of the fields, hashes signed, a salt in a map behind them', () => {
  const salted = { ...stored, parent: null, salt: 'tenant-a' };
  const removed = { type: 'BlockRemoved', hash: -(2n ** 63n) } as const;
  const batch = encodeSglangBatch(2, [stored, salted, removed, { type: 'AllBlocksCleared' }], 1);
  expect(decode(batch, { useBigInt64: true })).toEqual([
    2,
    [
      ['BlockStored', [-5n], 7n, [1, 2, 3], 3, null, 'GPU'],
      ['BlockStored', [-5n], null, [1, 2, 3], 3, null, 'GPU', { cache_salt: 'tenant-a' }],
      ['BlockRemoved', [-(2n ** 63n)], 'GPU'],
      ['AllBlocksCleared'],
    ],
    1,
  ]);
});

test('our own reader takes them', () => {
  const batch = new EventDecoder('sglang').decode(encodeSglangBatch(2, [stored], 0));
  expect(batch && eventsOf(batch)).toMatchObject([
    { type: 'stored', hashes: [`i${2n ** 64n - 5n}`], parent: 'i7', tokens: [1, 2, 3] },
  ]);
  expect(batch).toMatchObject({ skipped: 0, records: [{ blockTokens: 3, tier: Tier.HBM }] });
});
