import { existsSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import path from 'node:path';
import type { baton } from '@baton/proto';
import type { LinkLog } from './link-log.ts';
import { decodeEngineMessage, encodeAgentMessage } from './message-codec.ts';
import { messageSocket } from './message-socket.ts';
import type { MessageSocket } from './message-socket.ts';

/** One connected engine that has said hello. */
export interface EngineLink {
  readonly hello: baton.v1.IEngineHello;
  /** False when the engine is gone: the message is lost. */
  send(message: baton.v1.IAgentMessage): boolean;
  /** Answers the hello with a refusal and closes. */
  refuse(code: string, message: string): void;
  close(reason: string): void;
  readonly connected: boolean;
}

export interface EngineHandlers {
  onMessage(message: baton.v1.EngineMessage): void;
  /** Called once; nothing is delivered afterwards. */
  onClose(reason: string): void;
}

export interface ListenForEngineOptions {
  socketPath: string;
  /** An engine said hello. The handlers get everything after it; the answer to the hello is sent from here or later. */
  onEngine(link: EngineLink): EngineHandlers;
  /** Aborted: no new engines, and all links are closed. */
  signal: AbortSignal;
  log?: LinkLog;
}

export interface EngineListener {
  /** Resolves when the socket is gone. */
  close(): Promise<void>;
}

/** Connections at once: an engine that restarts may come before its old link is seen to be dead. */
const MAX_CONNECTIONS = 8;
const HELLO_TIMEOUT_MS = 5_000;
/** sun_path of Linux and macOS, less its terminating zero. */
const MAX_SOCKET_PATH_BYTES = 103;

/**
 * Listens for the engine. A socket file that a dead process left behind is replaced; one on which somebody listens,
 * a path that is too long for a socket, or one without its folder, is an error.
 */
export async function listenForEngine(options: ListenForEngineOptions): Promise<EngineListener> {
  const { socketPath, signal, log } = options;
  if (Buffer.byteLength(socketPath) > MAX_SOCKET_PATH_BYTES) {
    throw new Error(
      `socket path longer than ${MAX_SOCKET_PATH_BYTES} bytes, which no Unix socket can have: ${socketPath}`,
    );
  }
  // Listening would fail as if permission were missing.
  const folder = path.dirname(socketPath);
  if (!existsSync(folder)) {
    throw new Error(`there is no folder ${folder} for the socket ${socketPath}`);
  }
  await removeStaleSocket(socketPath);
  const links = new Set<MessageSocket>();
  const server = createServer((socket) => accept(socket, options, links));
  server.maxConnections = MAX_CONNECTIONS;
  await listening(server, socketPath);
  log?.info({ event: 'link_listening', socketPath }, 'waiting for the engine');

  let done: Promise<void> | undefined;
  const close = (): Promise<void> => {
    done ??= new Promise((resolve) => {
      signal.removeEventListener('abort', onAbort);
      server.close(() => resolve());
      for (const link of links) link.close('agent stops');
    });
    return done;
  };
  const onAbort = (): void => void close();
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  return { close };
}

function accept(socket: Socket, options: ListenForEngineOptions, links: Set<MessageSocket>): void {
  let handlers: EngineHandlers | undefined;
  const helloTimer = setTimeout(
    () => connection.close(`no hello within ${HELLO_TIMEOUT_MS} ms`),
    HELLO_TIMEOUT_MS,
  );
  const connection = messageSocket({
    socket,
    decode: decodeEngineMessage,
    onMessage(message) {
      if (handlers) return handlers.onMessage(message);
      if (!message.hello) return connection.close(`${message.message} before hello`);
      clearTimeout(helloTimer);
      handlers = options.onEngine(engineLink(connection, message.hello));
      return undefined;
    },
    onClose(reason) {
      clearTimeout(helloTimer);
      links.delete(connection);
      options.log?.info({ event: 'link_closed', reason }, 'link to the engine closed');
      handlers?.onClose(reason);
    },
  });
  links.add(connection);
}

function engineLink(connection: MessageSocket, hello: baton.v1.IEngineHello): EngineLink {
  const send = (message: baton.v1.IAgentMessage): boolean =>
    connection.send(encodeAgentMessage(message));
  return {
    hello,
    send,
    refuse(code, message) {
      send({ refused: { code, message } });
      connection.close(`refused: ${message}`);
    },
    close: (reason) => connection.close(reason),
    get connected() {
      return connection.open;
    },
  };
}

function listening(server: Server, socketPath: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(socketPath, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Removes a socket file that nobody listens on; leaves anything else for `listen` to complain about. */
async function removeStaleSocket(socketPath: string): Promise<void> {
  const code = await new Promise<string | undefined>((resolve) => {
    const probe = connect(socketPath);
    probe.once('connect', () => {
      probe.destroy();
      resolve(undefined);
    });
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code));
  });
  if (code === 'ECONNREFUSED') await unlink(socketPath);
}
