import { crc32 } from 'node:zlib';
import { connectAgent, HELD_ALREADY, LINK_WORD_MS } from '@baton/engine-link';
import type { AgentConnection } from '@baton/engine-link';
import type { CacheEvent } from '@baton/engine-protocols';
import { keyAt, keyHex, rootKey, SeededRandom, segmentKeys, unpackKeys } from '@baton/kv';
import { baton } from '@baton/proto';
import { openArena } from '@baton/tier-store';
import type { Arena } from '@baton/tier-store';
import { FakeKvEvents } from './fake-kv-events.ts';

export const SEGMENT_TOKENS = 64;
export const PAGE_BYTES = 10_000;
export const SEGMENT_BYTES = 9_001;
export const TOKENIZATION = 'test-tokens';

export interface LoadedSegment {
  index: number;
  page: number;
  bytes: number;
  transferred: boolean;
}

export interface LoadResult {
  segments: LoadedSegment[];
  status: baton.v1.LoadStatus;
  message: string;
  tail: baton.v1.ITail | undefined;
}

export interface Grant {
  /** Undefined for a segment that the agent holds already. */
  pages: (number | undefined)[];
  tailPage: number;
  refused: boolean;
}

/** A prompt with its keys. */
export function promptOf(seed: number, segments: number) {
  const tokens = Array.from({ length: segments * SEGMENT_TOKENS }, (_, i) => seed * 100_000 + i);
  const keys = segmentKeys(rootKey({ tokenization: TOKENIZATION }), tokens, SEGMENT_TOKENS);
  return { tokens, keys, hex: unpackKeys(keys).map(keyHex) };
}

/** What every engine computes for a key: whoever gets something else has been given garbage. */
function payloadOf(name: string, bytes: number): Uint8Array {
  return new SeededRandom(crc32(name)).bytes(bytes);
}

/**
 * An engine that computes nothing and is strict about everything else: it fills pages with bytes that follow from the
 * key, and complains when what it reads is not that, when a page it uses changes, or when it is given a page twice.
 */
export class FakeEngine {
  readonly problems: string[] = [];
  readonly closes: string[] = [];
  hello: baton.v1.IAgentHello | undefined;
  connection: AgentConnection;
  /** Keys that are exported on request. */
  readonly inHbm = new Set<string>();
  exportsAsked = 0;
  /** What it says of its load. */
  loadReport: baton.v1.ILoad = { runningSequences: 0 };
  /** How often the agent said that it is alive. */
  timesCalled = 0;
  answersExports = true;
  layoutVersion = '1';
  readonly #socketPath: string;
  readonly #abort = new AbortController();
  readonly #events: FakeKvEvents;
  readonly #loads = new Map<string, { keys: Uint8Array; result: LoadResult; done: () => void }>();
  readonly #grants = new Map<string, { tail: boolean; resolve: (grant: Grant) => void }>();
  /** Pages that this engine reads, with what must be in them. */
  readonly #reading = new Map<number, { expected: Uint8Array; requests: string[] }>();
  /** Pages that this engine writes, and for which request. */
  readonly #writing = new Map<number, string>();
  readonly #talk = setInterval(() => this.#report(), LINK_WORD_MS);
  #isHung = false;
  readonly #unread: baton.v1.AgentMessage[] = [];
  #arena: Arena | undefined;
  #pageBytes = 0;

  private constructor(socketPath: string, events: FakeKvEvents) {
    this.#socketPath = socketPath;
    this.#events = events;
    this.connection = undefined as never;
  }

  static async start(socketPath: string, layoutVersion = '1'): Promise<FakeEngine> {
    const engine = new FakeEngine(socketPath, await FakeKvEvents.open());
    engine.layoutVersion = layoutVersion;
    engine.connect();
    return engine;
  }

  /** As with SIGSTOP and SIGCONT: the link stays, nothing is said, what comes in is answered later. */
  hang(): void {
    this.#isHung = true;
  }

