/** Bits of a frame's first byte. */
const MORE = 1;
const LONG = 2;
const COMMAND = 4;
const SIGNATURE_END = 0x7f;
const MECHANISM_AT = 12;
const MECHANISM_BYTES = 20;
const MAX_SHORT = 255;

/** What a socket of ours is; the peer must be of a type that fits. */
export type ZmtpSocketType = 'SUB' | 'DEALER';

const fittingPeers: Readonly<Record<ZmtpSocketType, readonly string[]>> = {
  SUB: ['PUB', 'XPUB'],
  DEALER: ['ROUTER', 'DEALER', 'REP'],
};

/** Version 3.0 with the NULL mechanism: what every libzmq since 4.0 speaks, and what engines use. */
export function zmtpGreeting(): Buffer {
  const greeting = Buffer.alloc(64);
  greeting[0] = 0xff;
  greeting[8] = 1;
  greeting[9] = SIGNATURE_END;
  greeting[10] = 3;
  greeting.write('NULL', MECHANISM_AT, 'latin1');
  return greeting;
}

/** Why a peer with this greeting cannot be talked to. */
export function greetingFault(greeting: Buffer): string | undefined {
  if (greeting[0] !== 0xff || greeting[9] !== SIGNATURE_END) return 'the peer does not speak ZMTP';
  const major = greeting[10] ?? 0;
  if (major < 3) return `the peer speaks ZMTP ${major}, which is older than 3`;
  const name = greeting.subarray(MECHANISM_AT, MECHANISM_AT + MECHANISM_BYTES);
  const mechanism = name.toString('latin1').replace(/\0+$/, '');
  if (mechanism === 'NULL') return undefined;
  return `the peer wants ${mechanism} for security, which is not supported`;
}

export function readyCommand(type: ZmtpSocketType): Buffer {
  return zmtpFrame(
    Buffer.concat([word('READY'), ...property('Socket-Type', type), ...property('Identity', '')]),
    COMMAND,
  );
}

/** Asks a publisher for the messages whose first frame begins with the topic. */
export function subscription(topic: string): Buffer {
  return zmtpFrame(Buffer.concat([Buffer.of(1), Buffer.from(topic, 'utf8')]), 0);
}

export function zmtpMessage(frames: readonly Uint8Array[]): Buffer {
  const last = frames.length - 1;
  return Buffer.concat(frames.map((frame, i) => zmtpFrame(frame, i < last ? MORE : 0)));
}

export type PeerCommand =
  | { kind: 'ready' }
  | { kind: 'answer'; bytes: Buffer }
  | { kind: 'fault'; reason: string }
  | { kind: 'other' };

/** What a command of the peer means for a socket of this type. */
export function readCommand(body: Buffer, type: ZmtpSocketType): PeerCommand {
  const nameLength = body[0] ?? 0;
  const name = body.toString('latin1', 1, 1 + nameLength);
  const rest = body.subarray(1 + nameLength);
  switch (name) {
    case 'READY':
      return readReady(rest, type);
    case 'PING':
      // Two bytes of time to live, then what the answer repeats.
      return {
        kind: 'answer',
        bytes: zmtpFrame(Buffer.concat([word('PONG'), rest.subarray(2)]), COMMAND),
      };
    case 'ERROR':
      return { kind: 'fault', reason: `the peer refuses: ${rest.toString('latin1', 1)}` };
    default:
      return { kind: 'other' };
  }
}

function readReady(properties: Buffer, type: ZmtpSocketType): PeerCommand {
  const peer = propertyOf(properties, 'socket-type');
  if (peer !== undefined && fittingPeers[type].includes(peer)) return { kind: 'ready' };
  const reason = `the peer is a ${peer ?? 'nameless'} socket, not a ${fittingPeers[type][0]}`;
  return { kind: 'fault', reason };
}

function propertyOf(properties: Buffer, wanted: string): string | undefined {
  for (let at = 0; at + 5 <= properties.length;) {
    const nameEnd = at + 1 + (properties[at] ?? 0);
    if (nameEnd + 4 > properties.length) return undefined;
    const valueEnd = nameEnd + 4 + properties.readUInt32BE(nameEnd);
    const name = properties.toString('latin1', at + 1, nameEnd);
    if (name.toLowerCase() === wanted) return properties.toString('latin1', nameEnd + 4, valueEnd);
    at = valueEnd;
  }
  return undefined;
}

function zmtpFrame(body: Uint8Array, flags: number): Buffer {
  const isShort = body.length <= MAX_SHORT;
  const header = Buffer.alloc(isShort ? 2 : 9);
  header[0] = flags | (isShort ? 0 : LONG);
  if (isShort) header[1] = body.length;
  else header.writeBigUInt64BE(BigInt(body.length), 1);
  return Buffer.concat([header, body]);
}

function word(text: string): Buffer {
  return Buffer.concat([Buffer.of(text.length), Buffer.from(text, 'latin1')]);
}

function property(name: string, value: string): Buffer[] {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(value.length);
  return [word(name), length, Buffer.from(value, 'latin1')];
}
