import type { KvEventLog } from './kv-event-log.ts';
import type { JournalFile } from './journal-file.ts';
import { FRAME_HEADER_BYTES, frameBytes, FrameKind, writeFrame } from './journal-frames.ts';
import { JournalScan } from './journal-scan.ts';
import type { JournalEnd, JournalReader } from './journal-scan.ts';

export interface EventJournalOptions {
  file: JournalFile;
  /** What the batches mean: engine, tokenization, segment size, rank, dialect. With another one the journal is void. */
  identity: string;
  log: KvEventLog;
  now(): number;
  onClosed?: (() => void) | undefined;
  /** Batches of less than this are not worth a snapshot. */
  minLogBytes?: number | undefined;
}

const VERSION = 1;
const READ_BYTES = 1024 * 1024;
const FLUSH_MS = 100;
const FLUSH_BYTES = 256 * 1024;
/** Of batches that are not on disk yet; with more the disk does not keep up. */
const MAX_PENDING_BYTES = 64 * 1024 * 1024;
/** Batches are folded into a snapshot when they take more than this, and more than four times the last one. */
const MIN_LOG_BYTES = 64 * 1024 * 1024;
const LOG_PER_SNAPSHOT = 4;
/** With a larger snapshot the journal is given up. */
const MAX_SNAPSHOT_BYTES = 256 * 1024 * 1024;
/** A disk that has failed is tried again after this time. */
const RETRY_MS = 60_000;

/**
 * What an engine said, on disk: a snapshot and the batches after it. An engine cannot tell again what is beyond its
 * replay buffer; with this a process that has restarted asks only for what it missed.
 *
 * Batches are written some at a time, off the path of the events: the end of the journal may lag behind, and replay
 * brings the rest. A torn end is cut off; damage before the end of the snapshot makes all of it void. When the disk
 * fails the journal stops and everything else goes on; a whole new one is tried later. Bounded in size.
 */
export class EventJournal {
  /** Times that nothing more could be written. */
  failures = 0;
  readonly #options: EventJournalOptions;
  readonly #header: Buffer;
  #file: JournalFile;
  #filling = Buffer.allocUnsafeSlow(FLUSH_BYTES);
  #filled = 0;
  #spare: Buffer<ArrayBuffer> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #isWriting = false;
  #compacting: Promise<void> = Promise.resolve();
  /** Everything behind the header is to be thrown away before the next write. */
  #isVoid = false;
  /** Of batches, written or not. */
  #logBytes = 0;
  #snapshotBytes = 0;
  /** When a journal that has failed may be begun anew; undefined while it works. */
  #retryAtMs: number | undefined;
  #isClosed = false;

  constructor(options: EventJournalOptions) {
    this.#options = options;
    this.#file = options.file;
    const header = JSON.stringify({ version: VERSION, identity: options.identity });
    this.#header = frameBytes(FrameKind.HEADER, 0, Buffer.from(header));
  }

  /** True while what is appended gets to the disk. */
  get isWorking(): boolean {
    return this.#retryAtMs === undefined && !this.#isClosed;
  }

