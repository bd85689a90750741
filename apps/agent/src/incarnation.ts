import { randomInt } from 'node:crypto';
import type { EngineAccess, JournalFolder } from '@baton/engine-clients';
import type { EngineLink } from '@baton/engine-link';
import { BatonError, Tier } from '@baton/kv';
import type { baton } from '@baton/proto';
import type { Context } from '@baton/telemetry';
import { arenaFolders, PageStore, placeArena } from '@baton/tier-store';
import type { Arena } from '@baton/tier-store';
import { openTcpEngine } from '@baton/transfer-engines';
import type { TransferEngine } from '@baton/transfer-engines';
import { DeltaPublisher, EventCounts, type EngineAdapters } from '@baton/worker-knowledge';
import type { AgentLog } from './agent-log.ts';
import type { AgentConfig } from './config.ts';
import {
  ENGINE_QUARANTINE_MS,
  KEEP_ALIVES_PER_STALL,
  MAX_KEEP_ALIVE_MS,
} from './core/agent-limits.ts';
import { ArrivalBook } from './core/arrival-book.ts';
import { ChangeSignal } from './core/change-signal.ts';
import { arenaPageCount } from './core/engine-facts.ts';
import type { EngineFacts } from './core/engine-facts.ts';
import { HandoverBook } from './core/handover-book.ts';
import { LoadBook } from './core/load-book.ts';
import { EngineSession } from './engine-session.ts';
import { packHex } from './core/packed-keys.ts';
import { AgentSource } from './source/agent-source.ts';
import { HbmExports } from './source/hbm-exports.ts';
import { TransferRunner } from './transfers/transfer-runner.ts';

export interface IncarnationOptions {
  config: AgentConfig;
  /** To the engine's API. */
  access: EngineAccess;
  facts: EngineFacts;
  epoch: baton.v1.IEpoch;
  /** Where engines' events are remembered. */
  journals?: JournalFolder | undefined;
  log: AgentLog;
  publishDelta(delta: baton.v1.IKvDelta): void;
  publishResult(result: baton.v1.ITransferResult): void;
}

/** Bytes of payload at each place where they are copied; nothing else copies them. */
export interface CopyCounters {
  /** Engine's cache to arena page, by the engine. */
  exportedBytes: number;
  /** Arena page to socket, by the kernel. */
  sentBytes: number;
  /** Socket to arena page, by the kernel. */
  receivedBytes: number;
  /** Arena page to engine's cache, by the engine. */
  importedBytes: number;
}

const now = (): number => performance.now();

/**
 * Everything that lives and dies with one epoch: arena, books of what is held, expected and owed, transfers. Engines
 * come and go within it, as long as they speak the same KV layout.
 */
export class Incarnation {
  readonly epoch: baton.v1.IEpoch;
  readonly arenaPath: string;
  readonly pageBytes: number;
  readonly pages: PageStore;
  readonly deltas: DeltaPublisher;
  readonly handovers: HandoverBook;
  readonly arrivals: ArrivalBook;
  readonly loads: LoadBook;
  readonly exports: HbmExports;
  readonly copied = { exportedBytes: 0, importedBytes: 0 };
  /** Prompt tokens of legs that have finished here. */
  readonly tokens = { reused: 0, transferred: 0, computed: 0 };
  facts: EngineFacts;
  readonly #options: IncarnationOptions;
  readonly #arena: Arena;
  readonly #changes = new ChangeSignal();
  readonly #quarantines = new Set<NodeJS.Timeout>();
  #engine: TransferEngine | undefined;
  #runner: TransferRunner | undefined;
  #session: EngineSession | undefined;
  #sessionCount = 0;
  readonly #events = new EventCounts();

