import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EngineRig, run } from '../testing/engine-rig.ts';

test('a prompt takes what the cost model says, and each further token a step', () => {
  const rig = new EngineRig();
  rig.submit('a', run(1, 40), { maxOutputTokens: 4 });
  rig.clock.advance(1_000);
  expect(rig.log).toEqual(['50 a first token', '65 a length']);
});

test('a long prompt is computed in chunks, between which others decode', () => {
  const rig = new EngineRig();
  rig.submit('a', run(1, 10), { maxOutputTokens: 40 });
  rig.clock.advance(21);
  rig.submit('b', run(2, 250));
  rig.clock.advance(2_000);
  // Three steps of 99, 99 and 52 tokens with a decode each, and the fixed part once.
  const begunMs = 25;
  expect(rig.log.slice(0, 2)).toEqual([
    '20 a first token',
    `${begunMs + 10 + 250 + 3 * 5} b first token`,
  ]);
});

test('a prefix that is there costs nothing', () => {
  const rig = new EngineRig();
  rig.submit('a', run(1, 40));
  rig.clock.advance(100);
  rig.submit('b', [...run(1, 40), ...run(2, 8)]);
  rig.clock.advance(100);
  expect(rig.log).toContain(`${100 + 10 + 8} b first token`);
});

test('who does not fit waits its turn', () => {
  const rig = new EngineRig({ maxSequences: 1 });
  rig.submit('a', run(1, 10), { maxOutputTokens: 3 });
  rig.submit('b', run(2, 10));
  rig.clock.advance(1_000);
  expect(rig.log).toEqual(['20 a first token', '30 a length', '50 b first token', '50 b length']);
});

test('when blocks run out the last one gives way, starts over and gives the same tokens', () => {
  const alone = new EngineRig();
  const tight = new EngineRig({ blocks: 13 });
  for (const rig of [alone, tight]) {
    rig.submit('a', run(1, 20), { maxOutputTokens: 20 });
    rig.submit('b', run(2, 20), { maxOutputTokens: 20 });
    rig.clock.advance(5_000);
  }
  expect([alone.preemptions, tight.preemptions]).toEqual([0, 1]);
  expect(tight.tokens).toEqual(alone.tokens);
  expect(tight.log.at(-1)).toContain('b length');
  expect(tight.engine.pool.usedBlocks).toBe(0);
});

test('a paused engine does nothing, and goes on where it was', () => {
  const rig = new EngineRig();
  rig.submit('a', run(1, 40), { maxOutputTokens: 2 });
  rig.clock.advance(20);
  rig.engine.pause();
  rig.clock.advance(1_000);
  expect(rig.log).toEqual([]);
  rig.engine.resume();
  rig.clock.advance(100);
  expect(rig.log.map((line) => line.replace(/^\d+ /, ''))).toEqual(['a first token', 'a length']);
});

test('a pause that is shorter than a step changes nothing', () => {
  const rig = new EngineRig();
  rig.submit('a', run(1, 10), { maxOutputTokens: 4 });
  for (let at = 0; at < 40; at += 1) {
    rig.clock.advance(1);
    rig.engine.pause();
    rig.engine.resume();
  }
  expect(rig.log).toEqual(['20 a first token', '35 a length']);
});

test('a request that is aborted, in line or in the batch, gives its blocks back', () => {
  const rig = new EngineRig({ maxSequences: 1 });
  rig.submit('a', run(1, 40), { maxOutputTokens: 50 });
  rig.submit('b', run(2, 40));
  rig.clock.advance(60);
  expect(rig.engine.abort('b')).toBe(true);
  expect(rig.engine.abort('a')).toBe(true);
  expect(rig.engine.abort('a')).toBe(false);
  rig.clock.advance(100);
  expect(rig.log).toEqual(['50 a first token']);
  expect([rig.engine.pool.usedBlocks, rig.engine.openRuns]).toEqual([0, 0]);
});

interface Load {
  at: number;
  prefix: number;
  own: number;
  output: number;
  abortAfter: number;
}

test('whatever comes and goes: what is told of the cache is what is in it, and nothing is left', () => {
  const load = fc.record<Load>({
    at: fc.nat(200),
    prefix: fc.nat(3),
    own: fc.integer({ min: 1, max: 30 }),
    output: fc.integer({ min: 1, max: 20 }),
    abortAfter: fc.oneof(fc.constant(Infinity), fc.nat(300)),
  });
  fc.assert(
    fc.property(fc.array(load, { maxLength: 20 }), (loads) => {
      const rig = new EngineRig({ blocks: 24, maxSequences: 4, maxBatchTokens: 16 });
      loads.forEach(({ at, prefix, own, output, abortAfter }, i) => {
        const prompt = [...run(prefix, 12), ...run(i + 10, own)];
        rig.clock.at(at, () => rig.submit(String(i), prompt, { maxOutputTokens: output }));
        if (abortAfter === Infinity) return;
        rig.clock.at(at + abortAfter, () => void rig.engine.abort(String(i)));
      });
      rig.clock.advance(100_000);
      const { pool, openRuns } = rig.engine;
      expect([pool.usedBlocks, openRuns]).toEqual([0, 0]);
      const copies = new Map<string, number>();
      for (const event of rig.events) {
        if (event.type === 'cleared') copies.clear();
        const names = event.type === 'stored' ? event.names : [];
        for (const name of names) copies.set(name, (copies.get(name) ?? 0) + 1);
        if (event.type === 'removed') copies.set(event.name, (copies.get(event.name) ?? 0) - 1);
      }
      const counts = [...copies.values()];
      expect(Math.min(0, ...counts)).toBe(0);
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(pool.namedBlocks);
    }),
    { numRuns: 150 },
  );
});
