import { connectAgent, HELD_ALREADY, LINK_SILENCE_MS, SilenceWatch } from '@baton/engine-link';
import type { AgentConnection, LinkLog } from '@baton/engine-link';
import { baton } from '@baton/proto';
import type { ArenaMapping } from '../core/inference-port.ts';

/** How long an agent may take for the pages of an export. */
const RESERVE_TIMEOUT_MS = 2_000;
/** How often the bridge looks whether the agent has said anything. */
const LOOK_MS = 250;
/** What an agent may be late beyond the time limit that a load names. */
const ANSWER_GRACE_MS = 500;

export interface LoadHandlers {
  /** `index` counts from the first key that was asked for. */
  onSegment(segment: { index: number; page: number; bytes: number; transferred: boolean }): void;
  /** Called once, also when the agent goes away or stays silent. */
  onEnd(end: LoadOutcome): void;
}

export type LoadOutcome =
  | { status: 'complete'; tail: baton.v1.ITail | undefined }
  | { status: 'missing' | 'failed' | 'timeout'; message: string };

export interface ReservedPages {
  /** For each key a page; undefined for one that the agent holds already. */
  pages: (number | undefined)[];
  tailPage: number | undefined;
}

export interface AgentBridgeOptions {
  socketPath: string;
  hello: () => baton.v1.IEngineHello;
  /** Bytes that a page must have. */
  pageBytes: number;
  /** The arena to map from now on; undefined when the agent is gone. */
  onArena(arena: ArenaMapping | undefined): void;
  onExport(request: { exportId: string; keys: Uint8Array; pages: number[] }): void;
  signal: AbortSignal;
  log?: LinkLog;
}

interface PendingLoad {
  handlers: LoadHandlers;
  /** Restarted by each segment. */
  timer: NodeJS.Timeout;
}

/**
 * The agent as the engine's front sees it: questions with answers, each answered exactly once whatever the agent does.
 * Each link has its own arena: a page number means nothing on another one.
 */
export class AgentBridge {
  readonly #options: AgentBridgeOptions;
  readonly #link: AgentConnection;
  readonly #loads = new Map<string, PendingLoad>();
  readonly #reserves = new Map<string, (reply: ReservedPages | undefined) => void>();
  #linkId = 0;
  #usable = false;
  #workerId: string | undefined;
  #silence = new SilenceWatch(performance.now());
  #wasHung = false;
  readonly #timer = setInterval(() => this.#look(), LOOK_MS);

