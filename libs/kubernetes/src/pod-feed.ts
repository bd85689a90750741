import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { apiJson, apiStream, type ApiGet } from './api-get.ts';
import { ApiFault } from './api-fault.ts';
import type { ClusterAccess, ClusterAccessSource } from './cluster-access.ts';
import { jsonLines } from './json-lines.ts';
import { podSchema, type Pod } from './pod.ts';

/** More than any fleet has that one conductor drives. */
const MAX_PODS = 4_096;
const PAGE_PODS = 250;
const PAGE_LIMIT_BYTES = 64 * 1024 * 1024;
/** etcd keeps objects of up to 1.5 MiB. */
const EVENT_LIMIT_CHARS = 4 * 1024 * 1024;
const LIST_MS = 60_000;
/** The server ends a watch after this time, and all is listed again: whatever was missed is found then. */
const WATCH_SEC = 300;
const GONE = 410;

export interface FeedTiming {
  /** Longest wait for the beginning of an answer. */
  answerMs: number;
  /** A watch on which nothing comes for so long is lost; a server sends a bookmark every minute, while pods change. */
  silenceMs: number;
  /** Of the first pause after a fault; each one after it is twice as long. */
  firstPauseMs: number;
  maxPauseMs: number;
  /** A watch that lived so long was none that failed. */
  steadyMs: number;
}

export const defaultTiming: FeedTiming = {
  answerMs: 30_000,
  silenceMs: 100_000,
  firstPauseMs: 500,
  maxPauseMs: 10_000,
  steadyMs: 5_000,
};

export interface PodFeedOptions {
  access: ClusterAccessSource;
  /** Undefined: that of the access. */
  namespace: string | undefined;
  selector: string;
  timing: FeedTiming;
  /** Pods or `problem` have changed. */
  onChange: () => void;
  signal: AbortSignal;
}

const listSchema = z.object({
  metadata: z.object({ resourceVersion: z.string().min(1), continue: z.string().optional() }),
  items: z.array(podSchema),
});
const eventSchema = z.object({ type: z.string(), object: z.unknown() });
const statusSchema = z.object({ code: z.int().optional(), message: z.string().optional() });

/**
 * All pods of a selector, as they are now: a list, and what a watch says after it. A watch that ends, breaks or falls
 * behind is followed by another list, and what that lacks is gone.
 */
export class PodFeed {
  /** By uid; replaced as a whole by a list. */
  pods: ReadonlyMap<string, Pod> = new Map();
  /** Whether there was a list. */
  isListed = false;
  /** Why nothing is heard of pods; undefined while it is. What was known stays. */
  problem: ApiFault | undefined;
  namespace: string | undefined;
  readonly #options: PodFeedOptions;

  constructor(options: PodFeedOptions) {
    this.#options = options;
    this.namespace = options.namespace;
  }

  /** Until the signal is aborted; never rejects. */
  async run(): Promise<void> {
    const { signal, timing } = this.#options;
    const { firstPauseMs, maxPauseMs, steadyMs } = timing;
    let failures = 0;
    while (!signal.aborted) {
      let watchedMs = 0;
      try {
        watchedMs = await this.#round();
      } catch (error) {
        if (signal.aborted) return;
        const isOurs = error instanceof ApiFault;
        this.#said(isOurs ? error : new ApiFault(messageOf(error), undefined, error));
      }
      failures = watchedMs >= steadyMs ? 0 : failures + 1;
      const longestMs = Math.min(maxPauseMs, firstPauseMs * 2 ** (failures - 1));
      await delay(longestMs * (0.5 + Math.random() / 2), undefined, { signal, ref: false }).catch(
        () => undefined,
      );
    }
  }

