import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { HELD_ALREADY, LINK_WORD_MS, listenForEngine } from '@baton/engine-link';
import type { EngineLink } from '@baton/engine-link';
import { keyCount, keyHex, unpackKeys } from '@baton/kv';
import { baton } from '@baton/proto';
import { createArena } from '@baton/tier-store';
import type { Arena } from '@baton/tier-store';

interface Held {
  page: number;
  bytes: number;
  checksum: number;
  /** Came from the peer. */
  transferred: boolean;
}

interface Handover {
  bytes: Uint8Array;
  checksum: number;
  state: baton.v1.ISequenceState;
}

type LoadRequest = baton.v1.ILoadRequest;

/** What an agent may do wrong. */
export interface AgentFaults {
  /** Loads are never answered. */
  silent?: boolean;
  refuseReserve?: boolean;
  /** Reservations are never answered. */
  silentReserve?: boolean;
  /** Closes the link when a load for a handover comes. */
  cutOnHandover?: boolean;
  /** The next arena's pages are said to be smaller than the engine needs. */
  smallPages?: boolean;
  /** The state of each tail names another prompt length. */
  wrongState?: boolean;
}

const PAGE_COUNT = 1024;

/**
 * An agent for tests of the engine's side: one link, one arena, and a peer from whose arena it copies instead of pulling
 * over a wire. It checks what it can: checksums of what the engine commits, and that pages are given back.
 */