  goOn(): void {
    this.#isHung = false;
    this.#report();
    for (const message of this.#unread.splice(0)) this.#receive(message);
  }

  connect(): void {
    this.connection = connectAgent({
      socketPath: this.#socketPath,
      hello: () => this.helloMessage(),
      onHello: (hello) => this.#opened(hello),
      onMessage: (message) => this.#receive(message),
      onClose: (reason) => this.#closed(reason),
      signal: this.#abort.signal,
    });
  }

  helloMessage(): baton.v1.IEngineHello {
    return {
      worker: {
        model: 'fake',
        engine: 'llama',
        engineUrl: 'http://127.0.0.1:1',
        tokenization: TOKENIZATION,
        segmentTokens: SEGMENT_TOKENS,
        maxModelTokens: 8192,
        kvCapacityBlocks: 256,
        maxSequences: 8,
        layout: {
          modelRevision: 'rev',
          dtype: 'f32',
          layers: 2,
          ranks: 1,
          blockTokens: SEGMENT_TOKENS,
          connector: 'fake',
          connectorVersion: this.layoutVersion,
          bytesPerToken: 100,
          segmentBytes: SEGMENT_BYTES,
        },
        capabilities: { overlapHandover: true },
      },
      ...this.#events.endpoints,
      pageBytes: PAGE_BYTES,
    };
  }

  /** Says that segments entered the cache, as our engine does. */
  async store(prompt: { tokens: number[]; keys: Uint8Array }, from = 0): Promise<void> {
    const keys = unpackKeys(prompt.keys);
    for (const key of keys.slice(from)) this.inHbm.add(keyHex(key));
    await this.publish({
      type: 'BlockStored',
      blockHashes: keys.slice(from),
      parentBlockHash: from === 0 ? null : (keys[from - 1] ?? null),
      tokenIds: prompt.tokens.slice(from * SEGMENT_TOKENS),
      blockSize: SEGMENT_TOKENS,
      extraKeys: keys.slice(from).map(() => null),
    });
  }

  publish(event: CacheEvent): Promise<void> {
    return this.#events.publish(event);
  }

  /** Resolves at the end of the load; what it was given stays pinned until `end`. */
  load(request: baton.v1.ILoadRequest & { requestId: string }): Promise<LoadResult> {
    const result: LoadResult = { segments: [], status: 0, message: '', tail: undefined };
    return new Promise((resolve) => {
      const keys = request.keys ?? new Uint8Array();
      this.#loads.set(request.requestId, { keys, result, done: () => resolve(result) });
      const sent = this.connection.send({ loadSegments: { timeoutMs: 20_000, ...request } });
      if (!sent) this.#cut(request.requestId);
    });
  }

  reserve(requestId: string, planId: string, keys: Uint8Array, tail = true): Promise<Grant> {
    return new Promise((resolve) => {
      this.#grants.set(requestId, { tail, resolve });
      this.connection.send({ reserve: { requestId, planId, keys, tail } });
    });
  }

  commit(requestId: string, planId: string, key: Uint8Array, page: number): void {
    const { bytes, checksum } = this.#fill(page, payloadOf(keyHex(key), SEGMENT_BYTES));
    this.connection.send({ commit: { requestId, planId, key, page, bytes, checksum } });
  }

  ready(requestId: string, planId: string, tailPage: number, tailBytes: number): void {
    const filled = tailBytes > 0 ? this.#fill(tailPage, payloadOf(planId, tailBytes)) : undefined;
    this.connection.send({
      handoverReady: {
        requestId,
        planId,
        tail: {
          page: tailPage,
          bytes: tailBytes,
          checksum: filled?.checksum ?? 0,
          state: { promptTokens: tailBytes, outputTokenIds: [7], seed: 1 },
        },
      },
    });
  }

  end(requestId: string, planId: string, leg: string, outcome = 'finished'): void {
    for (const page of this.#reading.keys()) this.#stopReading(requestId, page);
    for (const [page, owner] of this.#writing) if (owner === requestId) this.#writing.delete(page);
    this.#loads.delete(requestId);
    this.connection.send({
      ended: { requestId, planId, leg, outcome, reusedTokens: 1, computedTokens: 2 },
    });
  }

  /** A whole prefill leg: reserve, commit each segment, tail, end. `pause` runs before each commit. */
  async prefill(
    planId: string,
    keys: Uint8Array,
    how: { tailBytes?: number; pause?: () => Promise<unknown>; requestId?: string } = {},
  ): Promise<Grant> {
    const requestId = how.requestId ?? `prefill-${planId}`;
    const tailBytes = how.tailBytes ?? 500;
    const grant = await this.reserve(requestId, planId, keys, tailBytes > 0);
    if (!grant.refused) {
      for (const [i, page] of grant.pages.entries()) {
        await how.pause?.();
        if (page !== undefined) this.commit(requestId, planId, keyAt(keys, i), page);
      }
      this.ready(requestId, planId, grant.tailPage, tailBytes);
    }
    this.end(requestId, planId, 'prefill');
    return grant;
  }

  /** As when the process is killed. */
  async kill(): Promise<void> {
    clearInterval(this.#talk);
    this.#abort.abort();
    this.connection.close();
    this.#events.close();
    this.#closed('killed');
    this.#arena?.close();
    this.#arena = undefined;
  }

  #fill(page: number, payload: Uint8Array): { bytes: number; checksum: number } {
    if (!this.#writing.delete(page)) this.problems.push(`wrote page ${page} without a grant`);
    this.#bytes(page, payload.length).set(payload);
    return { bytes: payload.length, checksum: crc32(payload) };
  }

  #bytes(page: number, bytes: number): Uint8Array {
    const start = page * this.#pageBytes;
    return (this.#arena?.bytes ?? new Uint8Array()).subarray(start, start + bytes);
  }

  #opened(hello: baton.v1.IAgentHello): void {
    this.#arena?.close();
    this.#arena = openArena({ path: hello.arenaPath ?? '', sizeBytes: hello.arenaBytes ?? 0 });
    this.#pageBytes = hello.pageBytes ?? 0;
    this.hello = hello;
    this.#report();
  }

  #report(): void {
    if (!this.#isHung) this.connection.send({ load: { load: this.loadReport } });
  }

  #closed(reason: string): void {
    this.closes.push(reason);
    this.hello = undefined;
    this.#reading.clear();
    this.#writing.clear();
    for (const requestId of [...this.#loads.keys()]) this.#cut(requestId);
    for (const { resolve } of this.#grants.values()) {
      resolve({ pages: [], tailPage: 0, refused: true });
    }
    this.#grants.clear();
  }

  #cut(requestId: string): void {
    const load = this.#loads.get(requestId);
    this.#loads.delete(requestId);
    if (load) load.result.message = 'link cut';
    load?.done();
  }

  #receive(message: baton.v1.AgentMessage): void {
    if (this.#isHung) this.#unread.push(message);
    else if (message.alive) this.timesCalled += 1;
    else if (message.segment) this.#segment(message.segment);
    else if (message.loadEnd) this.#loadEnd(message.loadEnd);
    else if (message.reserved) this.#reserved(message.reserved);
    else if (message.export) this.#export(message.export);
    else this.problems.push(`unexpected ${message.message}`);
  }

  #segment(segment: baton.v1.ISegmentLoaded): void {
    const load = this.#loads.get(segment.requestId ?? '');
    if (!load) return;
    const { index = 0, page = 0, bytes = 0 } = segment as LoadedSegment;
    if (index !== load.result.segments.length) this.problems.push(`segment ${index} out of order`);
    load.result.segments.push({ index, page, bytes, transferred: segment.transferred ?? false });
    if (bytes !== SEGMENT_BYTES) this.problems.push(`segment of ${bytes} bytes`);
    this.#startReading(segment.requestId ?? '', page, keyHex(keyAt(load.keys, index)), bytes);
  }

  #loadEnd(end: baton.v1.ILoadEnd): void {
    const requestId = end.requestId ?? '';
    const load = this.#loads.get(requestId);
    if (!load) return;
    this.#loads.delete(requestId);
    Object.assign(load.result, { status: end.status, message: end.message ?? '' });
    if (end.tail) {
      load.result.tail = end.tail;
      const { page, bytes } = end.tail;
      if (bytes) this.#startReading(requestId, page ?? 0, this.#tailName(requestId), bytes);
    }
    load.done();
  }

  /** Tests name the request of a decode leg after its plan: `decode-<plan>`. */
  #tailName(requestId: string): string {
    return requestId.replace(/^decode-/, '');
  }