  /** One list and the watch after it. @returns how long the watch lasted, ms */
  async #round(): Promise<number> {
    const { access: source, selector, signal, timing } = this.#options;
    const access = await source.open(signal);
    const namespace = this.#options.namespace ?? access.namespace ?? 'default';
    this.namespace = namespace;
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`;
    const query = { labelSelector: selector };
    const get = { access, path, query, answerMs: timing.answerMs };
    const { pods, version } = await this.#list(get);
    this.pods = pods;
    this.isListed = true;
    this.#options.onChange();
    return this.#watch(get, new Map(pods), version);
  }

  /** Without a version of its own a list is what etcd has now, not what a server remembers. */
  async #list(get: Omit<ApiGet, 'signal'>): Promise<{ pods: Map<string, Pod>; version: string }> {
    const signal = AbortSignal.any([this.#options.signal, AbortSignal.timeout(LIST_MS)]);
    const pods = new Map<string, Pod>();
    let next = '';
    do {
      const query = { ...get.query, limit: String(PAGE_PODS), ...(next && { continue: next }) };
      const page = listSchema.safeParse(await apiJson({ ...get, query, signal }, PAGE_LIMIT_BYTES));
      if (!page.success) throw unreadable(get.access, 'list', page.error);
      for (const pod of page.data.items) pods.set(pod.metadata.uid, pod);
      requireRoom(pods);
      next = page.data.metadata.continue ?? '';
      if (next === '') return { pods, version: page.data.metadata.resourceVersion };
    } while (!signal.aborted);
    throw new ApiFault(`${get.access.server.host}: no list in ${LIST_MS / 1000} s`);
  }

  async #watch(
    get: Omit<ApiGet, 'signal'>,
    pods: Map<string, Pod>,
    version: string,
  ): Promise<number> {
    const { signal, timing } = this.#options;
    const lost = new AbortController();
    const timer = setTimeout(() => lost.abort(), timing.silenceMs);
    const query = {
      ...get.query,
      ...{ watch: 'true', allowWatchBookmarks: 'true', resourceVersion: version },
      timeoutSeconds: String(WATCH_SEC),
    };
    const beganAtMs = performance.now();
    try {
      const ending = AbortSignal.any([signal, lost.signal]);
      const stream = await apiStream({ ...get, query, signal: ending });
      this.#said(undefined);
      for await (const line of jsonLines(stream, EVENT_LIMIT_CHARS)) {
        timer.refresh();
        if (signal.aborted || !this.#heard(get.access, line, pods)) break;
      }
    } catch (error) {
      const isMalformed = error instanceof SyntaxError || error instanceof RangeError;
      if (isMalformed) throw new ApiFault(`watch: ${error.message}`, undefined, error);
      const isBehind = error instanceof ApiFault && error.status === GONE;
      // Cut, silent or behind: the next list tells what was missed.
      if (!isCut(error) && !lost.signal.aborted && !isBehind) throw error;
    } finally {
      clearTimeout(timer);
      lost.abort();
    }
    return performance.now() - beganAtMs;
  }

  /** @returns false when the watch is behind and ends. @throws ApiFault when it cannot be read or reports a fault */
  #heard(access: ClusterAccess, line: unknown, pods: Map<string, Pod>): boolean {
    const event = eventSchema.safeParse(line);
    if (!event.success) throw unreadable(access, 'watch event', event.error);
    const { type, object } = event.data;
    if (type === 'BOOKMARK') return true;
    if (type === 'ERROR') {
      const { code, message = '' } = statusSchema.catch({}).parse(object);
      if (code === GONE) return false;
      throw new ApiFault(`${access.server.host}: watch: ${code ?? ''} ${message}`, code);
    }
    const pod = podSchema.safeParse(object);
    if (!pod.success) throw unreadable(access, `pod of a ${type} event`, pod.error);
    if (type === 'DELETED') pods.delete(pod.data.metadata.uid);
    else pods.set(pod.data.metadata.uid, pod.data);
    requireRoom(pods);
    this.pods = pods;
    this.#options.onChange();
    return true;
  }

  #said(problem: ApiFault | undefined): void {
    if (problem === undefined && this.problem === undefined) return;
    this.problem = problem;
    this.#options.onChange();
  }
}

function requireRoom(pods: ReadonlyMap<string, Pod>): void {
  if (pods.size > MAX_PODS) throw new ApiFault(`more than ${MAX_PODS} pods match the selector`);
}

function unreadable({ server }: ClusterAccess, what: string, error: z.ZodError): ApiFault {
  const [issue] = error.issues;
  const where = issue?.path.join('.') ?? '';
  return new ApiFault(`${server.host}: its ${what} cannot be read: ${where}: ${issue?.message}`);
}

/** Faults of a connection have a code, faults of whoever is told have none. */
function isCut(error: unknown): boolean {
  return error instanceof Error && 'code' in error;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
