import fc from 'fast-check';
import { expect, test } from 'vitest';
import { QUANTUM_TOKENS, TenantTurns } from './tenant-turns.ts';

interface Item {
  tenant: string;
  tokens: number;
}

const shortestFirst = (a: Item, b: Item): boolean => a.tokens < b.tokens;

function add(turns: TenantTurns<Item>, tenant: string, tokens: number): void {
  turns.add(tenant, { tenant, tokens });
}

/** Serves whoever is first, as the queue does. */
function serve(turns: TenantTurns<Item>): Item | undefined {
  const [item] = turns.first(1);
  if (item === undefined) return undefined;
  turns.charge(item.tenant, item.tokens);
  turns.remove(item.tenant, item);
  return item;
}

test('who is set aside gets no turn, and its tenant keeps what it owes', () => {
  const turns = new TenantTurns<Item>(shortestFirst);
  const [owed, later] = [1, 2].map((tokens) => ({ tenant: 'a', tokens }));
  if (owed === undefined || later === undefined) throw new Error();
  turns.add('a', owed);
  turns.add('a', later);
  add(turns, 'b', 10);
  turns.charge('a', 3 * QUANTUM_TOKENS);
  turns.remove('a', owed);
  turns.setAside('a', later);
  expect(turns.first(5)).toEqual([{ tenant: 'b', tokens: 10 }]);
  turns.add('a', later);
  // Still in debt: b is served more than a turn's worth before it.
  add(turns, 'b', QUANTUM_TOKENS + 1);
  expect([serve(turns), serve(turns)]).toEqual([
    { tenant: 'b', tokens: 10 },
    { tenant: 'b', tokens: QUANTUM_TOKENS + 1 },
  ]);
  turns.setAside('a', later);
  expect(turns.first(5)).toEqual([]);
  turns.remove('a', later);
  expect(turns.first(5)).toEqual([]);
});

test('tenants that always wait are served equally many tokens, whatever the sizes of their prompts', () => {
  const sizes = fc.integer({ min: 1, max: 40_000 });
  fc.assert(
    fc.property(fc.array(sizes, { minLength: 2, maxLength: 4 }), (tokensOf) => {
      const turns = new TenantTurns<Item>(shortestFirst);
      const served = tokensOf.map(() => 0);
      tokensOf.forEach((tokens, i) => {
        for (let j = 0; j < 3; j += 1) add(turns, `${i}`, tokens);
      });
      const longest = Math.max(...tokensOf);
      for (let i = 0; i < 500; i += 1) {
        const item = serve(turns) as Item;
        add(turns, item.tenant, item.tokens);
        const at = Number(item.tenant);
        served[at] = (served[at] ?? 0) + item.tokens;
        // A turn, and one prompt that was begun within it.
        const apart = Math.max(...served) - Math.min(...served);
        expect(apart).toBeLessThanOrEqual(2 * (QUANTUM_TOKENS + longest));
      }
    }),
    { numRuns: 50 },
  );
});

test('a tenant that is alone is never slowed: its items come in their order', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(100_000), { maxLength: 50 }), (sizes) => {
      const turns = new TenantTurns<Item>(shortestFirst);
      for (const tokens of sizes) add(turns, 'a', tokens);
      const served = sizes.map(() => serve(turns)?.tokens);
      expect(served).toEqual([...sizes].sort((a, b) => a - b));
      expect(serve(turns)).toBeUndefined();
    }),
  );
});

test('what a tenant was served while it was alone is no debt when another comes', () => {
  const turns = new TenantTurns<Item>(shortestFirst);
  for (let i = 0; i < 20; i += 1) add(turns, 'a', QUANTUM_TOKENS);
  for (let i = 0; i < 10; i += 1) serve(turns);
  for (let i = 0; i < 20; i += 1) add(turns, 'b', QUANTUM_TOKENS);
  const served = Array.from({ length: 8 }, () => serve(turns)?.tenant);
  expect(served.filter((tenant) => tenant === 'a').length).toBeGreaterThanOrEqual(3);
  expect(served.filter((tenant) => tenant === 'b').length).toBeGreaterThanOrEqual(3);
});

test('a tenant that comes back has neither debt nor credit of the time before', () => {
  const turns = new TenantTurns<Item>(shortestFirst);
  for (let i = 0; i < 50; i += 1) add(turns, 'a', 1_000);
  add(turns, 'b', 100 * QUANTUM_TOKENS);
  // Until b's prompt, which is as much as a hundred turns, is served and b waits for nothing.
  let before = 0;
  while (serve(turns)?.tenant !== 'b') before += 1;
  expect(before).toBeLessThanOrEqual(Math.ceil(QUANTUM_TOKENS / 1_000));
  add(turns, 'b', 1_000);
  const served = Array.from({ length: 2 * 9 + 1 }, () => serve(turns)?.tenant);
  expect(served).toContain('b');
});

test('the first ones are those of one tenant, in their order', () => {
  const turns = new TenantTurns<Item>(shortestFirst);
  for (const tokens of [30, 10, 20]) add(turns, 'a', tokens);
  add(turns, 'b', 5);
  expect(turns.first(2).map(({ tenant, tokens }) => [tenant, tokens])).toEqual([
    ['a', 10],
    ['a', 20],
  ]);
  expect(turns.first(9)).toHaveLength(3);
});

test('a changed item takes its new place among its tenant’s', () => {
  const turns = new TenantTurns<Item>(shortestFirst);
  const item = { tenant: 'a', tokens: 50 };
  turns.add('a', item);
  add(turns, 'a', 20);
  item.tokens = 10;
  turns.moved('a', item);
  expect(turns.first(1)).toEqual([item]);
  turns.moved('nobody', item);
  turns.charge('nobody', 5);
  turns.remove('nobody', item);
  expect(turns.first(9)).toHaveLength(2);
});