  #reserved(reply: baton.v1.IReserveReply): void {
    const requestId = reply.requestId ?? '';
    const pages = (reply.pages ?? []).map((page) => (page === HELD_ALREADY ? undefined : page));
    const grant = this.#grants.get(requestId);
    const tailPage = reply.tailPage ?? 0;
    const refused = reply.refused ?? false;
    for (const page of pages) if (page !== undefined) this.#startWriting(page, requestId);
    if (grant?.tail && !refused) this.#startWriting(tailPage, requestId);
    grant?.resolve({ pages, tailPage, refused });
    this.#grants.delete(requestId);
  }

  #export(request: baton.v1.IExportRequest): void {
    this.exportsAsked += 1;
    if (!this.answersExports) return;
    const requestId = request.exportId ?? '';
    let exported = 0;
    for (const [i, key] of unpackKeys(request.keys ?? new Uint8Array()).entries()) {
      const page = request.pages?.[i] ?? -1;
      this.#startWriting(page, requestId);
      if (!this.inHbm.has(keyHex(key))) continue;
      this.commit(requestId, '', key, page);
      exported += 1;
    }
    for (const page of request.pages ?? []) this.#writing.delete(page);
    this.connection.send({ exportReply: { exportId: requestId, exported } });
  }

  #startWriting(page: number, requestId: string): void {
    if (this.#writing.has(page) || this.#reading.has(page)) {
      this.problems.push(`page ${page} granted while in use`);
    }
    this.#writing.set(page, requestId);
  }

  #startReading(requestId: string, page: number, name: string, bytes: number): void {
    if (this.#writing.has(page)) this.problems.push(`page ${page} to be read while written`);
    const expected = payloadOf(name, bytes);
    if (Buffer.compare(this.#bytes(page, bytes), expected) !== 0) {
      this.problems.push(`garbage in page ${page}`);
    }
    const reading = this.#reading.get(page) ?? { expected, requests: [] };
    reading.requests.push(requestId);
    this.#reading.set(page, reading);
  }

  #stopReading(requestId: string, page: number): void {
    const reading = this.#reading.get(page);
    const index = reading?.requests.indexOf(requestId) ?? -1;
    if (!reading || index < 0) return;
    if (Buffer.compare(this.#bytes(page, reading.expected.length), reading.expected) !== 0) {
      this.problems.push(`page ${page} changed while it was read`);
    }
    reading.requests.splice(index, 1);
    if (reading.requests.length === 0) this.#reading.delete(page);
  }
}
