import { expect, test } from 'vitest';
import { RecentMean } from './recent-mean.ts';

test('a guess at first, then the mean of the answers, the recent ones more', () => {
  const mean = new RecentMean();
  expect(mean.predict('m', 0)).toBe(256);
  mean.observe('m', 10);
  mean.observe('m', 30);
  expect(mean.predict('m', 0)).toBe(20);
  for (let i = 0; i < 500; i += 1) mean.observe('m', 1_000);
  expect(mean.predict('m', 0)).toBeGreaterThan(990);
});

test('no more than the client allows, and each model has its own', () => {
  const mean = new RecentMean();
  mean.observe('m', 500);
  expect([mean.predict('m', 40), mean.predict('other', 40), mean.predict('other', 0)]).toEqual([
    40, 40, 256,
  ]);
});

test('models that were not heard of for longest are forgotten', () => {
  const mean = new RecentMean();
  for (let i = 0; i < 300; i += 1) mean.observe(`m${i}`, 7);
  expect([mean.predict('m0', 0), mean.predict('m299', 0)]).toEqual([256, 7]);
});
