import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BlockColumns, Flag, rootParent } from './block-columns.ts';
import { BlockContent, Described } from './block-content.ts';
import { ChainRoots } from './chain-roots.ts';
import { KeyMaker } from './key-maker.ts';
import { segmentKeySource } from './key-source.ts';
import { SegmentSlots } from './segment-slots.ts';

const BLOCK = 16;
const COUNT = 12;

test('in whatever order a chain becomes known, only blocks inside of segments keep their tokens', () => {
  const order = fc.shuffledSubarray([...Array(COUNT).keys()], {
    minLength: COUNT,
  });
  fc.assert(
    fc.property(order, order, (described, freed) => {
      const columns = new BlockColumns(BLOCK * 4, false);
      const segments = new SegmentSlots();
      const keySource = segmentKeySource('tok', BLOCK * 4);
      const roots = new ChainRoots(keySource);
      const keys = new KeyMaker({
        columns,
        segments,
        roots,
        hasher: keySource.hasher,
      });
      const resolved: number[] = [];
      const content = new BlockContent({
        columns,
        segments,
        roots,
        keys,
        hashesAreKeys: false,
        onResolved: (id) => void resolved.push(id),
        tellsAllResolved: true,
        onDetached: () => expect.unreachable(),
      });
      const ids = Array.from({ length: COUNT }, (_, i) => columns.ensure(0, i, 0, 0, 0));
      const tokens = Uint32Array.from({ length: BLOCK }, (_, i) => i);
      const source = { tokens, from: 0, length: BLOCK, media: undefined };
      for (const at of described) {
        const parent = at === 0 ? rootParent(roots.ensure(undefined, undefined)) : ids[at - 1]!;
        const isNext = at === 0 || columns.has(parent, Flag.RESOLVED);
        expect(content.describe(ids[at]!, parent, source)).toBe(
          isNext ? Described.RESOLVED : Described.PENDING,
        );
        expect(content.pending).toBe(
          ids.filter((id) => columns.has(id, Flag.DESCRIBED) && !columns.has(id, Flag.RESOLVED))
            .length,
        );
      }
      expect(resolved).toEqual(ids);
      expect(content.pending).toBe(0);
      expect(keys.tokens.size).toBe((COUNT * 3) / 4);
      for (const at of freed) content.forget(ids[at]!);
      expect(keys.tokens.size).toBe(0);
    }),
    { numRuns: 50 },
  );
});
