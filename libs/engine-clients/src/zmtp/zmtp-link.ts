import net from 'node:net';
import { RetryPace } from './retry-pace.ts';
import { zmtpAddress } from './zmtp-endpoint.ts';
import type { ZmtpAddress } from './zmtp-endpoint.ts';
import { ZmtpPeer } from './zmtp-peer.ts';
import type { ZmtpSocketType } from './zmtp-wire.ts';

export interface ZmtpLinkOptions {
  type: ZmtpSocketType;
  endpoint: string;
  /** True to listen and let the peer connect. */
  isBound?: boolean | undefined;
  /** For SUB: what a message's first frame begins with. */
  topic?: string | undefined;
  /** Of all frames of a message together, with their headers. */
  maxMessageBytes: number;
  /** Of whoever connects to this peer by one link after the other. */
  pace?: RetryPace | undefined;
  /** A peer is there and has been told what we want. */
  onUp?(): void;
  /** The peer is gone or cannot be reached. Said once, until there is one again. */
  onDown?(reason: string): void;
  /** Frames of a message, valid during the call only. */
  onMessage(frames: Buffer[]): void;
  /** Frames before the one that passed the limit: it and what follows were skipped. */
  onOversized(frames: Buffer[]): void;
}

type OpenSocket = (address: net.NetConnectOpts) => net.Socket;

/** Connections to a bound link; all but one are on their way in or out. */
const MAX_PEERS = 16;

/**
 * One end of a ZMQ connection to one engine, in JavaScript: for small messages that arrive in quantity it costs a sixth
 * of what libzmq's binding does, which makes a promise and three buffers of each. Connects again by itself, without
 * end. Where it is bound the newest peer counts.
 */
export class ZmtpLink {
  readonly #options: ZmtpLinkOptions;
  readonly #openSocket: OpenSocket;
  readonly #pace: RetryPace;
  readonly #server: net.Server | undefined;
  /** Where it is bound: every connection, the one that counts too. */
  readonly #accepted = new Set<ZmtpPeer>();
  #peer: ZmtpPeer | undefined;
  #retry: NodeJS.Timeout | undefined;
  #isDownTold = false;
  #isClosed = false;

  /** @throws BatonError config_invalid for an endpoint that is none. */
  constructor(options: ZmtpLinkOptions, openSocket: OpenSocket = net.connect) {
    this.#options = options;
    this.#openSocket = openSocket;
    this.#pace = options.pace ?? new RetryPace();
    const address = zmtpAddress(options.endpoint, options.isBound ?? false);
    if (options.isBound) this.#server = this.#serve(address);
    else this.#connectWhenDue();
  }

  /** Where a bound link listens; undefined before it does. */
  get port(): number | undefined {
    const address = this.#server?.address();
    return typeof address === 'object' ? address?.port : undefined;
  }

  /** False when there is no peer to send to. */
  send(frames: readonly Uint8Array[]): boolean {
    return this.#peer?.send(frames) ?? false;
  }

  /** Nothing is handed over after this. */
  close(): void {
    this.#isClosed = true;
    this.#pace.ended();
    clearTimeout(this.#retry);
    this.#server?.close();
    this.#peer?.close('closed');
    for (const peer of this.#accepted) peer.close('closed');
  }

  #connectWhenDue(): void {
    const { dueInMs } = this.#pace;
    if (dueInMs > 0) this.#retry = setTimeout(() => this.#connect(), dueInMs);
    else this.#connect();
  }

  #connect(): void {
    const address = zmtpAddress(this.#options.endpoint, false);
    try {
      this.#peer = new ZmtpPeer(this.#options, {
        open: (onread) => this.#openSocket({ ...address, onread }),
        onUp: () => this.#up(),
        onDown: (reason) => this.#lost(reason),
      });
    } catch (error) {
      // Some addresses are refused at once. Whoever makes a link does not have it yet when this is its first try.
      this.#retry = setTimeout(() => this.#lost((error as Error).message), 0);
    }
  }

  #serve(address: ZmtpAddress): net.Server {
    const server = net.createServer((socket) => this.#accept(socket));
    server.maxConnections = MAX_PEERS;
    server.on('error', (error) => {
      if (server.listening) this.#tellDown(error.message);
      else this.#cannotListen(server, address, error.message);
    });
    this.#listen(server, address);
    return server;
  }

  #listen(server: net.Server, address: ZmtpAddress): void {
    try {
      server.listen(address);
    } catch (error) {
      const { message } = error as Error;
      this.#retry = setTimeout(() => this.#cannotListen(server, address, message), 0);
    }
  }

  /** Whoever has the place may leave it, such as a process before this one that is not quite gone. */
  #cannotListen(server: net.Server, address: ZmtpAddress, reason: string): void {
    this.#pace.failed();
    this.#tellDown(reason);
    if (this.#isClosed) return;
    this.#retry = setTimeout(() => this.#listen(server, address), this.#pace.dueInMs);
  }

  #accept(socket: net.Socket): void {
    const peer = new ZmtpPeer(this.#options, {
      open: () => socket,
      onUp: () => {
        const before = this.#peer;
        this.#peer = peer;
        before?.close('another one has come');
        this.#up();
      },
      onDown: (reason) => {
        this.#accepted.delete(peer);
        if (this.#peer === peer) this.#tellDown(reason);
      },
    });
    this.#accepted.add(peer);
  }

  #up(): void {
    this.#pace.up();
    this.#isDownTold = false;
    this.#options.onUp?.();
  }

  #lost(reason: string): void {
    this.#peer = undefined;
    if (this.#isClosed) return;
    this.#pace.failed();
    this.#tellDown(reason);
    // Whoever was told may have closed it.
    if (this.#isClosed) return;
    this.#connectWhenDue();
  }

  #tellDown(reason: string): void {
    if (this.#isDownTold || this.#isClosed) return;
    this.#isDownTold = true;
    this.#options.onDown?.(reason);
  }
}
