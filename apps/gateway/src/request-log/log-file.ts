import { createFile, openLog, type LogHandle, type OpenedLog } from './open-log.ts';

export interface LogFileOptions {
  path: string;
  /** Size that the file does not exceed, bytes. */
  maxBytes: number;
  /** Lines that the disk has not taken yet, bytes. */
  maxPendingBytes: number;
  /** After a failure. */
  retryMs: number;
  tell: (news: LogFileNews) => void;
  /** The file, where it was opened before; else that is tried here, again and again. */
  opened?: OpenedLog | undefined;
  /** Opens a file that is not there yet. Default: the real file system's. */
  create?: (path: string) => Promise<LogHandle>;
}

export type LogFileNews =
  | { kind: 'opened'; path: string }
  | { kind: 'failing'; error: unknown }
  | { kind: 'recovered' }
  | { kind: 'full'; sizeBytes: number };

/** `waiting` for the file to be opened; `failing` while the disk refuses; `full` and `closed` are for good. */
export type LogFileState = 'waiting' | 'recording' | 'failing' | 'full' | 'closed';

/** Of one write. */
const MAX_BATCH_BYTES = 1024 * 1024;

/**
 * Whole lines behind one another in a file of a limited size. Nobody waits for the disk: lines are kept for a while, and
 * left out when it takes them too slowly or not at all. What a failed write has left of a line is cut off.
 */
export class LogFile {
  readonly #options: LogFileOptions;
  readonly #create: (path: string) => Promise<LogHandle>;
  #state: LogFileState = 'waiting';
  #handle: LogHandle | undefined;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #sizeBytes = 0;
  #lines = 0;
  #refusedBySize = 0;
  #refusedByDisk = 0;
  /** There may be a piece of a line behind the whole ones. */
  #isTorn = false;
  #draining: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: LogFileOptions) {
    this.#options = options;
    this.#create = options.create ?? createFile;
    if (options.opened !== undefined) this.#handle = this.#take(options.opened);
    this.#drainSoon();
  }

  get state(): LogFileState {
    return this.#state;
  }

  /** Of whole lines in the file. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  get lines(): number {
    return this.#lines;
  }

  /** Lines that were left out, by why. */
  get leftOut(): { size: number; disk: number } {
    return { size: this.#refusedBySize, disk: this.#refusedByDisk };
  }

  /** @param line without its end */
  append(line: string): void {
    if (this.#state === 'full') this.#refusedBySize += 1;
    else if (this.#state !== 'closed') this.#keep(Buffer.from(`${line}\n`));
  }

  /** Writes what is left, as far as that can be done within the time, and lets go of the file. */
  async close(limitMs: number): Promise<void> {
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, limitMs);
    await Promise.race([this.#finish(), over]);
    clearTimeout(timer);
    clearTimeout(this.#timer);
    this.#state = 'closed';
  }

  async #finish(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#draining;
    if (this.#state !== 'full') await this.#drain();
    await this.#letGo();
  }

  #keep(line: Buffer): void {
    if (this.#pendingBytes + line.length > this.#options.maxPendingBytes) {
      this.#refusedByDisk += 1;
      return;
    }
    this.#pending.push(line);
    this.#pendingBytes += line.length;
    this.#drainSoon();
  }

  /** While it drains, and while the disk has a rest after a failure, lines wait. */
  #drainSoon(): void {
    if (this.#draining !== undefined || this.#timer !== undefined) return;
    this.#draining = this.#drain().finally(() => {
      this.#draining = undefined;
      if (this.#pending.length > 0 && this.#state === 'recording') this.#drainSoon();
    });
  }

  /** Never rejects. */
  async #drain(): Promise<void> {
    try {
      this.#handle ??= this.#take(await openLog(this.#options.path, this.#create));
      await this.#cutTorn();
      while (this.#pending.length > 0 && this.#state !== 'full')
        await this.#writeSome(this.#handle);
      if (this.#state === 'failing') this.#options.tell({ kind: 'recovered' });
      if (this.#state !== 'full') this.#state = 'recording';
    } catch (error) {
      if (this.#state !== 'failing') this.#options.tell({ kind: 'failing', error });
      this.#state = 'failing';
      // Somebody may be reading; if this fails as well, the next try begins with it.
      await this.#cutTorn().catch(() => undefined);
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        this.#drainSoon();
      }, this.#options.retryMs).unref();
    }
  }

  #take({ path, handle }: OpenedLog): LogHandle {
    this.#options.tell({ kind: 'opened', path });
    return handle;
  }

  async #writeSome(handle: LogHandle): Promise<void> {
    let count = 0;
    let bytes = 0;
    const room = this.#options.maxBytes - this.#sizeBytes;
    for (const { length } of this.#pending) {
      if (bytes + length > room) break;
      if (count > 0 && bytes + length > MAX_BATCH_BYTES) break;
      count += 1;
      bytes += length;
    }
    if (count === 0) return this.#stopAtSize();
    const batch = Buffer.concat(this.#pending.slice(0, count), bytes);
    this.#isTorn = true;
    for (let done = 0; done < bytes;) {
      const at = this.#sizeBytes + done;
      const { bytesWritten } = await handle.write(batch, done, bytes - done, at);
      if (bytesWritten === 0) throw new Error('nothing was written');
      done += bytesWritten;
    }
    this.#isTorn = false;
    this.#sizeBytes += bytes;
    this.#lines += count;
    this.#pending.splice(0, count);
    this.#pendingBytes -= bytes;
  }

  /** A failed write may have left a piece of a line behind the whole ones. */
  async #cutTorn(): Promise<void> {
    if (this.#isTorn) await this.#handle?.truncate(this.#sizeBytes);
    this.#isTorn = false;
  }

  async #stopAtSize(): Promise<void> {
    this.#state = 'full';
    this.#refusedBySize += this.#pending.length;
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#options.tell({ kind: 'full', sizeBytes: this.#sizeBytes });
    await this.#letGo();
  }

  async #letGo(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    // Whatever closing says, nothing more can be done about it.
    await handle?.close().catch(() => undefined);
  }
}
