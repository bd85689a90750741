import type { JournalFile } from '../kv-events/journal-file.ts';

/** A disk that holds one journal, and as many bytes as a test allows. */
export class MemoryDisk {
  /** The journal, as a process that starts later would find it. */
  content = Buffer.alloc(0);
  /** Bytes that fit, of all files together. */
  capacity = Infinity;
  /** Files that are open. */
  open = 0;
  appends = 0;
  /** What is appended to a sibling waits for this. */
  siblingGate: Promise<void> = Promise.resolve();
  #siblingBytes = 0;

  file(): JournalFile {
    return new MemoryFile(this, undefined);
  }

  /** @throws Error as a full disk does, after what still fits. */
  room(wanted: number): void {
    if (this.content.length + this.#siblingBytes + wanted > this.capacity) {
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    }
  }

  siblingHas(bytes: number): void {
    this.#siblingBytes = bytes;
  }
}

class MemoryFile implements JournalFile {
  readonly #disk: MemoryDisk;
  /** Undefined for the file that is the journal. */
  #aside: Buffer<ArrayBuffer> | undefined;

  constructor(disk: MemoryDisk, aside: Buffer<ArrayBuffer> | undefined) {
    this.#disk = disk;
    this.#aside = aside;
    disk.open += 1;
  }

  get #bytes(): Buffer<ArrayBuffer> {
    return this.#aside ?? this.#disk.content;
  }

  set #bytes(bytes: Buffer<ArrayBuffer>) {
    if (this.#aside === undefined) this.#disk.content = bytes;
    else {
      this.#aside = bytes;
      this.#disk.siblingHas(bytes.length);
    }
  }

  read(into: Buffer, at: number): Promise<number> {
    const bytes = this.#bytes;
    return Promise.resolve(at < bytes.length ? bytes.copy(into, 0, at) : 0);
  }

  async append(bytes: Buffer): Promise<void> {
    if (this.#aside !== undefined) await this.#disk.siblingGate;
    return this.#try(() => {
      this.#disk.appends += 1;
      const fits = this.#disk.capacity - this.#disk.content.length - (this.#aside?.length ?? 0);
      const written = bytes.subarray(0, Math.max(Math.min(bytes.length, fits), 0));
      const isWhole = written.length === bytes.length;
      if (isWhole) this.#disk.room(bytes.length);
      this.#bytes = Buffer.concat([this.#bytes, written]);
      if (!isWhole) this.#disk.room(bytes.length);
    });
  }

  cut(bytes: number): Promise<void> {
    return this.#try(() => void (this.#bytes = Buffer.from(this.#bytes.subarray(0, bytes))));
  }

  sibling(): Promise<JournalFile> {
    return Promise.resolve(new MemoryFile(this.#disk, Buffer.alloc(0)));
  }

  takeOver(): Promise<void> {
    return this.#try(() => {
      this.#disk.content = this.#bytes;
      this.#aside = undefined;
      this.#disk.siblingHas(0);
    });
  }

  close(): Promise<void> {
    return this.#try(() => void (this.#disk.open -= 1));
  }

  async remove(): Promise<void> {
    await this.close();
    this.#disk.siblingHas(0);
  }

  #try(act: () => void): Promise<void> {
    return Promise.resolve().then(act);
  }
}
