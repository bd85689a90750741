import { expect, test } from 'vitest';
import { FollowedEngines, stored } from './testing/followed-engines.ts';

const BLOCKS = 20_000;
const SLICE = 1_000;

function registered(engines: FollowedEngines, name: string): void {
  const fields = { modelname: 'm', block_size: 1, instance_id: name, endpoint: `ipc://${name}` };
  expect(engines.post('/register', fields).status).toBe(200);
}

function storing(engines: FollowedEngines, name: string, count = BLOCKS): void {
  const tokens = Array.from({ length: count }, (_, i) => i);
  engines.publish(
    `ipc://${name}`,
    stored({ hashes: tokens.map((i) => BigInt(i + 1)), tokens, blockSize: 1 }),
  );
}

const matched = (engines: FollowedEngines): Record<string, { gpu: number }> =>
  engines.post('/query', { model: 'm', token_ids: [0, 1, 2, 3] }).body['instances'] as never;

const blocksOf = (engines: FollowedEngines): unknown =>
  (engines.get('/global_view').body['contexts'] as { prefix_count: number }[])[0]?.prefix_count;

test('what was unregistered is out of sight at once, and its room comes back in slices', () => {
  const engines = new FollowedEngines();
  for (const name of ['stays', 'goes']) registered(engines, name);
  storing(engines, 'goes');
  storing(engines, 'stays', 2);
  engines.post('/unregister', { instance_id: 'goes' });
  expect(blocksOf(engines)).toBe(BLOCKS);
  expect(matched(engines)).toMatchObject({ stays: { gpu: 2 } });
  expect(matched(engines)).not.toHaveProperty('goes');
  let slices = 0;
  let before = BLOCKS;
  for (; engines.api.isSweeping; slices += 1) {
    engines.api.sweep(SLICE);
    const now = blocksOf(engines) as number;
    expect(before - now).toBeLessThanOrEqual(SLICE);
    before = now;
  }
  expect([before, slices]).toEqual([2, 1 + BLOCKS / SLICE]);
  expect(matched(engines)).toMatchObject({ stays: { gpu: 2 } });
});

test('the same name is registered again while its room comes back', () => {
  const engines = new FollowedEngines();
  for (const name of ['stays', 'returns']) registered(engines, name);
  storing(engines, 'returns');
  for (let round = 0; round < 3; round += 1) {
    engines.post('/unregister', { instance_id: 'returns' });
    registered(engines, 'returns');
    expect(matched(engines)['returns']).toMatchObject({ gpu: 0 });
    engines.api.sweep(SLICE);
    storing(engines, 'returns', 3);
    expect(matched(engines)['returns']).toMatchObject({ gpu: 3 });
    engines.api.sweep(SLICE);
    expect(engines.api.isSweeping).toBe(true);
    expect(matched(engines)['returns']).toMatchObject({ gpu: 3 });
  }
  while (engines.api.isSweeping) engines.api.sweep(SLICE);
  expect(matched(engines)).toMatchObject({ returns: { gpu: 3 }, stays: { gpu: 0 } });
  expect(blocksOf(engines)).toBe(3);
});

test('publishers that come and go without an end do not use up the numbers of holders', () => {
  const engines = new FollowedEngines();
  for (const name of ['stays', 'flaps']) registered(engines, name);
  for (let round = 0; round < 22_000; round += 1) {
    engines.post('/unregister', { instance_id: 'flaps' });
    registered(engines, 'flaps');
    engines.api.sweep(SLICE);
  }
  storing(engines, 'flaps', 4);
  expect(matched(engines)).toMatchObject({ stays: { gpu: 0 }, flaps: { gpu: 4 } });
});

test('with the last publisher its context goes as a whole', () => {
  const engines = new FollowedEngines();
  registered(engines, 'only');
  storing(engines, 'only');
  engines.post('/unregister', { instance_id: 'only' });
  expect(engines.api.isSweeping).toBe(false);
  expect(engines.get('/global_view').body).toEqual({ context_count: 0, contexts: [] });
});
