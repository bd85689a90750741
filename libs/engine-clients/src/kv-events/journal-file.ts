import { open, rename, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';

/** What a journal needs of a disk. Whatever fails rejects. */
export interface JournalFile {
  /** Fills the buffer from an offset on; fewer bytes only at the end. Resolves with how many. */
  read(into: Buffer, at: number): Promise<number>;
  /** At the end of the file. */
  append(bytes: Buffer): Promise<void>;
  /** Throws away what is behind so many bytes. */
  cut(bytes: number): Promise<void>;
  /** An empty file beside this one. */
  sibling(): Promise<JournalFile>;
  /** This file takes the place of the one that it is a sibling of, all at once. */
  takeOver(): Promise<void>;
  close(): Promise<void>;
  /** Closes it and takes it away. */
  remove(): Promise<void>;
}

/**
 * A journal's file on disk, made when it is not there. Nothing is synced: a process that dies loses nothing that it has
 * written, and when the machine dies the engine has died with it. Where it cannot be opened it is one that fails, so
 * that whoever writes counts that and tries a sibling later, as with a disk that is full.
 */
export async function openJournalFile(path: string): Promise<JournalFile> {
  try {
    return await DiskFile.open(path, path, 'a+');
  } catch (error) {
    return new UnopenedFile(path, error);
  }
}

class UnopenedFile implements JournalFile {
  readonly #path: string;
  readonly #fault: unknown;

  constructor(path: string, fault: unknown) {
    this.#path = path;
    this.#fault = fault;
  }

  read(): Promise<number> {
    return this.#fail();
  }

  append(): Promise<void> {
    return this.#fail();
  }

  cut(): Promise<void> {
    return this.#fail();
  }

  sibling(): Promise<JournalFile> {
    return DiskFile.openSibling(this.#path);
  }

  takeOver(): Promise<void> {
    return this.#fail();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  remove(): Promise<void> {
    return Promise.resolve();
  }

  async #fail(): Promise<never> {
    throw this.#fault;
  }
}

class DiskFile implements JournalFile {
  readonly #handle: FileHandle;
  readonly #home: string;
  #path: string;

  private constructor(handle: FileHandle, path: string, home: string) {
    this.#handle = handle;
    this.#path = path;
    this.#home = home;
  }

  static async open(path: string, home: string, flags: string): Promise<DiskFile> {
    return new DiskFile(await open(path, flags, 0o600), path, home);
  }

  static async openSibling(home: string): Promise<DiskFile> {
    const path = `${home}.new`;
    await rm(path, { force: true });
    return DiskFile.open(path, home, 'ax+');
  }

  async read(into: Buffer, at: number): Promise<number> {
    let filled = 0;
    while (filled < into.length) {
      const { bytesRead } = await this.#handle.read(
        into,
        filled,
        into.length - filled,
        at + filled,
      );
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return filled;
  }

  async append(bytes: Buffer): Promise<void> {
    // All at once: appendFile would make a turn of the event loop of each half MiB.
    for (let written = 0; written < bytes.length;) {
      written += (await this.#handle.write(bytes, written)).bytesWritten;
    }
  }

  async cut(bytes: number): Promise<void> {
    await this.#handle.truncate(bytes);
  }

  sibling(): Promise<JournalFile> {
    return DiskFile.openSibling(this.#home);
  }

  async takeOver(): Promise<void> {
    await rename(this.#path, this.#home);
    this.#path = this.#home;
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  async remove(): Promise<void> {
    await this.close();
    await rm(this.#path, { force: true });
  }
}
