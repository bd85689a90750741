import { expect, test } from 'vitest';
import { agentArgs, conductorArgs, gatewayArgs, planWorkers } from './fleet-plan.ts';

test('what agents keep belongs to their run: two on one machine get along', () => {
  const [first, second] = ['/tmp/run-1', '/tmp/run-2'].map((folder) =>
    planWorkers(2, 2, folder).map((worker) => agentArgs(worker, 'nats://x:1', undefined)),
  );
  // Journals lie in a folder of the user, under the worker's id.
  for (const args of [...(first ?? []), ...(second ?? [])]) {
    expect(args).toContain('--events-journal=false');
  }
  const sockets = [...(first ?? []), ...(second ?? [])].map(
    (args) => args[args.indexOf('--socket-path') + 1],
  );
  expect(new Set(sockets).size).toBe(8);
});

test('the admin port of the conductor is a free one unless it is given; policy and queue are passed on', () => {
  const none = { adminPort: undefined, policy: undefined, queue: undefined };
  expect(conductorArgs('nats://x:1', none).slice(-2)).toEqual(['--admin-port', '0']);
  const given = { adminPort: 7071, policy: 'round-robin', queue: 'fcfs' };
  expect(conductorArgs('nats://x:1', given).slice(-6)).toEqual([
    ...['--admin-port', '7071', '--policy', 'round-robin', '--queue', 'fcfs'],
  ]);
});

test('the gateway records when it is told to', () => {
  const place = { conductor: '127.0.0.1:1', host: '127.0.0.1', port: 8080 };
  expect(gatewayArgs({ ...place, record: undefined })).not.toContain('--record-file');
  const args = gatewayArgs({ ...place, record: '/tmp/log.jsonl' });
  expect(args.slice(-2)).toEqual(['--record-file', '/tmp/log.jsonl']);
});
