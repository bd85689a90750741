import type { Socket } from 'node:net';
import { FrameReader, MAX_QUEUED_BYTES, encodeFrame } from './frame-codec.ts';

export interface MessageSocketOptions<In> {
  socket: Socket;
  /** Throws when the bytes are not a message. */
  decode(payload: Uint8Array): In;
  onMessage(message: In): void;
  /** Called once, also when this side closed. */
  onClose(reason: string): void;
}

/** One established connection: frames in, frames out, and one reason when it ends. */
export interface MessageSocket {
  /** False when the connection is closed, or is closed now because the peer does not read. */
  send(payload: Uint8Array): boolean;
  /** Sends what is queued, then closes; a peer that does not read is cut off after a second. */
  close(reason: string): void;
  readonly open: boolean;
}

const FLUSH_TIMEOUT_MS = 1_000;

export function messageSocket<In>(options: MessageSocketOptions<In>): MessageSocket {
  const { socket } = options;
  const reader = new FrameReader();
  let reason: string | undefined;

  /** From here on nothing is delivered; the first reason counts. */
  const end = (why: string): boolean => {
    if (reason !== undefined) return false;
    reason = why;
    options.onClose(why);
    return true;
  };
  const isOpen = (): boolean => reason === undefined;
  const cut = (why: string): void => {
    end(why);
    socket.destroy();
  };

  socket.on('data', (chunk: Buffer) => {
    if (reason !== undefined) return;
    const { payloads, fault } = reader.push(chunk);
    for (const payload of payloads) {
      const message = decoded(options.decode, payload);
      if ('failure' in message) return cut(`frame that is not a message: ${message.failure}`);
      options.onMessage(message.value);
      if (!isOpen()) return;
    }
    if (fault !== undefined) cut(fault);
  });
  socket.on('error', (error) => end(error.message));
  socket.on('close', () => end('closed by peer'));

  return {
    send(payload) {
      if (reason !== undefined) return false;
      if (socket.writableLength + payload.length > MAX_QUEUED_BYTES) {
        cut(`peer does not read: more than ${MAX_QUEUED_BYTES} bytes queued`);
        return false;
      }
      socket.write(encodeFrame(payload));
      return true;
    },
    close(why) {
      if (!end(why)) return;
      socket.end();
      const timer = setTimeout(() => socket.destroy(), FLUSH_TIMEOUT_MS);
      socket.once('close', () => clearTimeout(timer));
    },
    get open() {
      return isOpen();
    },
  };
}

function decoded<In>(
  decode: (payload: Uint8Array) => In,
  payload: Buffer,
): { value: In } | { failure: string } {
  try {
    return { value: decode(payload) };
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}
