import { expect, test } from 'vitest';
import { rankEndpoint, zmtpAddress } from './zmtp-endpoint.ts';
import {
  greetingFault,
  readCommand,
  readyCommand,
  zmtpGreeting,
  zmtpMessage,
} from './zmtp-wire.ts';

test('addresses of endpoints', () => {
  expect(zmtpAddress('tcp://10.0.0.7:5557', false)).toEqual({ host: '10.0.0.7', port: 5557 });
  expect(zmtpAddress('tcp://[fe80::1]:5557', false)).toEqual({ host: 'fe80::1', port: 5557 });
  expect(zmtpAddress('tcp://[fe80::1%eth0]:5557', false)).toMatchObject({ host: 'fe80::1%eth0' });
  expect(zmtpAddress('tcp://[::]:5557', true)).toEqual({ host: '::', port: 5557 });
  expect(zmtpAddress(`ipc:///${'p'.repeat(106)}`, false)).toMatchObject({});
  expect(zmtpAddress('ipc:///run/kv.sock', true)).toEqual({ path: '/run/kv.sock' });
  expect(zmtpAddress('ipc://@kv', false)).toEqual({ path: '\0kv' });
  expect(zmtpAddress('tcp://*:5557', true)).toEqual({ port: 5557 });
  expect(zmtpAddress('tcp://127.0.0.1:0', true)).toEqual({ host: '127.0.0.1', port: 0 });
});

test.each([
  ['', 'must be tcp'],
  ['5557', 'must be tcp'],
  ['tcp://host', 'must be tcp'],
  ['tcp://host:0', 'must be tcp'],
  ['tcp://host:65536', 'must be tcp'],
  ['inproc://kv', 'must be tcp'],
  ['tcp://*:5557', 'address of its machine'],
  ['tcp://\0:5', 'control characters'],
  ['tcp://ho\tst:5', 'control characters'],
  ['tcp://host:5\n', 'control characters'],
  ['tcp://ho\u2028st:5', 'line breaks'],
  ['ipc:///run/kv\0.sock', 'control characters'],
  ['tcp://ho st:5', 'must name a host'],
  ['tcp://[::1:5', 'must name a host'],
  ['tcp://[[::1]]:5', 'must name a host'],
  ['tcp://[]:5', 'must name a host'],
  ['tcp://[host]:5', 'must name a host'],
  ['tcp://::1:5', 'must name a host'],
  ['tcp://user@host:5', 'must name a host'],
  ['tcp://host/path:5', 'must name a host'],
  [`ipc:///${'p'.repeat(107)}`, 'more than 107 bytes'],
  [`ipc://@${'é'.repeat(54)}`, 'more than 107 bytes'],
])('%j is no endpoint to connect to', (endpoint, why) => {
  expect(() => zmtpAddress(endpoint, false)).toThrow(why);
});

test('an endpoint of any length is refused in a short sentence', () => {
  const endless = `tcp://${'h'.repeat(100_000)}:5`;
  expect(() => zmtpAddress(endless, false)).toThrow(/^.{200,300}… must name a host/);
});

test('ranks count the port up', () => {
  expect(rankEndpoint('tcp://[::1]:5557', 3)).toBe('tcp://[::1]:5560');
  expect(rankEndpoint('ipc:///run/kv.sock', 0)).toBe('ipc:///run/kv.sock');
  expect(() => rankEndpoint('ipc:///run/kv.sock', 1)).toThrow('no port for rank 1');
  expect(() => rankEndpoint('tcp://host:65535', 1)).toThrow('no port for rank 1');
});

test('a peer that cannot be talked to is told apart', () => {
  expect(greetingFault(zmtpGreeting())).toBeUndefined();
  const old = zmtpGreeting();
  old[10] = 1;
  expect(greetingFault(old)).toContain('ZMTP 1');
  const curve = zmtpGreeting();
  curve.write('CURVE', 12);
  expect(greetingFault(curve)).toContain('CURVE');
  expect(greetingFault(Buffer.from('HTTP/1.1 400 Bad Request'.padEnd(64)))).toContain('ZMTP');
});

/** Body of a command frame that we would send. */
const bodyOf = (bytes: Buffer): Buffer => bytes.subarray(2);

test('commands of the peer', () => {
  const ready = (type: string) =>
    Buffer.concat([
      Buffer.from('\x05READY\x0bSocket-Type\0\0\0', 'latin1'),
      Buffer.of(type.length),
      Buffer.from(type),
    ]);
  expect(readCommand(ready('PUB'), 'SUB')).toEqual({ kind: 'ready' });
  expect(readCommand(ready('XPUB'), 'SUB')).toEqual({ kind: 'ready' });
  expect(readCommand(ready('ROUTER'), 'DEALER')).toEqual({ kind: 'ready' });
  expect(readCommand(ready('ROUTER'), 'SUB')).toMatchObject({
    reason: 'the peer is a ROUTER socket, not a PUB',
  });
  expect(readCommand(bodyOf(readyCommand('DEALER')), 'DEALER')).toEqual({ kind: 'ready' });
  expect(readCommand(Buffer.from('\x05READY\x0bSocket-Ty', 'latin1'), 'SUB').kind).toBe('fault');
  expect(readCommand(Buffer.from('\x05ERROR\x03who', 'latin1'), 'SUB')).toMatchObject({
    reason: 'the peer refuses: who',
  });
  expect(readCommand(Buffer.from('\x04PING\0\x0acontext', 'latin1'), 'SUB')).toMatchObject({
    bytes: Buffer.from('\x04\x0c\x04PONGcontext', 'latin1'),
  });
  expect(readCommand(Buffer.from('\x04NEWS', 'latin1'), 'SUB')).toEqual({ kind: 'other' });
  expect(readCommand(Buffer.alloc(0), 'SUB')).toEqual({ kind: 'other' });
});

test('long frames have a long header', () => {
  expect(zmtpMessage([new Uint8Array(), Buffer.alloc(255)]).subarray(0, 4)).toEqual(
    Buffer.of(1, 0, 0, 255),
  );
  expect(zmtpMessage([Buffer.alloc(256)]).subarray(0, 9)).toEqual(
    Buffer.of(2, 0, 0, 0, 0, 0, 0, 1, 0),
  );
});
