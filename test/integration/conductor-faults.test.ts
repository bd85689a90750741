import { setTimeout as sleep } from 'node:timers/promises';
import { connectBus } from '@baton/bus';
import { eventually, startNatsServer, startService } from '@baton/test-kit';
import { expect, test } from 'vitest';
import { knowledgeBeat } from '../kit/knowledge-beat.ts';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const LEASE_MS = 3_000;

test.concurrent(
  'a conductor that stood still for longer than a lease has lost nobody',
  async () => {
    const nats = await startNatsServer();
    const args = ['--nats-url', nats.url, '--grpc-port', '0', '--admin-port', '0'];
    const conductor = await startService('conductor', 'conductor', args);
    const bus = await connectBus({ url: nats.url, name: 'agent', log: silent });
    const epoch = { startedAtMs: Date.now(), nonce: 1 };
    const beat = (): boolean =>
      bus.publishBeat({ ...knowledgeBeat('w1'), epoch, lastDeltaSeq: 0, leaseMs: LEASE_MS });
    const beating = setInterval(beat, 300);
    try {
      const workers = async (): Promise<unknown[]> => {
        const answer = await fetch(`${conductor.endpoints['admin']}/workers`);
        return ((await answer.json()) as { workers: unknown[] }).workers;
      };
      await eventually(async () => (await workers()).length === 1);
      conductor.pause();
      await sleep(LEASE_MS + 2_000);
      conductor.resume();
      await eventually(() => conductor.output().some((line) => line.includes('stood still')));
      await sleep(500);
      expect(await workers()).toHaveLength(1);
      expect(conductor.output().filter((line) => line.includes('worker_lost'))).toEqual([]);
      clearInterval(beating);
      await eventually(async () => (await workers()).length === 0);
    } finally {
      clearInterval(beating);
      await bus.close();
      await conductor.stop();
      await nats.stop();
    }
  },
);

test.concurrent('messages that nobody can use do not fill the log', async () => {
  const nats = await startNatsServer();
  const args = ['--nats-url', nats.url, '--grpc-port', '0', '--admin-port', '0'];
  const conductor = await startService('conductor', 'conductor', args);
  const bus = await connectBus({ url: nats.url, name: 'agent', log: silent });
  try {
    const epoch = { startedAtMs: 1, nonce: 1 };
    const counted = conductor.output().length;
    for (let i = 0; i < 500; i += 1) {
      bus.publishDelta({ workerId: `w${i}`, epoch, seq: -1, ops: [] });
      bus.publishBeat({ ...knowledgeBeat(`w${i}`), epoch: null, lastDeltaSeq: 0 });
    }
    bus.publishBeat({ ...knowledgeBeat('real'), epoch, lastDeltaSeq: 0 });
    await eventually(() => conductor.output().some((line) => line.includes('"real"')));
    const said = conductor.output().slice(counted);
    const about = (event: string) => said.filter((line) => line.includes(event)).length;
    expect([about('message_unusable'), about('worker_refused') <= 17]).toEqual([1, true]);
  } finally {
    await bus.close();
    await conductor.stop();
    await nats.stop();
  }
});
