import { keyFromHex } from '@baton/kv';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PrefixCache } from './prefix-cache.ts';

/** The same, slowly: a list of segments in order of use. */
class NaiveCache {
  readonly segments: { name: string; parent: string | undefined; usedAt: number }[] = [];
  readonly pinnedPaths: string[] = [];
  #clock = 0;

  find(name: string) {
    return this.segments.find((segment) => segment.name === name);
  }

  path(name: string | undefined): string[] {
    return name === undefined ? [] : [...this.path(this.find(name)?.parent), name];
  }

  insert(name: string, parent: string | undefined): void {
    this.segments.push({ name, parent, usedAt: (this.#clock += 1) });
  }

  touch(name: string): void {
    this.#clock += 1;
    for (const one of this.path(name)) {
      const segment = this.find(one);
      if (segment) segment.usedAt = this.#clock;
    }
  }

  isPinned(name: string): boolean {
    return this.pinnedPaths.some((end) => this.path(end).includes(name));
  }

  evict(): string | undefined {
    const leaves = this.segments.filter(
      ({ name }) => !this.isPinned(name) && !this.segments.some(({ parent }) => parent === name),
    );
    const [oldest] = leaves.sort((a, b) => a.usedAt - b.usedAt);
    if (oldest) this.segments.splice(this.segments.indexOf(oldest), 1);
    return oldest?.name;
  }
}

const keyOf = (name: string): Uint8Array => keyFromHex(name.padStart(32, '0'));

type Step =
  | { do: 'insert'; under: number }
  | { do: 'touch' | 'pin' | 'unpin'; which: number }
  | { do: 'evict' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('insert' as const), under: fc.nat() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('touch' as const, 'pin' as const, 'unpin' as const),
      which: fc.nat(),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ do: 'evict' as const }) },
);

test('agrees with a naive cache on any sequence of steps', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const cache = new PrefixCache<string>();
      const naive = new NaiveCache();
      let names = 0;
      const pick = (which: number): string | undefined =>
        naive.segments[which % Math.max(1, naive.segments.length)]?.name;
      const real = (name: string) => {
        const segment = cache.get(keyOf(name));
        if (segment === undefined) throw new Error(`${name} is not there`);
        return segment;
      };
      for (const one of steps) {
        if (one.do === 'insert') {
          const name = (names += 1).toString(16);
          const parent = one.under % 4 === 0 ? undefined : pick(one.under);
          cache.insert(parent === undefined ? undefined : real(parent), keyOf(name), name);
          naive.insert(name, parent);
        } else if (one.do === 'evict') {
          expect(cache.evictLeaf()?.payload).toBe(naive.evict());
        } else if (one.do === 'unpin') {
          const name = naive.pinnedPaths.splice(one.which % 3, 1)[0];
          if (name !== undefined) cache.unpinPath(real(name));
        } else {
          const name = pick(one.which);
          if (name === undefined) continue;
          if (one.do === 'touch') {
            cache.touch(real(name));
            naive.touch(name);
          } else {
            for (const part of naive.path(name)) cache.pin(real(part));
            naive.pinnedPaths.push(name);
          }
        }
        expect(cache.size).toBe(naive.segments.length);
        const evictable = naive.segments.filter(({ name }) => !naive.isPinned(name)).length;
        expect(cache.evictable).toBe(evictable);
      }
      for (const { name } of naive.segments) {
        expect(cache.get(keyOf(name))).toMatchObject({
          payload: name,
          index: naive.path(name).length - 1,
        });
      }
    }),
    { numRuns: 300 },
  );
});

test('what is not cached cannot be a parent, and nothing is cached twice', () => {
  const cache = new PrefixCache<number>();
  const root = cache.insert(undefined, keyOf('1'), 1);
  expect(() => cache.insert(undefined, keyOf('1'), 1)).toThrow(RangeError);
  cache.evictLeaf();
  expect(() => cache.insert(root, keyOf('2'), 2)).toThrow(RangeError);
  expect(() => cache.touch(root)).toThrow(RangeError);
});
