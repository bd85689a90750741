import { once } from 'node:events';
import { createServer } from 'node:net';
import { Server, ServerCredentials, status } from '@grpc/grpc-js';
import { channelOptions, sessionMethod } from './session-service.ts';
import {
  SessionStream,
  type Session,
  type SessionHandlers,
  type SessionOwner,
  type Stream,
} from './session-stream.ts';

export interface ServeSessionsOptions {
  host: string;
  /** 0 takes a free one. */
  port: number;
  /** Called when a gateway has said hello; its fleet is sent from here. */
  onSession: (session: Session) => SessionHandlers;
  /** Told about faults of the handlers; the session that met one is ended. */
  onFault: (error: unknown) => void;
}

export interface SessionServer {
  port: number;
  /** Sessions that stand. */
  readonly sessions: number;
  /** Ends all sessions and the port; what is being sent has `graceMs`. */
  close(graceMs?: number): Promise<void>;
}

const MAX_SESSIONS = 1_024;
const MAX_STREAMS_PER_CONNECTION = 64;
const CLOSE_GRACE_MS = 500;

/** The system's own error for an address on which gRPC could not listen. */
async function listenFault(host: string, port: number, error: Error): Promise<Error> {
  const probe = createServer();
  try {
    probe.listen(port, host);
    await once(probe, 'listening');
    return error;
  } catch (cause) {
    return cause as Error;
  } finally {
    probe.close();
  }
}

function bind(server: Server, host: string, port: number): Promise<number> {
  const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  return new Promise((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, bound) => {
      if (error) listenFault(host, port, error).then(reject, reject);
      else resolve(bound);
    });
  });
}

/**
 * Serves gateway sessions.
 *
 * @throws the system's error (EADDRINUSE, …) when the address cannot be used
 */
export async function serveSessions(options: ServeSessionsOptions): Promise<SessionServer> {
  const sessions = new Set<Session>();
  let nextId = 1;

  const owner: SessionOwner = {
    onSession: options.onSession,
    onFault: options.onFault,
    onEnded: (session) => void sessions.delete(session),
  };
  const accept = (stream: Stream): void => {
    if (sessions.size >= MAX_SESSIONS) {
      stream.on('error', () => undefined);
      const details = 'too many sessions';
      stream.emit(
        'error',
        Object.assign(new Error(details), { code: status.RESOURCE_EXHAUSTED, details }),
      );
      return;
    }
    sessions.add(new SessionStream(nextId++, stream, owner));
  };

  const server = new Server({
    ...channelOptions,
    'grpc.max_concurrent_streams': MAX_STREAMS_PER_CONNECTION,
  });
  server.addService({ session: sessionMethod }, { session: accept });
  const port = await bind(server, options.host, options.port);

  return {
    port,
    get sessions() {
      return sessions.size;
    },
    close: async (graceMs = CLOSE_GRACE_MS) => {
      for (const session of [...sessions]) session.close();
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, graceMs);
        server.tryShutdown(() => {
          clearTimeout(timer);
          resolve();
        });
      });
      server.forceShutdown();
    },
  };
}
