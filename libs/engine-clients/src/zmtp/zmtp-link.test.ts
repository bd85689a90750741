import net from 'node:net';
import { eventually } from '@baton/test-kit';
import { afterEach, expect, test } from 'vitest';
import { RetryPace } from './retry-pace.ts';
import { ZmtpLink } from './zmtp-link.ts';
import type { ZmtpLinkOptions } from './zmtp-link.ts';
import { readyCommand, zmtpGreeting } from './zmtp-wire.ts';

const closers: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closers.splice(0).reverse()) close();
});

/** A link that tells what becomes of it. */
function open(
  openSocket?: (address: net.NetConnectOpts) => net.Socket,
  how: Partial<ZmtpLinkOptions> = {},
) {
  const told: string[] = [];
  const link = new ZmtpLink(
    {
      type: 'SUB',
      endpoint: 'tcp://127.0.0.1:1',
      maxMessageBytes: 1_000,
      onUp: () => void told.push('up'),
      onDown: (reason) => void told.push(reason),
      onMessage: () => undefined,
      onOversized: () => undefined,
      ...how,
    },
    openSocket,
  );
  closers.push(() => link.close());
  return { link, told };
}

test('an address that is refused before it is tried is one that cannot be reached', async () => {
  let tries = 0;
  const { told } = open(() => {
    tries += 1;
    throw new TypeError('no such host');
  });
  // Whoever made the link does not have it yet.
  expect(told).toEqual([]);
  await eventually(() => tries > 2);
  expect(told).toEqual(['no such host']);
});

test('a place that somebody else has is taken as soon as it is free', async () => {
  const other = net.createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as net.AddressInfo;
  const endpoint = `tcp://127.0.0.1:${port}`;
  const { link, told } = open(undefined, { endpoint, isBound: true });
  await eventually(() => told.length === 1);
  expect(told[0]).toContain('EADDRINUSE');
  other.close();
  await eventually(() => link.port === port);
  expect(told).toHaveLength(1);
});

test('a link that was closed before it heard that is quiet', async () => {
  let tries = 0;
  const { link, told } = open(() => {
    tries += 1;
    throw new TypeError('no such host');
  });
  link.close();
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect({ tries, told }).toEqual({ tries: 1, told: [] });
});

/** A peer that says what it must, and then nothing or goodbye. Tells how often it was connected to. */
async function startPeer(staysMs: number): Promise<{ endpoint: string; connections: number }> {
  const server = net.createServer((socket) => {
    peer.connections += 1;
    socket.on('error', () => undefined);
    socket.write(zmtpGreeting());
    socket.write(readyCommand('DEALER'));
    socket.once('data', () => setTimeout(() => socket.end(), staysMs));
  });
  const peer = { endpoint: '', connections: 0 };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => server.close());
  peer.endpoint = `tcp://127.0.0.1:${(server.address() as net.AddressInfo).port}`;
  return peer;
}

test('a peer that greets and leaves is tried ever more slowly', async () => {
  const peer = await startPeer(5);
  const { told } = open(undefined, { type: 'DEALER', endpoint: peer.endpoint });
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect(told.filter((line) => line === 'up').length).toBeGreaterThan(1);
  expect(peer.connections).toBeLessThan(7);
});

test('a link that takes the place of another waits as that one would have', async () => {
  const pace = new RetryPace();
  for (let times = 0; times < 4; times += 1) pace.failed();
  const peer = await startPeer(10_000);
  const { told } = open(undefined, { type: 'DEALER', endpoint: peer.endpoint, pace });
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(peer.connections).toBe(0);
  await eventually(() => told.includes('up'));
});
