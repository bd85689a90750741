import type { RankLoad } from '@baton/cluster';
import type { EngineAccess, JournalFolder } from '@baton/engine-clients';
import { HELD_ALREADY, LINK_SILENCE_MS, SilenceWatch } from '@baton/engine-link';
import type { EngineLink } from '@baton/engine-link';
import { baton, readLoad } from '@baton/proto';
import { EngineEvents, type EngineAdapters } from '@baton/worker-knowledge';
import type { AgentLog } from './agent-log.ts';
import type { AgentConfig } from './config.ts';
import { hexKeys } from './core/packed-keys.ts';
import type { Incarnation } from './incarnation.ts';
import { LoadSpans } from './load-spans.ts';

export interface EngineSessionOptions {
  link: EngineLink;
  /** Tells the pages of this engine from those of others. */
  name: string;
  workerId: string;
  incarnation: Incarnation;
  /** Looked at from elsewhere as long as it is linked; of an engine that takes none it stays empty. */
  adapters: EngineAdapters;
  settings: AgentConfig['events'];
  access: EngineAccess;
  journals: JournalFolder | undefined;
  log: AgentLog;
  now(): number;
}

/** Requests of which the engine has pages, or has asked for some. */
const MAX_REQUESTS = 16_384;

/** One linked engine: its questions and reports, and the pages it has in its hands. */
export class EngineSession {
  readonly link: EngineLink;
  /** LoRA adapters that it has now. */
  readonly adapters: EngineAdapters;
  load: RankLoad | undefined;
  readonly #options: EngineSessionOptions;
  readonly #events: EngineEvents;
  readonly #owners = new Set<string>();
  readonly #silence: SilenceWatch;
  readonly #loadSpans: LoadSpans;

  constructor(options: EngineSessionOptions) {
    this.#options = options;
    this.link = options.link;
    this.adapters = options.adapters;
    this.#silence = new SilenceWatch(options.now());
    const { incarnation, settings, access, journals, log, now } = options;
    this.#loadSpans = new LoadSpans(options.workerId);
    const { deltas } = incarnation;
    const adapterRevision = (name: string) => this.adapters.revisionOf(name);
    const facts = { ...incarnation.facts, adapterRevision };
    const { ledger } = deltas;
    this.#events = new EngineEvents({ facts, settings, access, ledger, journals, log, now });
  }

  /** Who holds or writes pages on behalf of this engine. */
  get owners(): ReadonlySet<string> {
    return this.#owners;
  }

  /** Why nothing may be planned on this engine now; undefined when it is ready. */
  get problem(): string | undefined {
    if (this.isHung) return `the engine has said nothing for ${LINK_SILENCE_MS} ms`;
    return this.load === undefined ? 'the engine has not told its load yet' : undefined;
  }

  get isHung(): boolean {
    return this.#silence.isSilent;
  }

  get eventCounters() {
    return this.#events.counters;
  }

  send(message: baton.v1.IAgentMessage): boolean {
    this.#loadSpans.told(message);
    return this.link.send(message);
  }

  close(): void {
    void this.#events.close();
  }

  /** Time has passed. */
  tick(): void {
    this.#silence.look(this.#options.now());
    this.#events.tick();
  }

  receive(message: baton.v1.EngineMessage): void {
    this.#silence.heard();
    const { exports } = this.#options.incarnation;
    if (message.load) this.#loadReported(message.load);
    else if (message.loadSegments) this.#loadAsked(message.loadSegments);
    else if (message.release) this.#release(message.release);
    else if (message.reserve) this.#withOwner(message.reserve, this.#reserve.bind(this));
    else if (message.commit) this.#commit(message.commit);
    else if (message.handoverReady) this.#handoverReady(message.handoverReady);
    else if (message.ended) this.#ended(message.ended);
    else if (message.exportReply) exports.ended(message.exportReply.exportId ?? '');
    else if (message.damaged) this.#damaged(message.damaged);
  }

