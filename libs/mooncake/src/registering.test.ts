import { expect, test } from 'vitest';
import { FollowedEngines, stored } from './testing/followed-engines.ts';

const tokens = [1, 2, 3, 4];
const registration = { modelname: 'm', block_size: 4 };

test('refused registrations leave nothing behind: however many, blocks stay with their engine', () => {
  const engines = new FollowedEngines();
  const first = { ...registration, endpoint: 'tcp://h:1', instance_id: 'first' };
  expect(engines.post('/register', first).status).toBe(200);
  engines.unusable.add('tcp://nobody:1');
  for (let i = 0; i < 21_845; i += 1) {
    const refused = { ...registration, endpoint: 'tcp://nobody:1', instance_id: `refused ${i}` };
    expect(engines.post('/register', refused).body['reason']).toBe('invalid_value');
  }
  const last = { ...registration, endpoint: 'tcp://h:2', instance_id: 'last' };
  expect(engines.post('/register', last).status).toBe(200);
  engines.publish('tcp://h:2', stored({ hashes: [1n], tokens, blockSize: 4 }));
  expect(engines.post('/query', { model: 'm', token_ids: tokens }).body).toMatchObject({
    instances: { first: { gpu: 0 }, last: { gpu: 4 } },
  });
});
