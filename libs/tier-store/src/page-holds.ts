/** Who keeps which page from being reused. An owner may hold a page several times. */
export class PageHolds {
  /** Owner → page → how often it holds it. */
  readonly #byOwner = new Map<string, Map<number, number>>();
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

  add(page: number, owner: string): void {
    let pages = this.#byOwner.get(owner);
    if (!pages) this.#byOwner.set(owner, (pages = new Map()));
    pages.set(page, (pages.get(page) ?? 0) + 1);
    this.#leases += 1;
    if (this.#countOf[page] === 0) this.#pinnedPages += 1;
    this.#countOf[page] = (this.#countOf[page] ?? 0) + 1;
  }

  /** Gives back one hold; false when the owner has none on this page. */
  drop(page: number, owner: string): boolean {
    const pages = this.#byOwner.get(owner);
    const count = pages?.get(page);
    if (!pages || count === undefined) return false;
    if (count > 1) pages.set(page, count - 1);
    else pages.delete(page);
    if (pages.size === 0) this.#byOwner.delete(owner);
    this.#lower(page, 1);
    return true;
  }

  /** Gives back everything of an owner; its pages, the one taken last first. */
  dropAll(owner: string): number[] {
    const pages = [...(this.#byOwner.get(owner) ?? [])].reverse();
    this.#byOwner.delete(owner);
    for (const [page, count] of pages) this.#lower(page, count);
    return pages.map(([page]) => page);
  }

  #lower(page: number, by: number): void {
    this.#leases -= by;
    this.#countOf[page] = (this.#countOf[page] ?? 0) - by;
    if (this.#countOf[page] === 0) this.#pinnedPages -= 1;
  }
}
