import { expect, test } from 'vitest';
import { HashRing, ringPosition } from './hash-ring.ts';

const all = (): boolean => true;
const keys = Array.from({ length: 2_000 }, (_, i) => ringPosition(`key ${i}`));

function ring(...members: string[]): HashRing {
  const made = new HashRing(150);
  made.add(members);
  return made;
}

test('a ring without members gives none, and a position finds the same member every time', () => {
  expect(ring().next(1, all)).toBeUndefined();
  expect(ring('w1').next(1, () => false)).toBeUndefined();
  for (const key of keys.slice(0, 50)) {
    expect(ring('w1', 'w2', 'w3').next(key, all)).toBe(ring('w3', 'w1', 'w2').next(key, all));
  }
});

test('members own about as much of the ring', () => {
  const four = ring('w1', 'w2', 'w3', 'w4');
  const counts = new Map<string, number>();
  for (const key of keys) {
    const member = four.next(key, all) ?? '';
    counts.set(member, (counts.get(member) ?? 0) + 1);
  }
  for (const count of counts.values()) expect(Math.abs(count - 500)).toBeLessThan(150);
});

test('only keys of a member that comes or goes move', () => {
  const three = ring('w1', 'w2', 'w3');
  const before = keys.map((key) => three.next(key, all));
  three.add(['w4', 'w1']);
  keys.forEach((key, i) => expect([before[i], 'w4']).toContain(three.next(key, all)));
  three.remove((member) => member === 'w4');
  expect(keys.map((key) => three.next(key, all))).toEqual(before);
  const without = keys.map((key) => three.next(key, (member) => member !== 'w2'));
  before.forEach((member, i) => {
    if (member !== 'w2') expect(without[i]).toBe(member);
  });
});
