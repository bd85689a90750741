import { expect, test } from 'vitest';
import { countCores, defaultThreads, physicalCores } from './physical-cores.ts';

const cpu = (processor: number, pkg: number, core: number): string =>
  `processor\t: ${processor}\nphysical id\t: ${pkg}\ncore id\t\t: ${core}\nflags\t: fpu`;

test('hyper-threads of one core count once, cores of two packages twice', () => {
  const text = [cpu(0, 0, 0), cpu(1, 0, 1), cpu(2, 0, 0), cpu(3, 1, 0)].join('\n\n');
  expect(countCores(text)).toBe(3);
  expect(countCores('processor\t: 0\nBogoMIPS\t: 50')).toBe(0);
});

test('engines share the cores, each has at least one', () => {
  expect(physicalCores()).toBeGreaterThan(0);
  expect(defaultThreads(1)).toBe(physicalCores());
  expect(defaultThreads(1_000)).toBe(1);
});