  #loadAsked(request: baton.v1.ILoadRequest): void {
    const { loads } = this.#options.incarnation;
    this.#loadSpans.asked(request);
    this.#withOwner(request, loads.begin.bind(loads));
  }

  #loadReported(report: baton.v1.ILoadReport): void {
    const load = readLoad(report.load ?? {});
    if ('fault' in load) this.#violation(load.fault);
    else this.load = { ...load, report: (this.load?.report ?? 0) + 1 };
  }

  #withOwner<T extends { requestId?: string | null }>(
    request: T,
    act: (request: T, owner: string) => void,
  ): void {
    const owner = this.#ownerOf(request.requestId);
    this.#owners.add(owner);
    if (this.#owners.size > MAX_REQUESTS) this.#violation(`more than ${MAX_REQUESTS} requests`);
    else act(request, owner);
  }

  #ownerOf(requestId: string | null | undefined): string {
    return `${this.#options.name}/${requestId ?? ''}`;
  }

  #release({ requestId, pages }: baton.v1.IReleasePages): void {
    const owner = this.#ownerOf(requestId);
    for (const page of pages ?? []) this.#options.incarnation.pages.release(page, owner);
  }

  /** Leases what is held, grants pages for the rest: all of it or nothing. */
  #reserve(request: baton.v1.IReserveRequest, owner: string): void {
    const { incarnation, now } = this.#options;
    const { pages, handovers } = incarnation;
    const requestId = request.requestId ?? '';
    const planId = request.planId ?? '';
    const keys = hexKeys(request.keys);
    const lacking = keys.filter((key) => pages.find(key) === undefined);
    const handover = handovers.announce(planId, lacking, now());
    const leaseOwner = handover?.owner ?? owner;
    for (const key of keys) {
      const page = pages.find(key);
      if (page !== undefined) pages.hold(page, leaseOwner);
    }
    const wanted = request.tail ? [...lacking, undefined] : lacking;
    const isOver = planId !== '' && !handover;
    const granted = isOver ? undefined : pages.reserve(owner, wanted);
    if (!granted) {
      pages.releaseAll(leaseOwner);
      const message = `no room for ${wanted.length} pages`;
      if (handover) handovers.fail(planId, { code: 'arena_full', message }, now());
      this.send({ reserved: { requestId, refused: true } });
      return;
    }
    for (const page of granted) pages.startWrite(page, owner);
    const pageOf = new Map(lacking.map((key, i) => [key, granted[i]]));
    this.send({
      reserved: {
        requestId,
        pages: keys.map((key) => pageOf.get(key) ?? HELD_ALREADY),
        tailPage: request.tail ? (granted.at(-1) ?? 0) : 0,
      },
    });
  }

  #commit(commit: baton.v1.ICommitSegment): void {
    const { incarnation } = this.#options;
    const { pages, handovers, exports } = incarnation;
    const requestId = commit.requestId ?? '';
    const page = commit.page ?? -1;
    const bytes = commit.bytes ?? 0;
    const [key = ''] = hexKeys(commit.key);
    const payload = { bytes, checksum: commit.checksum ?? 0 };
    if (pages.keyOf(page) !== key || bytes < 1 || bytes > incarnation.pageBytes) {
      return this.#violation(`CommitSegment for page ${page} does not fit what was granted`);
    }
    if (exports.isExport(requestId)) {
      if (!exports.commit(requestId, key, page, payload)) {
        return this.#violation(`page ${page} was not granted to ${requestId}`);
      }
    } else {
      const held = pages.commit(page, this.#ownerOf(requestId), payload);
      if (held === undefined) return this.#violation(`page ${page} was not granted`);
      const handover = handovers.get(commit.planId ?? '');
      if (handover && !handover.failure) pages.hold(held, handover.owner);
      handovers.committed(commit.planId ?? '', key);
    }
    incarnation.copied.exportedBytes += bytes;
    incarnation.loads.advanceAll();
  }

  #handoverReady(ready: baton.v1.IHandoverReady): void {
    const { incarnation, now } = this.#options;
    const { pages, handovers } = incarnation;
    const planId = ready.planId ?? '';
    const { tail } = ready;
    const state = tail?.state;
    if (!tail || !state) return this.#violation('HandoverReady.tail.state is missing');
    const bytes = tail.bytes ?? 0;
    const checksum = tail.checksum ?? 0;
    const owner = this.#ownerOf(ready.requestId);
    let page: number | undefined;
    if (bytes > 0) {
      page = pages.commit(tail.page ?? -1, owner, { bytes, checksum });
      if (page === undefined || bytes > incarnation.pageBytes) {
        return this.#violation(`HandoverReady for page ${tail.page} does not fit what was granted`);
      }
      incarnation.copied.exportedBytes += bytes;
    }
    const encoded = baton.v1.SequenceState.encode(state).finish();
    const handover = handovers.get(planId);
    const isWanted = handover !== undefined && !handover.failure;
    if (page !== undefined) {
      if (isWanted) pages.hold(page, handover.owner);
      pages.release(page, owner);
    }
    if (isWanted) handovers.ready(planId, { page, bytes, checksum, state: encoded }, now());
  }

  #damaged(damaged: baton.v1.IDamagedPage): void {
    const { incarnation, log } = this.#options;
    const { pages } = incarnation;
    const page = damaged.page ?? -1;
    const [key = ''] = hexKeys(damaged.key);
    // Another one may hold the segment by now.
    if (pages.keyOf(page) !== key || pages.payload(page) === undefined) return;
    log.warn(
      { event: 'page_damaged', key, page },
      `page ${page} does not hold what was put into it`,
    );
    pages.discard(page);
  }

  #ended(ended: baton.v1.IRequestEnded): void {
    const { incarnation, now } = this.#options;
    const { pages, handovers, arrivals, loads, tokens } = incarnation;
    const owner = this.#ownerOf(ended.requestId);
    const planId = ended.planId ?? '';
    const outcome = ended.outcome ?? '';
    loads.forget(ended.requestId ?? '');
    this.#loadSpans.ended(ended.requestId ?? '');
    pages.abandonAll(owner);
    pages.releaseAll(owner);
    this.#owners.delete(owner);
    if (outcome === 'finished') {
      tokens.reused += ended.reusedTokens ?? 0;
      tokens.transferred += ended.transferredTokens ?? 0;
      tokens.computed += ended.computedTokens ?? 0;
    }
    if (planId === '') return;
    if (ended.leg === 'prefill') handovers.prefillEnded(planId, outcome, now());
    if (outcome === 'failed') {
      arrivals.stopTransfers(planId, 'the request failed');
      arrivals.release(planId);
    } else {
      arrivals.remove(planId, `the request ${outcome}`);
    }
  }

  #violation(message: string): void {
    this.#options.log.error({ event: 'engine_violation' }, message);
    this.link.close(message);
  }
}
