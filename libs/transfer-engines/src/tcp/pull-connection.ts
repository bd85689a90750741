import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { FrameReceiver } from './frame-receiver.ts';
import type { FrameSink, StreamFault } from './frame-receiver.ts';
import type { FrameHeader } from './frame.ts';

/** Whoever uses a connection just now. */
export interface ConnectionUser extends FrameSink {
  /** Bytes came in: the peer is alive. */
  heard(): void;
  /** The stream is useless from here on; `closed` follows. */
  fault(fault: StreamFault): void;
  /** The socket is gone; nothing is read into any memory any more. */
  closed(error: Error | undefined): void;
}

const UNASKED: StreamFault = {
  code: 'protocol_violation',
  message: 'bytes that nobody asked for',
};

/**
 * The pulling end of one connection. Payloads are read by the kernel straight to where their user wants them: the
 * socket's buffer is the memory that the receiver names next.
 */
export class PullConnection {
  readonly #socket: Socket;
  readonly #receiver: FrameReceiver;
  #user: ConnectionUser | undefined;
  #error: Error | undefined;
  #isOpen = true;
  /** True once a request has been answered on it. */
  hasServed = false;
  wasConnected = false;

  constructor(host: string, port: number, connectTimeoutMs: number, onClose: () => void) {
    const sink: FrameSink = {
      place: (header: FrameHeader) => this.#user?.place(header) ?? UNASKED,
      frame: (header, payload) => this.#user?.frame(header, payload) ?? undefined,
    };
    const receiver = new FrameReceiver(sink);
    this.#receiver = receiver;
    this.#socket = connect({
      host,
      port,
      noDelay: true,
      onread: {
        buffer: () => receiver.space,
        callback: (count) => this.#read(count),
      },
    });
    const timer = setTimeout(
      () => this.destroy(new Error(`no connection within ${connectTimeoutMs} ms`)),
      connectTimeoutMs,
    );
    this.#socket.once('connect', () => {
      clearTimeout(timer);
      this.wasConnected = true;
    });
    this.#socket.once('end', () => this.destroy());
    this.#socket.on('error', (error) => (this.#error ??= error));
    this.#socket.once('close', () => {
      clearTimeout(timer);
      this.#isOpen = false;
      onClose();
      const user = this.#user;
      this.#user = undefined;
      user?.closed(this.#error);
    });
  }

  /** Open, unused and not in the middle of a frame. */
  get isReusable(): boolean {
    return this.#isOpen && this.#user === undefined && this.#receiver.isBetweenFrames;
  }

  /** Sends a request; its answer goes to `user` until {@link free} or the end of the connection. */
  request(user: ConnectionUser, frame: readonly Uint8Array[]): void {
    this.#user = user;
    this.#socket.ref();
    this.#socket.cork();
    for (const part of frame) this.#socket.write(part);
    this.#socket.uncork();
  }

  /** The answer is complete. */
  free(): void {
    this.#user = undefined;
    this.hasServed = true;
    this.#socket.unref();
  }

  /** The user hears `closed` when nothing is read any more. */
  destroy(error?: Error): void {
    this.#error ??= error;
    this.#isOpen = false;
    this.#socket.destroy();
  }

  #read(count: number): boolean {
    this.#user?.heard();
    const fault = this.#receiver.filled(count);
    if (!fault) return true;
    this.#user?.fault(fault);
    this.destroy();
    return false;
  }
}
