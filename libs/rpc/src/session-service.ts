import { baton } from '@baton/proto';
import {
  logVerbosity,
  setLogVerbosity,
  type ChannelOptions,
  type MethodDefinition,
} from '@grpc/grpc-js';

// What it would print on stderr is told by errors and statuses already.
setLogVerbosity(logVerbosity.NONE);

/** Largest message in either direction; a plan request of a million tokens has 250 KiB of keys. */
export const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;

const KEEPALIVE_MS = 2_000;
const KEEPALIVE_TIMEOUT_MS = 2_500;

/** Bytes pass through: messages are read where a fault can be answered, not inside the library. */
const asTheyAre = (bytes: Buffer): Buffer => bytes;

/** `baton.v1.Conductor/Session`, as proto/baton/v1/plan.proto declares it. */
export const sessionMethod = {
  path: '/baton.v1.Conductor/Session',
  requestStream: true,
  responseStream: true,
  requestSerialize: asTheyAre,
  requestDeserialize: asTheyAre,
  responseSerialize: asTheyAre,
  responseDeserialize: asTheyAre,
} as const satisfies MethodDefinition<Buffer, Buffer>;

/** For both sides: a peer that is gone without a word is found in under 5 s, when its bookings must fall. */
export const channelOptions: ChannelOptions = {
  'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
  'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
  'grpc.keepalive_time_ms': KEEPALIVE_MS,
  'grpc.keepalive_timeout_ms': KEEPALIVE_TIMEOUT_MS,
};

export function encodeRequest(request: baton.v1.ISessionRequest): Buffer {
  return toBuffer(baton.v1.SessionRequest.encode(request).finish());
}

export function encodeReply(reply: baton.v1.ISessionReply): Buffer {
  return toBuffer(baton.v1.SessionReply.encode(reply).finish());
}

export function decodeRequest(bytes: Buffer): baton.v1.SessionRequest | undefined {
  try {
    return baton.v1.SessionRequest.decode(bytes);
  } catch {
    return undefined;
  }
}

export function decodeReply(bytes: Buffer): baton.v1.SessionReply | undefined {
  try {
    return baton.v1.SessionReply.decode(bytes);
  } catch {
    return undefined;
  }
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
