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

test('an endpoint that a subscription refuses is named by its field', () => {
  const engines = new FollowedEngines();
  engines.unusable.add('tcp://nobody:1');
  const usable = { endpoint: 'tcp://h:1', replay_endpoint: 'tcp://h:2' };
  for (const field of ['endpoint', 'replay_endpoint']) {
    const request = { ...registration, ...usable, instance_id: 1, [field]: 'tcp://nobody:1' };
    expect(engines.post('/register', request)).toMatchObject({
      status: 400,
      body: { reason: 'invalid_value', field },
    });
  }
});

const port = 'a port from 1 to 65535';
const host = 'as host, not';
const listens = 'says where the engine listens';
test.each([
  ['tcp://h:1\n', 'has a control character'],
  ['tcp://a\nb:1', 'has a control character'],
  ['tcp://a\0b:1', 'has a control character'],
  ['ipc://a\nb', 'has a control character'],
  ['ipc:///tmp/\u0085', 'has a control character'],
  ['tcp://[::1:5557', host],
  ['tcp://::1]:5557', host],
  ['tcp://[[::1]]:5557', host],
  ['tcp://[]:5557', host],
  ['tcp://[a]:5557', host],
  ['tcp://[1.2.3.4]:5557', host],
  ['tcp://[::1%]:5557', host],
  ['tcp://user@host:5557', host],
  ['tcp://a:b:5557', host],
  ['tcp://a b:5557', host],
  ['tcp://a/b:5557', host],
  ['tcp://-:5557', host],
  ['tcp://:5557', 'must be tcp://host:port'],
  ['tcp://h', 'must be tcp://host:port'],
  ['tcp://h:123456', 'must be tcp://host:port'],
  ['TCP://h:1', 'must be tcp://host:port'],
  ['tcp://h:0', port],
  ['tcp://h:65536', port],
  ['tcp://*:1', listens],
  ['tcp://0.0.0.0:1', listens],
  ['tcp://[0:0::0]:1', listens],
  ['ipc://*', listens],
  ['ipc://', 'must have a path'],
  ['ipc://@', 'must have a path'],
  [`ipc:///${'x'.repeat(107)}`, 'at most 107 bytes, not 108'],
  [`ipc://${'ä'.repeat(54)}`, 'at most 107 bytes, not 108'],
])('%j is no endpoint, wherever it stands', (endpoint, why) => {
  const engines = new FollowedEngines();
  for (const field of ['endpoint', 'replay_endpoint']) {
    const request = { ...registration, endpoint: 'tcp://h:1', instance_id: 1, [field]: endpoint };
    const { status, body } = engines.post('/register', request);
    expect(status).toBe(400);
    expect(body).toMatchObject({ reason: 'invalid_value', field });
    expect(body['error']).toContain(why);
    expect(body['error']).toContain(`${field} "`);
  }
});

test.each([
  'tcp://engine-0.vllm_svc.example:5557',
  'tcp://10.0.0.1:65535',
  'tcp://[::1]:1',
  'tcp://[fe80::1%eth0]:5557',
  'tcp://[::ffff:10.0.0.1]:5557',
  'tcp://motörhead:5557',
  `ipc:///${'x'.repeat(106)}`,
  'ipc://@abstract',
  'ipc:///tmp/with space',
])('%j is an endpoint', (endpoint) => {
  const request = { ...registration, endpoint, replay_endpoint: endpoint, instance_id: 1 };
  expect(new FollowedEngines().post('/register', request).status).toBe(200);
});
