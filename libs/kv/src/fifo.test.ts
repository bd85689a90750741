import { expect, test } from 'vitest';
import { Fifo } from './fifo.ts';

test('entries come out in the order in which they went in', () => {
  const queue = new Fifo<number>();
  expect([queue.first, queue.shift(), queue.length]).toEqual([undefined, undefined, 0]);
  queue.push(1);
  queue.push(2);
  queue.replaceFirst(3);
  expect([queue.length, queue.first]).toEqual([2, 3]);
  expect([queue.shift(), queue.shift(), queue.shift()]).toEqual([3, 2, undefined]);
  queue.push(4);
  queue.clear();
  expect([queue.length, queue.shift()]).toEqual([0, undefined]);
});

test.each([1, 100, 5_000])('a queue in which %i always wait does not grow', (waiting) => {
  const queue = new Fifo<number>();
  for (let i = 0; i < waiting; i += 1) queue.push(i);
  let [places, inOrder] = [0, 0];
  for (let i = 0; i < 100_000; i += 1) {
    queue.push(waiting + i);
    if (queue.shift() === i) inOrder += 1;
    places = Math.max(places, queue.places);
  }
  expect([inOrder, queue.length]).toEqual([100_000, waiting]);
  expect(places).toBeLessThanOrEqual(2 * waiting + 1_026);
});