  constructor(options: AgentBridgeOptions) {
    this.#options = options;
    this.#timer.unref();
    this.#link = connectAgent({
      socketPath: options.socketPath,
      hello: options.hello,
      onHello: (hello) => this.#opened(hello),
      onMessage: (message) => this.#receive(message),
      onClose: () => this.#closed(),
      signal: options.signal,
      ...(options.log ? { log: options.log } : {}),
    });
  }

  /** There is a link: what is sent arrives, even if the agent is hung and reads it later. */
  get connected(): boolean {
    return this.#usable && this.#link.connected;
  }

  /** There is an agent that answers. */
  get responsive(): boolean {
    return this.connected && !this.#silence.isSilent;
  }

  /** The worker that this engine is part of, as the agent last said. */
  get workerId(): string | undefined {
    return this.#workerId;
  }

  /** Changes with each link. */
  get linkId(): number {
    return this.#linkId;
  }

  /** Asks for segments; `timeoutMs` (and the grace) without one counts as no answer. */
  load(request: baton.v1.ILoadRequest & { requestId: string }, handlers: LoadHandlers): void {
    const { requestId } = request;
    const timer = setTimeout(
      () => {
        this.#endLoad(requestId, {
          status: 'timeout',
          message: 'the agent did not answer in time',
        });
      },
      (request.timeoutMs ?? 0) + ANSWER_GRACE_MS,
    );
    this.#loads.set(requestId, { handlers, timer });
    if (!this.responsive || !this.send({ loadSegments: request })) {
      this.#endLoad(requestId, { status: 'failed', message: 'no agent that answers' });
    }
  }

  /** The request is over: nothing is reported of its load any more. */
  forgetLoad(requestId: string): void {
    clearTimeout(this.#loads.get(requestId)?.timer);
    this.#loads.delete(requestId);
  }

  /** `onReply` is called once; undefined when there are no pages to be had. */
  reserve(
    request: baton.v1.IReserveRequest & { requestId: string },
    onReply: (reply: ReservedPages | undefined) => void,
  ): void {
    const { requestId } = request;
    const timer = setTimeout(() => this.#endReserve(requestId, undefined), RESERVE_TIMEOUT_MS);
    this.#reserves.set(requestId, (reply) => {
      clearTimeout(timer);
      onReply(reply);
    });
    if (!this.responsive || !this.send({ reserve: request })) {
      this.#endReserve(requestId, undefined);
    }
  }

  /** False when the message is lost, or belongs to another link than the present one. */
  send(message: baton.v1.IEngineMessage, linkId = this.#linkId): boolean {
    return this.connected && linkId === this.#linkId && this.#link.send(message);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#link.close();
    this.#closed();
  }

  #opened(hello: baton.v1.IAgentHello): void {
    const pageBytes = hello.pageBytes ?? 0;
    if (pageBytes < this.#options.pageBytes) {
      const reason = `pages of ${pageBytes} bytes, ${this.#options.pageBytes} are needed`;
      this.#options.log?.warn({ event: 'arena_unusable', reason }, 'the arena cannot be used');
      return;
    }
    this.#linkId += 1;
    this.#silence = new SilenceWatch(performance.now());
    this.#wasHung = false;
    this.#usable = true;
    this.#workerId = hello.workerId ?? undefined;
    const path = hello.arenaPath ?? '';
    this.#options.onArena({ path, sizeBytes: hello.arenaBytes ?? 0, pageBytes });
  }

  #closed(): void {
    if (!this.#usable) return;
    this.#usable = false;
    this.#options.onArena(undefined);
    this.#endAll('the link to the agent was cut');
  }

  /** Nobody waits for an agent that is hung. Pages and link stay: it may go on, and hears then what has happened. */
  #look(): void {
    this.#silence.look(performance.now());
    if (!this.connected || !this.#silence.isSilent || this.#wasHung) return;
    this.#wasHung = true;
    const message = `the agent has said nothing for ${LINK_SILENCE_MS} ms`;
    this.#options.log?.warn({ event: 'agent_hung' }, message);
    this.#endAll(message);
  }

  #heard(): void {
    this.#silence.heard();
    if (!this.#wasHung) return;
    this.#wasHung = false;
    this.#options.log?.info({ event: 'agent_back' }, 'the agent answers again');
  }

  #endAll(message: string): void {
    for (const requestId of [...this.#loads.keys()]) {
      this.#endLoad(requestId, { status: 'failed', message });
    }
    for (const requestId of [...this.#reserves.keys()]) this.#endReserve(requestId, undefined);
  }

  #receive(message: baton.v1.AgentMessage): void {
    if (!this.#usable) return;
    this.#heard();
    if (message.segment) this.#segment(message.segment);
    if (message.loadEnd) this.#endLoad(message.loadEnd.requestId ?? '', outcomeOf(message.loadEnd));
    if (message.reserved) this.#reserved(message.reserved);
    if (message.export) {
      const { exportId, keys, pages } = message.export;
      this.#options.onExport({
        exportId: exportId ?? '',
        keys: keys ?? new Uint8Array(),
        pages: pages ?? [],
      });
    }
  }

  #segment(segment: baton.v1.ISegmentLoaded): void {
    const load = this.#loads.get(segment.requestId ?? '');
    if (!load) return;
    load.timer.refresh();
    load.handlers.onSegment({
      index: segment.index ?? 0,
      page: segment.page ?? 0,
      bytes: segment.bytes ?? 0,
      transferred: segment.transferred ?? false,
    });
  }

  #endLoad(requestId: string, outcome: LoadOutcome): void {
    const load = this.#loads.get(requestId);
    this.forgetLoad(requestId);
    load?.handlers.onEnd(outcome);
  }

  #reserved(reply: baton.v1.IReserveReply): void {
    const pages = (reply.pages ?? []).map((page) => (page === HELD_ALREADY ? undefined : page));
    const granted = reply.refused ? undefined : { pages, tailPage: reply.tailPage ?? undefined };
    this.#endReserve(reply.requestId ?? '', granted);
  }

  #endReserve(requestId: string, reply: ReservedPages | undefined): void {
    const onReply = this.#reserves.get(requestId);
    this.#reserves.delete(requestId);
    onReply?.(reply);
  }
}

function outcomeOf(end: baton.v1.ILoadEnd): LoadOutcome {
  const { LoadStatus } = baton.v1;
  switch (end.status) {
    case LoadStatus.LOAD_STATUS_COMPLETE:
      return { status: 'complete', tail: end.tail ?? undefined };
    case LoadStatus.LOAD_STATUS_MISSING:
      return { status: 'missing', message: end.message ?? 'not held and not expected' };
    case LoadStatus.LOAD_STATUS_TIMEOUT:
      return { status: 'timeout', message: end.message ?? 'the agent gave up waiting' };
    default:
      return { status: 'failed', message: end.message ?? 'the transfer failed' };
  }
}
