import { KEY_BYTES, Tier, xorKeys } from '@baton/kv';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packHex } from './packed-keys.ts';
import { SegmentLedger } from './segment-ledger.ts';

const keyOf = (n: number) => n.toString(16).padStart(KEY_BYTES * 2, '0');
const tier = fc.constantFrom(Tier.HBM, Tier.DRAM);
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('store' as const), tier, n: fc.nat(9) }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('remove' as const), tier, n: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('clear' as const), tier, n: fc.nat(9) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('drain' as const), tier, n: fc.nat(3) }) },
);

const emptySets = () =>
  new Map<Tier, Set<string>>([Tier.HBM, Tier.DRAM].map((t) => [t, new Set<string>()]));

test('whoever applies what is drained holds what the ledger holds', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80, size: 'max' }), (steps) => {
      const ledger = new SegmentLedger([Tier.HBM, Tier.DRAM], () => undefined);
      const model = emptySets();
      const told = emptySets();
      const drain = (maxKeys: number): boolean => {
        const ops = ledger.drain(maxKeys);
        expect(ops.reduce((sum, op) => sum + op.keys.length, 0)).toBeLessThanOrEqual(maxKeys);
        for (const op of ops) {
          const held = told.get(op.tier)!;
          if (op.kind === 'clear') held.clear();
          for (const key of op.keys) {
            if (op.kind === 'store') held.add(key);
            else expect(held.delete(key)).toBe(true);
          }
        }
        return ops.length > 0;
      };
      for (const { kind, tier, n } of steps) {
        if (kind === 'drain') drain(n + 1);
        else if (kind === 'clear') {
          ledger.clear(tier);
          model.get(tier)!.clear();
        } else {
          ledger[kind](tier, keyOf(n));
          if (kind === 'store') model.get(tier)!.add(keyOf(n));
          else model.get(tier)!.delete(keyOf(n));
        }
      }
      while (drain(3));
      for (const [tier, held] of model) {
        expect(told.get(tier)).toEqual(held);
        expect(new Set(ledger.keys(tier))).toEqual(held);
        expect(ledger.tier(tier).segments).toBe(held.size);
        expect([...ledger.tier(tier).xor]).toEqual([...xorKeys(packHex([...held]))]);
      }
    }),
  );
});
