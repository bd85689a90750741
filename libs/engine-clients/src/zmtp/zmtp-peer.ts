import type net from 'node:net';
import type { ZmtpLinkOptions } from './zmtp-link.ts';
import { ZmtpParser } from './zmtp-parser.ts';
import {
  greetingFault,
  readCommand,
  readyCommand,
  subscription,
  zmtpGreeting,
  zmtpMessage,
} from './zmtp-wire.ts';

export interface ZmtpPeerHooks {
  /** The socket; `onread` lets it read straight into the parser's buffer, where it can. */
  open(onread: net.OnReadOpts): net.Socket;
  onUp(): void;
  /** Once, at the end. */
  onDown(reason: string): void;
}

const HANDSHAKE_MS = 10_000;
const KEEP_ALIVE_MS = 10_000;

/** One connection to a ZMTP peer, from its greeting to its end. */
export class ZmtpPeer {
  readonly #options: ZmtpLinkOptions;
  readonly #hooks: ZmtpPeerHooks;
  readonly #parser: ZmtpParser;
  readonly #socket: net.Socket;
  readonly #handshake: NodeJS.Timeout;
  #isReady = false;
  #endReason: string | undefined;

  constructor(options: ZmtpLinkOptions, hooks: ZmtpPeerHooks) {
    this.#options = options;
    this.#hooks = hooks;
    const parser = new ZmtpParser(
      {
        greeting: (greeting) => this.#greeted(greeting),
        command: (body) => this.#command(body),
        message: (frames) => options.onMessage(frames),
        oversized: (frames) => options.onOversized(frames),
        broken: (reason) => this.close(reason),
      },
      options.maxMessageBytes,
    );
    this.#parser = parser;
    const socket = hooks.open({
      buffer: () => parser.space(),
      callback(bytes) {
        parser.advance(bytes);
        return true;
      },
    });
    this.#socket = socket;
    this.#handshake = setTimeout(() => this.close('the peer does not answer'), HANDSHAKE_MS);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    // Sockets that were accepted read into buffers of their own.
    socket.on('data', (chunk: Buffer) => this.#copy(chunk));
    socket.on('error', (error) => this.close(error.message));
    socket.on('close', () => this.close('the peer has closed the connection'));
    socket.write(zmtpGreeting());
  }

  /** False when the peer is not there yet, or no longer. */
  send(frames: readonly Uint8Array[]): boolean {
    if (!this.#isReady || this.#endReason !== undefined) return false;
    this.#socket.write(zmtpMessage(frames));
    return true;
  }

  close(reason: string): void {
    if (this.#endReason !== undefined) return;
    this.#endReason = reason;
    clearTimeout(this.#handshake);
    this.#parser.end();
    this.#socket.destroy();
    this.#hooks.onDown(reason);
  }

  #copy(chunk: Buffer): void {
    for (let at = 0; at < chunk.length;) {
      const copied = chunk.copy(this.#parser.space(), 0, at);
      at += copied;
      this.#parser.advance(copied);
    }
  }

  #greeted(greeting: Buffer): void {
    const fault = greetingFault(greeting);
    if (fault !== undefined) this.close(fault);
    else this.#socket.write(readyCommand(this.#options.type));
  }

  #command(body: Buffer): void {
    const command = readCommand(body, this.#options.type);
    if (command.kind === 'fault') this.close(command.reason);
    if (command.kind === 'answer') this.#socket.write(command.bytes);
    if (command.kind !== 'ready' || this.#isReady) return;
    clearTimeout(this.#handshake);
    const { type, topic } = this.#options;
    if (type === 'SUB') this.#socket.write(subscription(topic ?? ''));
    this.#isReady = true;
    this.#hooks.onUp();
  }
}
