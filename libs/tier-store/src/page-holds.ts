interface Hold {
  count: number;
  expiresAtMs: number;
}

/** Who keeps which page from being reused, and until when. An owner may hold a page several times. */
export class PageHolds {
  readonly #byOwner = new Map<string, Map<number, Hold>>();
  readonly #countOf: Uint32Array;
  #pinnedPages = 0;
  #leases = 0;

  constructor(pageCount: number) {
    this.#countOf = new Uint32Array(pageCount);
  }

  /** Pages that at least one owner holds. */
  get pinnedPages(): number {
    return this.#pinnedPages;
  }

  /** Holds of all owners together. */
  get leases(): number {
    return this.#leases;
  }

  isHeld(page: number): boolean {
    return (this.#countOf[page] ?? 0) > 0;
  }

  /** The later expiry counts; Infinity is for a reader that says itself when it has let go. */
  add(page: number, owner: string, expiresAtMs: number): void {
    let pages = this.#byOwner.get(owner);
    if (!pages) this.#byOwner.set(owner, (pages = new Map()));
    const hold = pages.get(page);
    if (hold) {
      hold.count += 1;
      hold.expiresAtMs = Math.max(hold.expiresAtMs, expiresAtMs);
    } else {
      pages.set(page, { count: 1, expiresAtMs });
    }
    this.#leases += 1;
    if (this.#countOf[page] === 0) this.#pinnedPages += 1;
    this.#countOf[page] = (this.#countOf[page] ?? 0) + 1;
  }

  /** Gives back one hold; false when the owner has none on this page. */
  drop(page: number, owner: string): boolean {
    const hold = this.#byOwner.get(owner)?.get(page);
    if (!hold) return false;
    hold.count -= 1;
    if (hold.count === 0) this.#forget(owner, page);
    this.#lower(page, 1);
    return true;
  }

  /** Gives back everything of an owner; its pages, the one taken last first. */
  dropAll(owner: string): number[] {
    const pages = [...(this.#byOwner.get(owner) ?? [])].reverse();
    this.#byOwner.delete(owner);
    for (const [page, hold] of pages) this.#lower(page, hold.count);
    return pages.map(([page]) => page);
  }

  /** Gives back what has expired; the pages concerned, the ones taken last first. */
  expire(nowMs: number): number[] {
    const expired: number[] = [];
    for (const [owner, pages] of this.#byOwner) {
      for (const [page, hold] of pages) {
        if (hold.expiresAtMs > nowMs) continue;
        this.#forget(owner, page);
        this.#lower(page, hold.count);
        expired.push(page);
      }
    }
    return expired.reverse();
  }

  #forget(owner: string, page: number): void {
    const pages = this.#byOwner.get(owner);
    pages?.delete(page);
    if (pages?.size === 0) this.#byOwner.delete(owner);
  }

  #lower(page: number, by: number): void {
    this.#leases -= by;
    this.#countOf[page] = (this.#countOf[page] ?? 0) - by;
    if (this.#countOf[page] === 0) this.#pinnedPages -= 1;
  }
}