  private constructor(options: IncarnationOptions) {
    const { config, facts, epoch, log } = options;
    this.#options = options;
    this.epoch = epoch;
    this.facts = facts;
    this.pageBytes = facts.pageBytes;
    const pageCount = arenaPageCount(facts, config.dramBytes);
    const placed = openArena(config, facts.pageBytes, pageCount, log);
    this.arenaPath = placed.path;
    this.#arena = placed.arena;
    this.deltas = new DeltaPublisher({
      tiers: [Tier.HBM, Tier.DRAM],
      workerId: config.workerId,
      epoch,
      publish: options.publishDelta,
    });
    const { ledger } = this.deltas;
    const dram = { rank: 0, tier: Tier.DRAM, resumePoints: false };
    this.pages = new PageStore(pageCount, {
      stored: (key) => ledger.store(dram, packHex([key])),
      removed: (key) => ledger.remove(dram, packHex([key])),
    });
    const changed = (): void => this.#changes.notify();
    this.handovers = new HandoverBook(this.pages, changed);
    this.arrivals = new ArrivalBook(this.pages);
    const send = (message: baton.v1.IAgentMessage): boolean =>
      this.#session?.send(message) ?? false;
    this.loads = new LoadBook({
      pages: this.pages,
      arrivals: this.arrivals,
      send,
      isCancelled: (planId) => this.handovers.isCancelled(planId),
      onGiven: (bytes) => void (this.copied.importedBytes += bytes),
      now,
    });
    this.exports = new HbmExports({
      pages: this.pages,
      inHbm: (key) => this.#session?.isHung !== true && ledger.has(Tier.HBM, packHex([key])),
      send,
      onChange: changed,
      now,
    });
  }

  static async open(options: IncarnationOptions): Promise<Incarnation> {
    const opened = new Incarnation(options);
    try {
      await opened.#openTransfers();
      return opened;
    } catch (error) {
      opened.deltas.close();
      opened.#arena.close();
      throw error;
    }
  }

  get transferAddress(): string {
    return this.#engine?.address ?? '';
  }

  get session(): EngineSession | undefined {
    return this.#session;
  }

  /** True when an engine with these facts can go on where the last one stopped. */
  suits(facts: EngineFacts): boolean {
    return facts.identity === this.facts.identity && facts.pageBytes <= this.pageBytes;
  }

  /** A new engine, or the same one again. The one before is let go first. */
  attach(link: EngineLink, facts: EngineFacts, adapters: EngineAdapters): EngineSession {
    this.#session?.link.close('another engine has come');
    this.facts = { ...facts, pageBytes: this.pageBytes };
    this.#sessionCount += 1;
    const session = new EngineSession({
      link,
      name: `engine-${this.#sessionCount}`,
      workerId: this.#options.config.workerId,
      incarnation: this,
      adapters,
      settings: this.#options.config.events,
      access: this.#options.access,
      journals: this.#options.journals,
      log: this.#options.log,
      now,
    });
    this.#session = session;
    link.send({
      hello: {
        workerId: this.#options.config.workerId,
        epoch: this.epoch,
        arenaPath: this.arenaPath,
        arenaBytes: this.pages.pageCount * this.pageBytes,
        pageBytes: this.pageBytes,
        pageCount: this.pages.pageCount,
        tokenization: facts.tokenization,
      },
    });
    return session;
  }