  /** It is time for {@link compact}. */
  get wantsCompaction(): boolean {
    if (this.#isClosed) return false;
    if (this.#retryAtMs !== undefined) return this.#options.now() >= this.#retryAtMs;
    const minLogBytes = this.#options.minLogBytes ?? MIN_LOG_BYTES;
    return this.#logBytes > Math.max(minLogBytes, LOG_PER_SNAPSHOT * this.#snapshotBytes);
  }

  /**
   * Reads everything; to be called once, first. Undefined when nothing of it is of use: the reader then forgets what
   * it was given.
   */
  async restore(reader: JournalReader): Promise<JournalEnd | undefined> {
    const scan = new JournalScan(this.#header, reader);
    try {
      await this.#read(scan);
      if (scan.end === undefined) await this.#begin();
      else await this.#file.cut(scan.goodBytes);
      this.#logBytes = scan.goodBytes - scan.snapshotBytes;
      this.#snapshotBytes = scan.snapshotBytes;
    } catch (error) {
      this.#fail(error);
      return undefined;
    }
    return scan.end;
  }

  /** Remembers a batch. */
  append(seq: number, digest: number, payload: Uint8Array): void {
    if (!this.isWorking) return;
    const end = this.#filled + FRAME_HEADER_BYTES + payload.length;
    if (this.#filled > 0 && end > MAX_PENDING_BYTES)
      return this.#fail(new Error('the disk is too slow'));
    if (end > this.#filling.length) this.#grow(end);
    writeFrame(this.#filling, this.#filled, { kind: FrameKind.BATCH, seq, digest, payload });
    this.#filled = end;
    this.#logBytes += FRAME_HEADER_BYTES + payload.length;
    if (end >= FLUSH_BYTES) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), FLUSH_MS);
  }

  /** What was remembered is void. */
  forget(): void {
    if (!this.isWorking) return;
    this.#filled = 0;
    this.#isVoid = true;
    this.#snapshotBytes = 0;
    this.#logBytes = 0;
    this.#flush();
  }

  /** Begins anew with everything that is known now, up to a batch. Nothing may be appended until it is over. */
  compact(chunks: Iterable<Uint8Array>, end: JournalEnd): Promise<void> {
    this.#dropPending();
    this.#compacting = this.#compact(chunks, end);
    return this.#compacting;
  }

  /** Resolves when everything is on disk. */
  async close(): Promise<void> {
    while (this.isWorking && (this.#isWriting || this.#isVoid || this.#filled > 0)) {
      this.#flush();
      await this.#writing;
    }
    this.#dropPending();
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#compacting;
    try {
      await this.#file.close();
    } catch (error) {
      this.#fail(error);
    }
    this.#options.onClosed?.();
  }

  async #compact(chunks: Iterable<Uint8Array>, end: JournalEnd): Promise<void> {
    try {
      await this.#writing;
      const next = await this.#file.sibling();
      try {
        const bytes = await this.#writeSnapshot(next, chunks, end);
        await next.takeOver();
        await this.#file.close();
        this.#file = next;
        this.#snapshotBytes = bytes;
        this.#logBytes = 0;
        this.#isVoid = false;
        this.#retryAtMs = undefined;
      } catch (error) {
        await next.remove();
        throw error;
      }
    } catch (error) {
      if (!this.#isClosed) this.#fail(error);
    }
  }

  async #read(scan: JournalScan): Promise<void> {
    let buffer = Buffer.allocUnsafeSlow(READ_BYTES);
    for (let at = 0; ;) {
      const length = await this.#file.read(buffer, at);
      const wanted = scan.take(buffer.subarray(0, length));
      if (wanted === undefined || length < buffer.length) return;
      at = scan.goodBytes;
      if (wanted > buffer.length) buffer = Buffer.allocUnsafeSlow(wanted);
    }
  }

  async #begin(): Promise<void> {
    await this.#file.cut(0);
    await this.#file.append(this.#header);
  }

  async #writeSnapshot(
    file: JournalFile,
    chunks: Iterable<Uint8Array>,
    end: JournalEnd,
  ): Promise<number> {
    let bytes = this.#header.length;
    await file.append(this.#header);
    for (const chunk of chunks) {
      if (this.#isClosed) throw new Error('closed while a snapshot was written');
      bytes += FRAME_HEADER_BYTES + chunk.length;
      if (bytes > MAX_SNAPSHOT_BYTES) throw new Error(`more than ${MAX_SNAPSHOT_BYTES} bytes`);
      await file.append(frameBytes(FrameKind.SNAPSHOT, end.seq, chunk));
    }
    const digest = Buffer.alloc(4);
    digest.writeUInt32LE(end.digest);
    await file.append(frameBytes(FrameKind.SNAPSHOT_END, end.seq, digest));
    return bytes;
  }

  #grow(bytes: number): void {
    const longer = Buffer.allocUnsafeSlow(Math.max(bytes, this.#filling.length * 2));
    this.#filling.copy(longer, 0, 0, this.#filled);
    this.#filling = longer;
  }

  #dropPending(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#filled = 0;
  }

  /** One write at a time; what comes meanwhile goes with the next one. */
  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isWriting || !this.isWorking) return;
    if (this.#filled === 0 && !this.#isVoid) return;
    this.#isWriting = true;
    this.#writing = this.#write().then(
      () => {
        this.#isWriting = false;
        this.#flush();
      },
      (error: unknown) => {
        this.#isWriting = false;
        this.#fail(error);
      },
    );
  }

  async #write(): Promise<void> {
    const full = this.#filling;
    const length = this.#filled;
    this.#filling = this.#spare ?? Buffer.allocUnsafeSlow(FLUSH_BYTES);
    this.#spare = undefined;
    this.#filled = 0;
    if (this.#isVoid) {
      this.#isVoid = false;
      await this.#file.cut(this.#header.length);
    }
    if (length > 0) await this.#file.append(full.subarray(0, length));
    if (full.length <= 2 * FLUSH_BYTES) this.#spare = full;
  }

  /** What is on disk stays: it is a beginning of the truth, and replay or a reset follows it. */
  #fail(error: unknown): void {
    this.#dropPending();
    this.#retryAtMs = this.#options.now() + RETRY_MS;
    this.failures += 1;
    const reason = error instanceof Error ? error.message : String(error);
    const { log, identity } = this.#options;
    log.warn(
      { event: 'kv_journal_failed', reason, identity },
      `no journal of KV events: ${reason}`,
    );
  }
}
