import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { EventJournals } from './cache-follower.ts';
import { EventJournal } from './event-journal.ts';
import { lockFolder } from './folder-lock.ts';
import type { KvEventLog } from './kv-event-log.ts';
import { openJournalFile } from './journal-file.ts';

const LOCK = 'lock';

/** The journals of one worker: a folder that one process has for itself. */
export class JournalFolder implements EventJournals {
  readonly #folder: string;
  readonly #log: KvEventLog;
  /** By name: when the last journal of this name is closed, the next one may be opened. */
  readonly #closed = new Map<string, Promise<void>>();

  private constructor(folder: string, log: KvEventLog) {
    this.#folder = folder;
    this.#log = log;
  }

  /** Of a folder that exists. Undefined, with the reason in the log, when it cannot be used. */
  static async open(folder: string, log: KvEventLog): Promise<JournalFolder | undefined> {
    try {
      await lockFolder(path.join(folder, LOCK));
      return new JournalFolder(folder, log);
    } catch (error) {
      noJournal(log, folder, error);
      return undefined;
    }
  }

  /** The journal of this name, whatever it holds; one that cannot be opened fails as on a disk that is full. */
  async journal(name: string, identity: string): Promise<EventJournal> {
    const before = this.#closed.get(name);
    const closed = Promise.withResolvers<void>();
    this.#closed.set(name, closed.promise);
    await before;
    return new EventJournal({
      file: await openJournalFile(path.join(this.#folder, `${name}.kvj`)),
      identity,
      log: this.#log,
      now: () => performance.now(),
      onClosed: () => closed.resolve(),
    });
  }

  /** Resolves when every journal is closed. Whoever opened them closes them. */
  async close(): Promise<void> {
    await Promise.all(this.#closed.values());
    await rm(path.join(this.#folder, LOCK), { force: true });
  }
}

function noJournal(log: KvEventLog, folder: string, error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  log.warn({ event: 'kv_journal_failed', folder, reason }, `no journal of KV events: ${reason}`);
}
