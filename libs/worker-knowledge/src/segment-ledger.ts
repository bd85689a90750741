import { KEY_BYTES, viewOf } from '@baton/kv';
import type { Tier } from '@baton/kv';
import { KeySet } from './key-set.ts';
import type { LedgerOp, Place } from './ledger-op.ts';
import { PendingOps } from './pending-ops.ts';

export interface PlaceState extends Place {
  segments: number;
  /** XOR of all held keys. */
  xor: Uint8Array;
}

interface Book extends Place {
  held: KeySet;
}

/**
 * What this worker holds in which tier of which rank, and what of it has not been told yet. Sets, not counts. Count and
 * XOR are those of everything held, told or not; whoever publishes them drains first.
 */
export class SegmentLedger {
  readonly #books: Book[] = [];
  readonly #onChange: () => void;
  readonly #pending = new PendingOps();

  /** @param places what is accounted for from the start; more follow as they come. */
  constructor(places: readonly Place[], onChange: () => void) {
    for (const place of places) this.#book(place);
    this.#onChange = onChange;
  }

  /** Keys that have not been told yet. */
  get pendingKeys(): number {
    return this.#pending.keys;
  }

  /** True when any rank holds the segment in this tier. */
  has(tier: Tier, key: Uint8Array): boolean {
    const view = viewOf(key);
    return this.#books.some(
      (book) => book.tier === tier && !book.resumePoints && book.held.has(view, 0),
    );
  }

  /** @param keys packed; those that are held already change nothing. */
  store(place: Place, keys: Uint8Array): void {
    const book = this.#book(place);
    const view = viewOf(keys);
    for (let at = 0; at < keys.length; at += KEY_BYTES) {
      if (book.held.add(view, at)) this.#pending.append('store', book, keys, at);
    }
    this.#onChange();
  }

  /** @param keys packed; those that are not held change nothing. */
  remove(place: Place, keys: Uint8Array): void {
    const book = this.#book(place);
    const view = viewOf(keys);
    for (let at = 0; at < keys.length; at += KEY_BYTES) {
      if (book.held.remove(view, at)) this.#pending.append('remove', book, keys, at);
    }
    this.#onChange();
  }

  clear(place: Place): void {
    const book = this.#book(place);
    book.held.clear();
    this.#pending.clear(book);
    this.#onChange();
  }

  states(): PlaceState[] {
    return this.#books.map(({ rank, tier, resumePoints, held }) => ({
      rank,
      tier,
      resumePoints,
      segments: held.size,
      xor: held.xor,
    }));
  }

  /** Everything held now, as stores of at most so many keys each. */
  *contents(maxKeys: number): Generator<LedgerOp, void, undefined> {
    for (const { rank, tier, resumePoints, held } of this.#books) {
      for (const keys of held.pieces(maxKeys)) {
        yield { kind: 'store', rank, tier, resumePoints, keys };
      }
    }
  }

  /** What is to be told next, at most `maxKeys` keys; empty when everything is told. */
  drain(maxKeys: number): LedgerOp[] {
    return this.#pending.drain(maxKeys);
  }

  #book(place: Place): Book {
    for (const book of this.#books) if (isSame(book, place)) return book;
    const { rank, tier, resumePoints } = place;
    const book = { rank, tier, resumePoints, held: new KeySet() };
    this.#books.push(book);
    return book;
  }
}

function isSame(a: Place, b: Place): boolean {
  return a.rank === b.rank && a.tier === b.tier && a.resumePoints === b.resumePoints;
}
