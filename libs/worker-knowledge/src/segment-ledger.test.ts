import { KEY_BYTES, keyFromHex, keyHex, Tier, unpackKeys, xorKeys } from '@baton/kv';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Place } from './ledger-op.ts';
import { SegmentLedger } from './segment-ledger.ts';

const packHex = (keys: readonly string[]): Uint8Array => Buffer.from(keys.join(''), 'hex');

const keyOf = (n: number) => n.toString(16).padStart(KEY_BYTES * 2, '0');
const hexOf = (packed: Uint8Array) => unpackKeys(packed).map(keyHex);

const places: Place[] = [
  { rank: 0, tier: Tier.HBM, resumePoints: false },
  { rank: 0, tier: Tier.HBM, resumePoints: true },
  { rank: 3, tier: Tier.HBM, resumePoints: false },
  { rank: 0, tier: Tier.DRAM, resumePoints: false },
  { rank: 0, tier: Tier.STORAGE, resumePoints: false },
];
const which = fc.nat(places.length - 1);
const keys = fc.array(fc.nat(12), { maxLength: 6 });
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('store' as const), which, keys }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('remove' as const), which, keys }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('clear' as const), which, keys }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('drain' as const), which, keys }) },
);

const emptySets = () => places.map(() => new Set<string>());
const indexOf = (wanted: Place) =>
  places.findIndex(
    ({ rank, tier, resumePoints }) =>
      rank === wanted.rank && tier === wanted.tier && resumePoints === wanted.resumePoints,
  );

test('whoever applies what is drained holds what the ledger holds', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80, size: 'max' }), (steps) => {
      const ledger = new SegmentLedger(places.slice(0, 2), () => undefined);
      const model = emptySets();
      const told = emptySets();
      const drain = (maxKeys: number): boolean => {
        const ops = ledger.drain(maxKeys);
        expect(ops.reduce((sum, op) => sum + op.keys.length / KEY_BYTES, 0)).toBeLessThanOrEqual(
          maxKeys,
        );
        for (const op of ops) {
          const held = told[indexOf(op)]!;
          if (op.kind === 'clear') held.clear();
          for (const key of hexOf(op.keys)) {
            // Nothing is told twice: a set's changes, each once.
            expect(held.has(key)).toBe(op.kind === 'remove');
            if (op.kind === 'store') held.add(key);
            else held.delete(key);
          }
        }
        return ops.length > 0;
      };
      for (const { kind, which, keys } of steps) {
        const place = { ...places[which]! };
        const held = model[which]!;
        const hex = keys.map(keyOf);
        if (kind === 'drain') drain(keys.length + 1);
        else if (kind === 'clear') {
          ledger.clear(place);
          held.clear();
        } else {
          ledger[kind](place, packHex(hex));
          for (const key of hex)
            if (kind === 'store') held.add(key);
            else held.delete(key);
        }
      }
      while (drain(3));
      expect(told).toEqual(model);
      expect(ledger.pendingKeys).toBe(0);
      const contents = emptySets();
      for (const op of ledger.contents(4)) {
        expect(op.keys.length).toBeLessThanOrEqual(4 * KEY_BYTES);
        for (const key of hexOf(op.keys)) contents[indexOf(op)]!.add(key);
      }
      expect(contents).toEqual(model);
      for (const state of ledger.states()) {
        const held = model[indexOf(state)]!;
        expect(state.segments).toBe(held.size);
        expect([...state.xor]).toEqual([...xorKeys(packHex([...held]))]);
      }
      for (const key of [...Array(13).keys()].map(keyOf)) {
        const isHeld = model[0]!.has(key) || model[2]!.has(key);
        expect(ledger.has(Tier.HBM, keyFromHex(key))).toBe(isHeld);
      }
    }),
  );
});

test('what is accounted for is what was named at the start and what has come since', () => {
  const ledger = new SegmentLedger(places.slice(0, 1), () => undefined);
  ledger.clear(places[1]!);
  ledger.store(places[2]!, packHex([keyOf(1)]));
  const named = ledger
    .states()
    .map(({ rank, tier, resumePoints }) => ({ rank, tier, resumePoints }));
  expect(named).toEqual(places.slice(0, 3));
});
