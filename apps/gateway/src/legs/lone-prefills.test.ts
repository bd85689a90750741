import { expect, test } from 'vitest';
import { LonePrefills } from './lone-prefills.ts';

test('so many go on at one engine, and others when one of them has ended', async () => {
  const lone = new LonePrefills();
  const ends: (() => void)[] = [];
  const admit = (engineUrl: string): boolean =>
    lone.admit(engineUrl, new Promise((resolve) => ends.push(resolve)));
  const admitted = Array.from({ length: 140 }, () => admit('http://a')).filter(Boolean);
  expect(admitted).toHaveLength(128);
  expect(admit('http://b')).toBe(true);
  ends[0]?.();
  await Promise.resolve();
  expect([admit('http://a'), admit('http://a')]).toEqual([true, false]);
});
