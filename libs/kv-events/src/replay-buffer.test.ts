import { expect, test } from 'vitest';
import { ReplayBuffer } from './replay-buffer.ts';

const entry = (seq: number, bytes = 10) => ({ seq, payload: new Uint8Array(bytes) });
const seqs = (buffer: ReplayBuffer, from = 0) => buffer.from(from).map((e) => e.seq);

test('keeps the newest batches by number', () => {
  const buffer = new ReplayBuffer(3, 1_000);
  for (let seq = 0; seq < 50; seq += 1) buffer.push(entry(seq));
  expect(seqs(buffer)).toEqual([47, 48, 49]);
  expect(seqs(buffer, 48)).toEqual([48, 49]);
  expect(seqs(buffer, 50)).toEqual([]);
  expect(buffer.size).toBe(3);
});

test('keeps the newest batches by bytes, and one that alone is too large until the next one', () => {
  const buffer = new ReplayBuffer(100, 25);
  for (let seq = 0; seq < 5; seq += 1) buffer.push(entry(seq));
  expect(seqs(buffer)).toEqual([3, 4]);
  buffer.push(entry(5, 26));
  expect(seqs(buffer)).toEqual([5]);
  buffer.push(entry(6));
  expect(seqs(buffer)).toEqual([6]);
});
