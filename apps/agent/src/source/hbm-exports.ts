import { randomUUID } from 'node:crypto';
import type { baton } from '@baton/proto';
import type { PagePayload, PageStore } from '@baton/tier-store';
import { EXPORT_TIMEOUT_MS, MAX_EXPORT_SEGMENTS, MAX_EXPORTS } from '../core/agent-limits.ts';
import { packHex } from '../core/packed-keys.ts';

export interface HbmExportsOptions {
  pages: PageStore;
  /** True when the engine's own cache has the segment. */
  inHbm(key: string): boolean;
  send(message: baton.v1.IAgentMessage): boolean;
  onChange(): void;
  now(): number;
}

interface Export {
  keys: Set<string>;
  deadlineMs: number;
}

/** Asks the engine for segments that only its own cache holds, when another agent pulls them. */
export class HbmExports {
  readonly #options: HbmExportsOptions;
  readonly #running = new Map<string, Export>();
  readonly #awaited = new Map<string, string>();
  /** No client can choose a request id that looks like one of an export. */
  readonly #prefix = `export-${randomUUID()}`;
  #count = 0;

  constructor(options: HbmExportsOptions) {
    this.#options = options;
  }

  /** True while the engine may still deliver the segment. */
  isAwaited(key: string): boolean {
    return this.#awaited.has(key);
  }

  /** Asks for as many of the leading keys as it makes sense to ask for now. */
  want(keys: readonly string[]): void {
    const { pages, inHbm, send, now } = this.#options;
    const wanted: string[] = [];
    for (const key of keys) {
      if (pages.find(key) !== undefined || this.#awaited.has(key)) continue;
      if (!inHbm(key) || wanted.length >= MAX_EXPORT_SEGMENTS) break;
      wanted.push(key);
    }
    if (wanted.length === 0 || this.#running.size >= MAX_EXPORTS) return;
    this.#count += 1;
    const exportId = `${this.#prefix}-${this.#count}`;
    const reserved = pages.reserve(exportId, wanted);
    if (!reserved) return;
    for (const page of reserved) pages.startWrite(page, exportId);
    if (!send({ export: { exportId, keys: packHex(wanted), pages: reserved } })) {
      pages.abandonAll(exportId);
      return;
    }
    const deadlineMs = now() + EXPORT_TIMEOUT_MS;
    this.#running.set(exportId, { keys: new Set(wanted), deadlineMs });
    for (const key of wanted) this.#awaited.set(key, exportId);
  }

  isExport(requestId: string): boolean {
    return this.#running.has(requestId);
  }

  /** The engine has filled a page. False when it is none that it was asked to fill. */
  commit(exportId: string, key: string, page: number, payload: PagePayload): boolean {
    if (this.#options.pages.commit(page, exportId, payload) === undefined) return false;
    this.#forget(exportId, key);
    this.#options.onChange();
    return true;
  }

  /** The engine will write no more pages of this export. */
  ended(exportId: string): void {
    const ended = this.#running.get(exportId);
    if (!ended) return;
    for (const key of ended.keys) this.#forget(exportId, key);
    this.#running.delete(exportId);
    this.#options.pages.abandonAll(exportId);
    this.#options.onChange();
  }

  /** The link is gone: owners of pages that the engine may still be writing. */
  engineLost(): string[] {
    const owners = [...this.#running.keys()];
    this.#running.clear();
    this.#awaited.clear();
    this.#options.onChange();
    return owners;
  }

  /** Nobody waits for an engine that takes too long; its pages stay with it until it is done. */
  expire(nowMs: number): void {
    for (const [exportId, { keys, deadlineMs }] of this.#running) {
      if (deadlineMs > nowMs) continue;
      for (const key of keys) this.#forget(exportId, key);
    }
  }

  #forget(exportId: string, key: string): void {
    this.#running.get(exportId)?.keys.delete(key);
    if (this.#awaited.get(key) === exportId) this.#awaited.delete(key);
  }
}
