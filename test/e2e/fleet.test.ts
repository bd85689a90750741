import { expect, test } from 'vitest';
import { runFleet } from '../bench/fleet/suite.ts';

test('a fleet of SGLang with two data-parallel ranks each: no error, no violation, the index is what the caches hold', async () => {
  const load = {
    ...{ requests: 60, requestsPerSec: 20, seed: 7 },
    ...{ stems: 4, stemTokens: 512, restTokens: 128 },
  };
  const said: string[] = [];
  const figures = await runFleet(
    { engine: 'sglang', perRole: 2, ranks: 2, load },
    (line) => said.push(line),
    AbortSignal.any([]),
  );
  const named = Object.fromEntries(figures.map(({ name, value }) => [name, value]));
  expect(named, said.join('\n')).toMatchObject({
    ...{ 'fleet.requests': 60, 'fleet.errors': 0, 'fleet.violations': 0, 'fleet.index_diff': 0 },
  });
  expect(named['fleet.index_replicas']).toBeGreaterThan(0);
});