  /** The engine of this session is gone: whoever waits for it hears so now, its pages are safe to reuse later. */
  detach(session: EngineSession): void {
    if (this.#session !== session) return;
    this.#session = undefined;
    this.#events.ended(session.eventCounters);
    session.close();
    this.loads.clear();
    const owners = [...session.owners, ...this.exports.engineLost()];
    this.arrivals.removeAll('the engine is gone');
    this.handovers.engineLost(now());
    const timer = setTimeout(() => {
      this.#quarantines.delete(timer);
      for (const owner of owners) {
        this.pages.abandonAll(owner);
        this.pages.releaseAll(owner);
      }
    }, ENGINE_QUARANTINE_MS);
    this.#quarantines.add(timer);
  }

  order(order: baton.v1.TransferOrder, context: Context): baton.v1.ITransferAck {
    if (!this.#session || !this.#runner) {
      return { accepted: false, code: 'engine_unavailable', message: 'the engine is not linked' };
    }
    return this.#runner.order(order, context);
  }

  /** Gives back everything that is held for a plan; what is being read or written follows when that is over. */
  cancelPlan(planId: string): void {
    this.handovers.cancel(planId);
    this.arrivals.remove(planId, 'the plan was cancelled');
    this.loads.cancelPlan(planId);
  }

  tick(): void {
    const nowMs = now();
    this.#session?.tick();
    this.handovers.expire(nowMs);
    this.arrivals.expire(nowMs, (planId) => this.loads.isInUse(planId));
    this.exports.expire(nowMs);
    this.#changes.notify();
    this.loads.advanceAll();
  }

  get copies(): CopyCounters {
    const { bytesIn = 0, bytesOut = 0 } = this.#engine?.counters ?? {};
    return { ...this.copied, sentBytes: bytesOut, receivedBytes: bytesIn };
  }

  /** Counters of a beat. */
  counters(): baton.v1.IAgentCounters {
    const transfers = this.#engine?.counters;
    const { pinned, reserved, writing, leases } = this.pages.counts;
    return {
      ...transfers,
      tokensReused: this.tokens.reused,
      tokensTransferred: this.tokens.transferred,
      tokensComputed: this.tokens.computed,
      ...this.#runner?.counts,
      pinnedPages: pinned + reserved + writing,
      leases,
      ...this.#events.now(this.#session?.eventCounters),
    };
  }

  /** Ends every transfer, then gives the arena back. */
  async close(): Promise<void> {
    this.#session?.link.close('the agent stops');
    for (const timer of this.#quarantines) clearTimeout(timer);
    await this.#engine?.close();
    await this.#runner?.idle();
    this.deltas.close();
    this.#arena.close();
  }

  async #openTransfers(): Promise<void> {
    const { config, facts, log, publishResult } = this.#options;
    const engine = await openTcpEngine({
      memory: { bytes: this.#arena.bytes, pageBytes: this.pageBytes },
      source: new AgentSource({
        pages: this.pages,
        handovers: this.handovers,
        exports: this.exports,
        changes: this.#changes,
        now,
      }),
      layout: facts.layoutDigest,
      host: config.transferHost,
      port: config.transferPort,
      advertisedAddress: config.transferAdvertise,
      limits: {
        maxStreams: config.transferStreams,
        stallMs: config.transferStallMs,
        // While a prefill computes, whoever pulls has to hear of it in time.
        keepAliveMs: Math.min(MAX_KEEP_ALIVE_MS, config.transferStallMs / KEEP_ALIVES_PER_STALL),
      },
      log,
    });
    this.#engine = engine;
    this.#runner = new TransferRunner({
      workerId: config.workerId,
      pages: this.pages,
      arrivals: this.arrivals,
      engine,
      isCancelled: (planId) => this.handovers.isCancelled(planId),
      publish: publishResult,
      log,
      onChange: () => {
        this.#changes.notify();
        this.loads.advanceAll();
      },
      now,
    });
  }
}

/** @throws BatonError config_invalid with the reason of each folder that was tried. */
function openArena(config: AgentConfig, pageBytes: number, pageCount: number, log: AgentLog) {
  try {
    return placeArena({
      folders: config.arenaFolder === undefined ? arenaFolders : [config.arenaFolder],
      name: `baton-arena-${config.workerId}-${process.pid}-${randomInt(2 ** 40)}`,
      pageBytes,
      pageCount,
      onSkipped: (folder, reason) =>
        log.warn({ event: 'arena_skipped', folder, reason }, `no arena in ${folder}: ${reason}`),
    });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const advice = 'make room there, or choose another --arena-folder or a smaller --dram-bytes';
    throw new BatonError('config_invalid', `${why}; ${advice}`, { cause });
  }
}
