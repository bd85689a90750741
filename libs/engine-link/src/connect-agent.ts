import { connect } from 'node:net';
import type { baton } from '@baton/proto';
import type { LinkLog } from './link-log.ts';
import { decodeAgentMessage, encodeEngineMessage } from './message-codec.ts';
import { messageSocket } from './message-socket.ts';
import type { MessageSocket } from './message-socket.ts';

export interface ConnectAgentOptions {
  socketPath: string;
  /** Asked for at every connection, since the facts may have changed. */
  hello: () => baton.v1.IEngineHello;
  /** The agent accepted; from here on `send` works. Another arena or epoch than before means a new agent. */
  onHello(hello: baton.v1.IAgentHello): void;
  /** Everything after the hello. */
  onMessage(message: baton.v1.AgentMessage): void;
  /** The link is down; called once for each `onHello`. A new attempt follows unless the connection was closed. */
  onClose(reason: string): void;
  /** Aborted: the link is closed for good. */
  signal: AbortSignal;
  log?: LinkLog;
}

export interface AgentConnection {
  /** False when there is no agent: the message is lost. */
  send(message: baton.v1.IEngineMessage): boolean;
  readonly connected: boolean;
  close(): void;
}

const FIRST_BACKOFF_MS = 20;
const MAX_BACKOFF_MS = 1_000;

/** Keeps a link to the agent: connects, says hello, and after a cut tries again for ever with growing pauses. */
export function connectAgent(options: ConnectAgentOptions): AgentConnection {
  const { signal, log } = options;
  let link: MessageSocket | undefined;
  let accepted = false;
  let closed = signal.aborted;
  let backoffMs = FIRST_BACKOFF_MS;
  let timer: NodeJS.Timeout | undefined;
  let lastFailure = '';

  const retry = (reason: string): void => {
    if (closed) return;
    if (reason !== lastFailure) log?.warn({ event: 'link_down', reason }, 'no link to the agent');
    lastFailure = reason;
    timer = setTimeout(attempt, backoffMs);
    backoffMs = Math.min(backoffMs * 2, MAX_BACKOFF_MS);
  };

  const receive = (message: baton.v1.AgentMessage): void => {
    if (accepted) return options.onMessage(message);
    if (message.hello) {
      accepted = true;
      backoffMs = FIRST_BACKOFF_MS;
      lastFailure = '';
      log?.info({ event: 'link_up', agent: message.hello.workerId }, 'linked to the agent');
      return options.onHello(message.hello);
    }
    const refusal = message.refused;
    link?.close(refusal ? `refused: ${refusal.message}` : `${message.message} before hello`);
  };

  const attempt = (): void => {
    const socket = connect(options.socketPath);
    const opened = messageSocket({
      socket,
      decode: decodeAgentMessage,
      onMessage: receive,
      onClose(reason) {
        link = undefined;
        const wasAccepted = accepted;
        accepted = false;
        if (wasAccepted) options.onClose(reason);
        retry(reason);
      },
    });
    link = opened;
    socket.on('connect', () => opened.send(encodeEngineMessage({ hello: options.hello() })));
  };

  const close = (): void => {
    closed = true;
    clearTimeout(timer);
    link?.close('closed');
    signal.removeEventListener('abort', close);
  };
  signal.addEventListener('abort', close);
  if (!closed) attempt();

  return {
    send: (message) => accepted && link !== undefined && link.send(encodeEngineMessage(message)),
    get connected() {
      return accepted;
    },
    close,
  };
}