export class TestAgent {
  readonly socketPath: string;
  readonly faults: AgentFaults = {};
  readonly loads: LoadRequest[] = [];
  readonly ended: baton.v1.IRequestEnded[] = [];
  readonly loadReports: baton.v1.ILoad[] = [];
  readonly exportReplies: baton.v1.IExportReply[] = [];
  readonly held = new Map<string, Held>();
  readonly handovers = new Map<string, Handover>();
  /** Pages that an engine has been given to read, by request. */
  readonly pinned = new Map<string, Set<number>>();
  /** Pages that an engine has been given to write, by request. */
  readonly reserved = new Map<string, Set<number>>();
  readonly problems: string[] = [];
  peer: TestAgent | undefined;
  hello: baton.v1.IEngineHello | undefined;
  #link: EngineLink | undefined;
  #arena: Arena | undefined;
  #pageBytes = 0;
  #nextPage = 0;
  #incarnation = 0;
  #hasReport = false;
  #listener: AbortController | undefined;
  #isHung = false;
  readonly #unread: baton.v1.EngineMessage[] = [];
  readonly #talk = setInterval(() => {
    if (!this.#isHung) this.#link?.send({ alive: {} });
  }, LINK_WORD_MS);
  readonly #folder: string;
  readonly #waiters = new Set<() => void>();

  private constructor(folder: string) {
    this.#folder = folder;
    this.socketPath = path.join(folder, 'agent.sock');
  }

  static async start(): Promise<TestAgent> {
    const agent = new TestAgent(await mkdtemp(path.join(tmpdir(), 'baton-test-agent-')));
    await agent.listen();
    return agent;
  }

  /** Also after {@link die}: the next incarnation, which holds nothing. */
  async listen(): Promise<void> {
    this.#listener = new AbortController();
    await listenForEngine({
      socketPath: this.socketPath,
      signal: this.#listener.signal,
      onEngine: (link) => {
        this.#accept(link);
        return {
          onMessage: (message) => this.#receive(message),
          onClose: () => this.#lost(),
        };
      },
    });
  }

  /** As when the process is killed: link and socket go, and so does everything held. */
  die(): void {
    this.#listener?.abort();
    this.#link?.close('killed');
    this.#lost();
  }

  /** As with SIGSTOP and SIGCONT: the link stays, nothing is said, what comes in is answered later. */
  hang(): void {
    this.#isHung = true;
  }

  goOn(): void {
    this.#isHung = false;
    this.#link?.send({ alive: {} });
    for (const message of this.#unread.splice(0)) this.#receive(message);
  }

  async close(): Promise<void> {
    clearInterval(this.#talk);
    this.die();
    await rm(this.#folder, { recursive: true, force: true });
  }

  get connected(): boolean {
    return this.#link?.connected === true;
  }

  /** The engine has taken the answer to its hello: it reports its load to every new link. */
  get linked(): boolean {
    return this.connected && this.#hasReport;
  }

  page(page: number, bytes: number): Uint8Array {
    const start = page * this.#pageBytes;
    return (this.#arena?.bytes ?? new Uint8Array()).subarray(start, start + bytes);
  }

  requestExport(exportId: string, keys: Uint8Array): void {
    const pages = Array.from({ length: keyCount(keys) }, () => this.#takePage());
    this.#link?.send({ export: { exportId, keys, pages } });
  }

  #accept(link: EngineLink): void {
    this.#incarnation += 1;
    this.#hasReport = false;
    this.#link = link;
    this.hello = link.hello;
    this.#pageBytes = link.hello.pageBytes ?? 0;
    const arenaPath = path.join(this.#folder, `arena-${this.#incarnation}`);
    this.#arena = createArena({
      path: arenaPath,
      pageBytes: this.#pageBytes,
      pageCount: PAGE_COUNT,
    });
    link.send({
      hello: {
        workerId: 'test-worker',
        epoch: { startedAtMs: this.#incarnation, nonce: 1 },
        arenaPath,
        arenaBytes: this.#pageBytes * PAGE_COUNT,
        pageBytes: this.#pageBytes - (this.faults.smallPages ? 1 : 0),
        pageCount: PAGE_COUNT,
      },
    });
  }

  #lost(): void {
    this.#link = undefined;
    this.#arena?.close();
    this.#arena = undefined;
    this.#nextPage = 0;
    for (const book of [this.held, this.handovers, this.pinned, this.reserved]) book.clear();
    this.#changed();
  }

  #receive(message: baton.v1.EngineMessage): void {
    if (this.#isHung) return void this.#unread.push(message);
    if (message.load?.load) {
      this.#hasReport = true;
      this.loadReports.push(message.load.load);
    }
    if (message.loadSegments) void this.#load(message.loadSegments);
    if (message.reserve) this.#reserve(message.reserve);
    if (message.commit) this.#commit(message.commit);
    if (message.handoverReady) this.#handoverReady(message.handoverReady);
    if (message.exportReply) this.exportReplies.push(message.exportReply);
    if (message.release) {
      const pins = this.pinned.get(message.release.requestId ?? '');
      for (const page of message.release.pages ?? []) {
        if (!pins?.delete(page)) this.problems.push(`page ${page} released but not pinned`);
      }
    }
    if (message.ended) {
      this.ended.push(message.ended);
      this.pinned.delete(message.ended.requestId ?? '');
      this.reserved.delete(message.ended.requestId ?? '');
    }
    this.#changed();
  }

  #reserve(request: baton.v1.IReserveRequest): void {
    if (this.faults.silentReserve) return;
    const requestId = request.requestId ?? '';
    if (this.faults.refuseReserve) {
      this.#link?.send({ reserved: { requestId, refused: true } });
      return;
    }
    const taken = new Set<number>();
    const pages = unpackKeys(request.keys ?? new Uint8Array()).map((key) => {
      if (this.held.has(keyHex(key))) return HELD_ALREADY;
      const page = this.#takePage();
      taken.add(page);
      return page;
    });
    const tailPage = request.tail ? this.#takePage() : 0;
    if (request.tail) taken.add(tailPage);
    this.reserved.set(requestId, taken);
    this.#link?.send({ reserved: { requestId, pages, tailPage } });
  }

  #commit(commit: baton.v1.ICommitSegment): void {
    const { page = 0, bytes = 0, checksum = 0, key = new Uint8Array() } = commit;
    const data = this.page(page ?? 0, bytes ?? 0);
    if (crc32(data) !== checksum) this.problems.push(`checksum of page ${page} is wrong`);
    this.held.set(keyHex(key ?? new Uint8Array()), {
      page: page ?? 0,
      bytes: bytes ?? 0,
      checksum: checksum ?? 0,
      transferred: false,
    });
  }

  #handoverReady(ready: baton.v1.IHandoverReady): void {
    const { page = 0, bytes = 0, checksum = 0, state } = ready.tail ?? {};
    const data = this.page(page ?? 0, bytes ?? 0).slice();
    if (data.length > 0 && crc32(data) !== checksum)
      this.problems.push('checksum of a tail is wrong');
    this.handovers.set(ready.planId ?? '', {
      bytes: data,
      checksum: checksum ?? 0,
      state: state ?? {},
    });
  }

  async #load(request: LoadRequest): Promise<void> {
    this.loads.push(request);
    this.#changed();
    if (this.faults.silent) return;
    if (request.handover && this.faults.cutOnHandover) return this.#link?.close('cut');
    const requestId = request.requestId ?? '';
    const link = this.#link;
    const pins = new Set<number>();
    this.pinned.set(requestId, pins);
    for (const [index, key] of unpackKeys(request.keys ?? new Uint8Array()).entries()) {
      const segment = await this.#obtain(keyHex(key), request.handover === true);
      if (!segment || this.#link !== link) {
        link?.send({ loadEnd: { requestId, status: baton.v1.LoadStatus.LOAD_STATUS_MISSING } });
        return undefined;
      }
      const { page, bytes, transferred } = segment;
      pins.add(page);
      link?.send({ segment: { requestId, index, page, bytes, transferred } });
    }
    const status = baton.v1.LoadStatus.LOAD_STATUS_COMPLETE;
    if (!request.handover) return void link?.send({ loadEnd: { requestId, status } });
    const handover = await this.#handoverOf(request.planId ?? '');
    if (!handover || this.#link !== link) return undefined;
    const { bytes, checksum, state } = handover;
    const page = bytes.length > 0 ? this.#takePage() : 0;
    this.page(page, bytes.length).set(bytes);
    if (bytes.length > 0) pins.add(page);
    const promptTokens = (state.promptTokens ?? 0) + (this.faults.wrongState ? 1 : 0);
    const tail = { page, bytes: bytes.length, checksum, state: { ...state, promptTokens } };
    return void link?.send({ loadEnd: { requestId, status, tail } });
  }

  /** Its own copy, or one of the peer's, for a handover as soon as there is one. */
  async #obtain(key: string, wait: boolean): Promise<Held | undefined> {
    for (;;) {
      const own = this.held.get(key);
      if (own) return own;
      const theirs = this.peer?.held.get(key);
      if (theirs && this.peer) {
        const page = this.#takePage();
        this.page(page, theirs.bytes).set(this.peer.page(theirs.page, theirs.bytes));
        const copy = { ...theirs, page, transferred: true };
        this.held.set(key, copy);
        return copy;
      }
      if (!wait || !this.peer || !this.connected) return undefined;
      await Promise.race([this.peer.change(), this.change()]);
    }
  }

  async #handoverOf(planId: string): Promise<Handover | undefined> {
    while (this.connected && this.peer) {
      const handover = this.peer.handovers.get(planId);
      if (handover) return handover;
      await Promise.race([this.peer.change(), this.change()]);
    }
    return undefined;
  }

  /** Resolves at the next message or loss of the link. */
  change(): Promise<void> {
    return new Promise((resolve) => this.#waiters.add(resolve));
  }

  #changed(): void {
    const waiters = [...this.#waiters];
    this.#waiters.clear();
    for (const wake of waiters) wake();
  }

  #takePage(): number {
    if (this.#nextPage >= PAGE_COUNT) throw new Error('the test agent has no page left');
    this.#nextPage += 1;
    return this.#nextPage - 1;
  }
}
