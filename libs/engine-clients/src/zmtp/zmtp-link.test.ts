import net from 'node:net';
import { eventually } from '@baton/test-kit';
import { afterEach, expect, test } from 'vitest';
import { ZmtpLink } from './zmtp-link.ts';

const closers: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closers.splice(0).reverse()) close();
});

/** A link that tells what becomes of it. */
function open(openSocket: (address: net.NetConnectOpts) => net.Socket) {
  const told: string[] = [];
  const link = new ZmtpLink(
    {
      type: 'SUB',
      endpoint: 'tcp://127.0.0.1:1',
      maxFrameBytes: 1_000,
      onUp: () => void told.push('up'),
      onDown: (reason) => void told.push(reason),
      onMessage: () => undefined,
      onOversized: () => undefined,
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
