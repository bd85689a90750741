import { expect, test } from 'vitest';
import { baton } from './index.ts';

test('64-bit fields are plain numbers, those that are absent too', () => {
  const sent = { workerId: 'w', seq: 2 ** 53 - 1 };
  const read = baton.v1.KvDelta.decode(baton.v1.KvDelta.encode(sent).finish());
  expect(read.seq).toBe(2 ** 53 - 1);
  expect(baton.v1.KvDelta.decode(new Uint8Array(0)).seq).toBe(0);
  expect(baton.v1.KvDelta.create().seq).toBe(0);
  expect(baton.v1.Epoch.decode(new Uint8Array(0)).nonce).toBe(0);
});
